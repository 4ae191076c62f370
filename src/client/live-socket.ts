import { CLIENT_LIMITS } from "../protocol/limits/client.ts";
import { Failure, failureIn } from "../protocol/failure.ts";
import type { ClientMessage } from "../protocol/index.ts";
import { PROTOCOL_VERSION } from "../protocol/version.ts";
import { currentToken, type CurrentToken, type TokenSource } from "./token.ts";

export interface LiveStatus {
  /** `waiting`: lost, and retried at `retry_at`; `offline`: the same, and the device reports no network. */
  readonly state: "connecting" | "open" | "waiting" | "offline" | "closed";
  /** Tries since the connection was last open; 0 while it is. */
  readonly attempt: number;
  /** Milliseconds since the epoch; absent unless it waits. */
  readonly retry_at?: number;
}

/** The part of a WebSocket that is used: browsers, Node from 22 on and the package `ws` have it. */
export interface Socket {
  send(data: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: string, listener: (event: object) => void): void;
}
export type SocketConstructor = new (url: string, protocols: string[]) => Socket;

export interface LiveSocketOptions {
  /** Such as `http://127.0.0.1:5353`. */
  readonly url: string;
  /** Or a function that gets one: it is called again when the last one has expired. */
  readonly token: TokenSource;
  /** Absent: the platform's. */
  readonly WebSocket?: SocketConstructor | undefined;
  readonly fetch?: typeof fetch | undefined;
}

export interface LiveSocketEvents {
  /** A new connection was welcomed: the server remembers nothing of the last one. */
  readonly opened: () => void;
  readonly message: (message: Readonly<Record<string, unknown>>, chars: number) => void;
  /** The server refuses us. There is no retry until the connection is wanted again. */
  readonly refused: (failure: Failure) => void;
}

/** The browser's part that reports the network state. */
interface Platform {
  readonly WebSocket?: SocketConstructor;
  readonly navigator?: { readonly onLine?: boolean };
  addEventListener?(type: string, listener: () => void): void;
  removeEventListener?(type: string, listener: () => void): void;
}
const platform = globalThis as unknown as Platform;

type Timer = ReturnType<typeof setTimeout>;

/** One WebSocket to `/api/ws` that reconnects for as long as it is wanted. */
export class LiveSocket {
  readonly #options: LiveSocketOptions;
  readonly #events: LiveSocketEvents;
  readonly #token: CurrentToken;
  readonly #listeners = new Set<(status: LiveStatus) => void>();
  #status: LiveStatus = { state: "closed", attempt: 0 };
  #socket: Socket | undefined;
  #wanted = false;
  #attempt = 0;
  /** The next step: a retry, a ping, or a timeout. */
  #timer: Timer | undefined;
  #linger: Timer | undefined;

  constructor(options: LiveSocketOptions, events: LiveSocketEvents) {
    this.#options = options;
    this.#token = currentToken(options.token);
    this.#events = events;
  }

  get status(): LiveStatus {
    return this.#status;
  }

  get open(): boolean {
    return this.#status.state === "open";
  }

