import { WebSocket, type ClientOptions } from "ws";
import type { NetworkProxies } from "../proxy/index.ts";
import { LIMITS, type TunnelHandshake, type TunnelLinkState } from "../protocol/index.ts";
import { HandshakeReader, TunnelRefusal, type LinkCredential } from "./handshake.ts";
import { LINK_BOUNDS, TunnelLink, type EarlyMessage, type LinkBounds, type LinkEvents } from "./link.ts";
import { connectThrough, proxyFor } from "./proxied.ts";

export interface DialOptions {
  readonly url: string;
  readonly tunnel_id: string;
  readonly role: "home" | "gateway";
  readonly credential: LinkCredential;
  /** A new link, before anything is sent over it. */
  open(link: TunnelLink): LinkEvents;
  /** What changed about the connection. */
  changed?(state: TunnelLinkState, message?: string): void;
  /** Random numbers from 0 to 1. Absent: the machine's. */
  readonly random?: (() => number) | undefined;
  readonly bounds?: LinkBounds | undefined;
  /** The network's proxies. Absent: none. */
  readonly proxies?: NetworkProxies | undefined;
}

interface Connected {
  readonly socket: WebSocket;
  readonly welcome: Extract<TunnelHandshake, { type: "welcome" }>;
  readonly early: readonly EarlyMessage[];
}

/** Keeps one link to another machine: connects, and connects again after a cut, with growing random waits. */
export class TunnelDialer {
  readonly #options: DialOptions;
  readonly #stopping = new AbortController();
  #link: TunnelLink | undefined = undefined;
  #failures = 0;
  #isRunning = false;
  #wake: (() => void) | undefined = undefined;

  constructor(options: DialOptions) {
    this.#options = options;
  }

  /** Connects now, and from now on whenever it is cut. */
  start(): void {
    if (this.#isRunning || this.#stopping.signal.aborted) return;
    this.#isRunning = true;
    void this.#run();
  }

  /** Makes the next attempt now. */
  hurry(): void {
    this.#wake?.();
  }

  close(reason = "the tunnel was closed"): void {
    this.#stopping.abort();
    this.#wake?.();
    this.#link?.close(reason);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const { cut } = await this.#connect();
        this.#failures = 0;
        await cut;
      } catch (error) {
        if (signal.aborted) return;
        this.#failures += 1;
        const refusal = error instanceof TunnelRefusal ? error : new TunnelRefusal("unreachable", String(error));
        this.#options.changed?.(refusal.kind === "refused" ? "refused" : "waiting", refusal.message);
        await this.#pause(refusal.kind);
      }
    }
  }

  /** Connects once. `cut` resolves when the connection is cut. */
  async #connect(): Promise<{ readonly cut: Promise<void> }> {
    const { bounds = LINK_BOUNDS } = this.#options;
    const before = this.#link?.isClosed === false ? this.#link : undefined;
    const { socket, welcome, early } = await connect(this.#options, before, this.#stopping.signal);
    const isSame = before !== undefined && welcome.link.id === before.id && before.canResume(welcome.link);
    if (before !== undefined && !isSame) before.close("the other side no longer knows this link");
    let told = (): void => undefined;
    const cut = new Promise<void>((resolve) => {
      told = resolve;
    });
    const link = isSame ? before : this.#newLink(welcome.link.id, bounds);
    this.#link = link;
    socket.once("close", () => {
      this.#options.changed?.("interrupted");
      told();
    });
    link.attach(socket, isSame ? welcome.link : { bytes: 0, messages: 0 }, early);
    this.#options.changed?.("connected");
    return { cut };
  }

  #newLink(id: string, bounds: LinkBounds): TunnelLink {
    return new TunnelLink((link) => this.#options.open(link), { id, bounds });
  }

  /** A random part of a wait that doubles with each failure. After a refusal the wait is long. */
  async #pause(kind: TunnelRefusal["kind"]): Promise<void> {
    const { random = Math.random } = this.#options;
    const longest = Math.min(LIMITS.tunnelRetryMs * 2 ** Math.min(this.#failures, 20), LIMITS.tunnelRetryMaxMs);
    const ms = kind === "refused" ? LIMITS.tunnelRetryMaxMs * (0.5 + random() / 2) : longest * random();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}

/** Opens a WebSocket and goes through the handshake. Rejects with a `TunnelRefusal`. */
async function connect(
  { url, tunnel_id, role, credential, proxies }: DialOptions,
  link: TunnelLink | undefined,
  signal: AbortSignal,
): Promise<Connected> {
  const opening = await openSocket(url, { proxies, signal });
  const { socket, reader } = opening;
  try {
    const before = link === undefined ? {} : { link: { id: link.id, ...link.received } };
    say(socket, { type: "hello", version: 1, role, tunnel_id, ...before });
    const welcome = await introduce(socket, reader, credential);
    return { socket, welcome, early: reader.end() };
  } catch (error) {
    reader.end();
    opening.end();
    throw refusalOf(error, url);
  } finally {
    opening.settle();
  }
}

/** A WebSocket whose handshake has begun. It is closed if that takes too long. */
export interface OpeningSocket {
  readonly socket: WebSocket;
  readonly reader: HandshakeReader;
  /** The handshake is over, and the socket may stay. */
  settle(): void;
  end(): void;
}

/** Rejects with a `TunnelRefusal`. */
export async function openSocket(
  url: string,
  {
    proxies = {},
    signal,
  }: { readonly proxies?: NetworkProxies | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<OpeningSocket> {
  const socket = new WebSocket(url, {
    handshakeTimeout: LIMITS.tunnelHandshakeMs,
    maxPayload: LIMITS.tunnelMessageBytes,
    perMessageDeflate: false,
    followRedirects: false,
    ...throughProxy(new URL(url), proxies),
  });
  const reader = new HandshakeReader(socket);
  const stop = (): void => socket.terminate();
  const timer = setTimeout(stop, LIMITS.tunnelHandshakeMs);
  signal?.addEventListener("abort", stop, { once: true });
  const settle = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  };
  try {
    await opened(socket);
    return { socket, reader, settle, end: stop };
  } catch (error) {
    settle();
    reader.end();
    stop();
    throw refusalOf(error, url);
  }
}

function throughProxy(url: URL, proxies: NetworkProxies): ClientOptions {
  const proxy = proxyFor(url, proxies);
  if (proxy === undefined) return {};
  const createConnection = (_options: unknown, connected: Parameters<typeof connectThrough>[2]): void =>
    connectThrough(proxy, url, connected);
  // Node also takes the socket through the callback; the types of `ws` know only the returned one.
  return { createConnection: createConnection as unknown as NonNullable<ClientOptions["createConnection"]> };
}

function refusalOf(error: unknown, url: string): TunnelRefusal {
  if (error instanceof TunnelRefusal) return error;
  return new TunnelRefusal("unreachable", `no tunnel at ${hostOf(url)}: ${(error as Error).message}`);
}

async function introduce(
  socket: WebSocket,
  reader: HandshakeReader,
  credential: LinkCredential,
): Promise<Connected["welcome"]> {
  let response: Readonly<Record<string, string>> | undefined;
  for (;;) {
    const message = await reader.next();
    switch (message.type) {
      case "challenge": {
        const answered = await credential.answer(message.challenge);
        if (!answered.ok) throw new TunnelRefusal("refused", answered.message);
        response = answered.value;
        say(socket, { type: "auth", response });
        break;
      }
      case "welcome":
        if (credential.isProof(message.proof, response)) return message;
        throw new TunnelRefusal("refused", "the other side does not have the pre-shared key");
      case "error":
        throw new TunnelRefusal("refused", message.error);
      case "hello":
      case "auth":
      case "ack":
        throw new TunnelRefusal("refused", "the other side does not speak this protocol");
    }
  }
}

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.on("error", reject);
    socket.once("close", () => reject(new Error("the connection was closed")));
  });
}

export function say(socket: WebSocket, message: TunnelHandshake): void {
  socket.send(JSON.stringify(message));
}

/** Without its path, which may be a secret. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "its address";
}