  onStatus(listener: (status: LiveStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Somebody listens. */
  want(): void {
    clearTimeout(this.#linger);
    if (this.#wanted) return;
    this.#wanted = true;
    platform.addEventListener?.("online", this.#networkCame);
    platform.addEventListener?.("offline", this.#networkWent);
    if (this.#socket === undefined) this.#connect();
  }

  /** Nobody listens any more: the connection stays open for a moment, in case somebody comes. */
  rest(): void {
    clearTimeout(this.#linger);
    this.#linger = setTimeout(() => this.close(), CLIENT_LIMITS.liveLingerMs);
    // Node: a finished program need not wait for this.
    (this.#linger as { unref?: () => void }).unref?.();
  }

  close(): void {
    clearTimeout(this.#linger);
    clearTimeout(this.#timer);
    this.#wanted = false;
    this.#attempt = 0;
    platform.removeEventListener?.("online", this.#networkCame);
    platform.removeEventListener?.("offline", this.#networkWent);
    this.#drop();
    this.#tell({ state: "closed", attempt: 0 });
  }

  send(message: ClientMessage): void {
    this.sendText(JSON.stringify(message));
  }

  /** A message that is already serialised. */
  sendText(text: string): void {
    this.#socket?.send(text);
  }

  #connect(): void {
    const WebSocket = this.#options.WebSocket ?? platform.WebSocket;
    if (WebSocket === undefined) {
      this.#refuse(new Failure("unsupported", "there is no WebSocket here: pass one, such as that of the package ws"));
      return;
    }
    this.#attempt += 1;
    this.#tell({ state: "connecting", attempt: this.#attempt });
    const { known } = this.#token;
    if (known !== undefined) this.#open(WebSocket, known);
    else void this.#openLater(WebSocket, this.#attempt);
  }

  /** Opens once there is a token; without one it is retried like a lost connection. */
  async #openLater(WebSocket: SocketConstructor, attempt: number): Promise<void> {
    const token = await this.#token.get().catch(() => undefined);
    if (!this.#wanted || this.#attempt !== attempt || this.#socket !== undefined) return;
    if (token === undefined) this.#waitAndRetry();
    else this.#open(WebSocket, token);
  }

  #open(WebSocket: SocketConstructor, token: string): void {
    const { url } = this.#options;
    try {
      const address = `${url.replace(/^http/, "ws").replace(/\/+$/, "")}/api/ws`;
      this.#socket = new WebSocket(address, [`sallyport.token.${token}`]);
    } catch {
      this.#refuse(new Failure("invalid_request", "the address or the token has letters that neither can have"));
      return;
    }
    this.#hear(this.#socket);
    this.#expect(CLIENT_LIMITS.liveConnectMs);
  }

  #hear(socket: Socket): void {
    // Events of an abandoned socket are ignored.
    const heard = (listener: (event: object) => void) => (event: object) => {
      if (this.#socket === socket) listener(event);
    };
    socket.addEventListener(
      "open",
      heard(() => this.send({ type: "hello", protocol: PROTOCOL_VERSION })),
    );
    socket.addEventListener(
      "message",
      heard((event) => this.#take(String((event as { readonly data: unknown }).data))),
    );
    socket.addEventListener(
      "close",
      heard(() => void this.#lost()),
    );
    // A browser gives no details here; `close` follows.
    socket.addEventListener("error", () => undefined);
  }

  #take(text: string): void {
    const message = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (this.open) this.#listenOn();
    if (message["type"] === "welcome") {
      this.#attempt = 0;
      this.#listenOn();
      this.#tell({ state: "open", attempt: 0 });
      this.#events.opened();
    } else if (message["type"] === "refused" && !this.open) {
      const failure = failureOf(message);
      if (isPassing(failure)) void this.#lost();
      else this.#refuse(failure);
    } else if (message["type"] !== "pong") this.#events.message(message, text.length);
  }

  /** Something was received: ping again after a silence. */
  #listenOn(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), CLIENT_LIMITS.livePingMs);
  }

  #ask(): void {
    this.send({ type: "ping" });
    this.#expect(CLIENT_LIMITS.livePongMs);
  }

  #expect(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#lost(), ms);
  }

  async #lost(): Promise<void> {
    const welcomed = this.open;
    this.#drop();
    this.#waitAndRetry();
    if (welcomed) return;
    const used = this.#token.known;
    const failure = await this.#whyRefused(used);
    if (failure === undefined || !this.#wanted || this.open) return;
    const renewed = failure.code === "unauthenticated" && used !== undefined && (await this.#renew(used));
    if (!this.#wanted || this.open) return;
    if (!renewed) this.#refuse(failure);
    // A first new token is tried at once; if that is refused too, the next try waits.
    else if (this.#attempt <= 1) this.#again();
  }

  async #renew(used: string): Promise<boolean> {
    // If none is available now, that is not the end: the next try asks again.
    return this.#token.renew(used).catch(() => true);
  }

  #waitAndRetry(): void {
    const wait = Math.min(CLIENT_LIMITS.liveRetryCapMs, CLIENT_LIMITS.liveRetryMs * 2 ** Math.min(this.#attempt, 20));
    const ms = wait * (0.5 + Math.random() / 2);
    const state = platform.navigator?.onLine === false ? "offline" : "waiting";
    // Also without a network: the server may be on this machine.
    this.#timer = setTimeout(() => this.#again(), ms);
    this.#tell({ state, attempt: this.#attempt, retry_at: Date.now() + ms });
  }

  #again(): void {
    clearTimeout(this.#timer);
    this.#drop();
    if (this.#wanted) this.#connect();
  }

  /** A browser does not say why a WebSocket was refused; a request with the same token does. */
  async #whyRefused(token: string | undefined): Promise<Failure | undefined> {
    if (token === undefined) return undefined;
    const request = this.#options.fetch ?? fetch;
    try {
      const response = await request(`${this.#options.url.replace(/\/+$/, "")}/api/me`, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(CLIENT_LIMITS.liveConnectMs),
      });
      if (response.status !== 401 && response.status !== 403) return undefined;
      return failureIn(await response.json());
    } catch {
      return undefined;
    }
  }

  #refuse(failure: Failure): void {
    this.close();
    this.#events.refused(failure);
  }

  #drop(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close(1000);
  }

  #tell(status: LiveStatus): void {
    this.#status = status;
    for (const listener of this.#listeners) listener(status);
  }

  readonly #networkCame = (): void => {
    if (this.#status.state === "waiting" || this.#status.state === "offline") this.#again();
    else if (this.open) this.#ask();
  };

  readonly #networkWent = (): void => {
    const { attempt, retry_at } = this.#status;
    if (this.open) this.#ask();
    else if (this.#status.state === "waiting")
      this.#tell({ state: "offline", attempt, ...(retry_at === undefined ? {} : { retry_at }) });
  };
}

/** Refused now, not for good. */
export function isPassing({ code }: Failure): boolean {
  return code === "rate_limited" || code === "shutting_down";
}

/** The failure in a `refused` message. */
export function failureOf(message: Readonly<Record<string, unknown>>): Failure {
  return failureIn(message) ?? new Failure("internal", "the server sent a refusal that is not known here");
}
