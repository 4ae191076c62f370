import { createServer, request as requestHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { request as requestHttps } from "node:https";
import { connect, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { HOP_HEADERS, LIMITS } from "../protocol/index.ts";
import { hostRule, publicAddress, type IpAddress } from "./address.ts";
import { readClientHello } from "./client-hello.ts";

/** A header that the proxy adds to requests for one host and port, so that no program behind it needs the secret. */
export interface HostCredential {
  readonly host: string;
  /** Where the host speaks TLS. */
  readonly port: number;
  readonly header: string;
  /** What the header holds now. Rejects if the secret cannot be read. */
  readonly value: () => Promise<string>;
}

/** A host as rules write it, and a port. */
export interface EgressTarget {
  readonly host: string;
  readonly port: number;
}

/**
 * Why a connection was not made. `not_allowed`: no rule allows it, and nobody was asked. `not_approved`: nobody said yes. `address`: the
 * host has no address, or a private one. `tls_name`: it spoke no TLS, or TLS for another host.
 */
export type RefusalReason = "not_allowed" | "not_approved" | "address" | "tls_name";

export interface EgressRefusal extends EgressTarget {
  readonly reason: RefusalReason;
  /** What the program was told. */
  readonly message: string;
}

/** What is said about a host that no rule allows. */
export type HostAnswer =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: RefusalReason; readonly message: string };

/** What the egress proxy of every sandbox has, whatever the session. */
export interface EgressSetup {
  readonly credentials: readonly HostCredential[];
  /** Where names lead. Absent: as DNS says. */
  readonly addressOf?: typeof publicAddress | undefined;
  /** Called for each connection that was not made. */
  readonly onRefused: (reason: RefusalReason) => void;
}

interface EgressOptions {
  /** Where it listens: a socket's path, or a port of the loopback, 0 for any. */
  readonly listen: string | number;
  /** Hosts that may be reached, asked for each connection: `example.com`, `*.example.com`, `example.com:8443`. */
  readonly hosts: () => readonly string[];
  /** Called before the name of a host that no rule allows is resolved; aborted when the program gives up. Absent: it is refused. */
  readonly ask?: ((target: EgressTarget, signal: AbortSignal) => Promise<HostAnswer>) | undefined;
  /** Absent: none. */
  readonly credentials?: readonly HostCredential[] | undefined;
  /** Where a name leads. Absent: as DNS says. */
  readonly addressOf?: typeof publicAddress | undefined;
  /** Where clients speak TLS and name their host; absent: 443. */
  readonly tlsPort?: number | undefined;
  /** Told of each connection that was not made. */
  readonly onRefused: (refusal: EgressRefusal) => void;
}

export interface EgressProxy {
  /** Of the loopback; absent: it listens on a path. */
  readonly port: number | undefined;
  close(): Promise<void>;
}

const WEB_PORTS: ReadonlySet<number> = new Set([80, 443]);
const TLS_PORT = 443;
const NOT_PASSED_ON: ReadonlySet<string> = new Set(HOP_HEADERS);

/**
 * The way out of a sandbox: an HTTP proxy that connects to allowed hosts only. A name is resolved here, once, and the connection goes to
 * that address; addresses of private networks count only where a rule names the host exactly.
 */
export async function openEgressProxy(options: EgressOptions): Promise<EgressProxy> {
  const open = new Set<Duplex>();
  const server = createServer(
    {
      maxHeaderSize: LIMITS.proxyHeaderBytes,
      headersTimeout: LIMITS.proxyHeadersMs,
      requestTimeout: 0,
    },
    (request, response) => {
      relay(options, request, response).catch(() => response.destroy());
    },
  );
  server.maxConnections = LIMITS.egressConnections;
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    socket.on("error", () => undefined);
  });
  server.on("connect", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    tunnel(options, { request, socket, head }, (upstream) => {
      open.add(upstream);
      upstream.once("close", () => open.delete(upstream));
    }).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    const where =
      typeof options.listen === "string" ? { path: options.listen } : { host: "127.0.0.1", port: options.listen };
    server.listen(where, () => {
      server.off("error", reject);
      server.on("error", () => undefined);
      resolve();
    });
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : undefined,
    close: async () => {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** Where a permitted connection goes, or why it is not made; then `onRefused` has been told. */
async function permitted(
  { hosts, ask, addressOf = publicAddress, onRefused }: EgressOptions,
  target: EgressTarget,
  signal: AbortSignal,
): Promise<IpAddress | { readonly refused: string }> {
  const refuse = (reason: RefusalReason, message: string): { readonly refused: string } => {
    onRefused({ ...target, reason, message });
    return { refused: message };
  };
  const rule = targetRule(target, hosts());
  if (rule === "none") {
    const answer = ask === undefined ? notAllowed(target) : await ask(target, signal);
    if (!answer.allowed) return refuse(answer.reason, answer.message);
  }
  // Nobody can say yes to a private address: only a rule that names the host opens those.
  const address = await addressOf(target.host, rule === "named" ? "named" : "matched", "egress_hosts of the profile");
  return "refused" in address ? refuse("address", address.refused) : address;
}

/** The refusal of a host that nobody is asked about. */
export function notAllowed(target: EgressTarget): Extract<HostAnswer, { allowed: false }> {
  const message = `This session may not connect to ${hostAndPort(target)}. Ask for the host ${target.host} to be allowed, or work without it.`;
  return { allowed: false, reason: "not_allowed", message };
}

/** As addresses with `https:` write it. */
export function placeOf(target: EgressTarget): string {
  return target.port === TLS_PORT ? target.host : hostAndPort(target);
}

export function hostAndPort({ host, port }: EgressTarget): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** A rule with a port holds for that port, others for those of the web. */
export function targetRule({ host, port }: EgressTarget, rules: readonly string[]): ReturnType<typeof hostRule> {
  const fitting = rules.flatMap((rule) => {
    const [, name = rule, ofPort] = /^(.*[^:]):(\d+)$/.exec(rule) ?? [];
    const holds = ofPort === undefined ? WEB_PORTS.has(port) : Number(ofPort) === port;
    return holds ? [name] : [];
  });
  return hostRule(host, fitting);
}

function parsed(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function targetOf(text: string, defaultPort?: number): EgressTarget | undefined {
  const url = parsed(`http://${text}`);
  if (url === undefined || url.username !== "" || url.pathname !== "/" || url.search !== "") return undefined;
  // The parser leaves out the port that is usual for http.
  const given = /:(\d+)$/.exec(text)?.[1];
  const port = given === undefined ? defaultPort : Number(given);
  if (port === undefined || port === 0) return undefined;
  return {
    host: url.hostname
      .toLowerCase()
      .replace(/\.$/, "")
      .replace(/^\[(.*)\]$/, "$1"),
    port,
  };
}

interface Connecting {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** `CONNECT host:port`: bytes pass both ways unread, behind a look at the name that a TLS client asks for. */
async function tunnel(
  options: EgressOptions,
  { request, socket, head }: Connecting,
  opened: (upstream: Socket) => void,
): Promise<void> {
  const refuse = (status: string, message: string): void => {
    const body = `${message}\n`;
    const head = `content-type: text/plain\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n`;
    socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n${body}`);
  };
  socket.on("error", () => undefined);
  const target = targetOf(request.url ?? "");
  if (target === undefined) {
    refuse("400 Bad Request", "Give a host and a port, such as example.com:443.");
    return;
  }
  const waiting = untilItGivesUp(socket);
  const address = await permitted(options, target, waiting.signal);
  const first = Buffer.concat([head, ...waiting.stop()]);
  if (waiting.signal.aborted) return;
  if ("refused" in address) {
    refuse("403 Forbidden", address.refused);
    return;
  }
  const upstream = connect({ host: address.address, port: target.port, family: address.family });
  opened(upstream);
  upstream.setTimeout(LIMITS.egressConnectMs, () => upstream.destroy(new Error("it did not answer in time")));
  let isConnected = false;
  upstream.on("error", (error) => {
    if (isConnected) socket.destroy();
    else refuse("502 Bad Gateway", `${target.host}:${target.port} could not be reached: ${error.message}.`);
  });
  socket.once("close", () => upstream.destroy());
  upstream.once("connect", () => {
    isConnected = true;
    upstream.setTimeout(LIMITS.egressIdleMs, () => upstream.destroy());
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    passOn(options, { target, socket, upstream, head: first });
  });
}

interface WaitingClient {
  /** Aborted when the client closed its connection. */
  readonly signal: AbortSignal;
  /** Reads no more. Answers what the client has sent meanwhile. */
  stop(): readonly Buffer[];
}

/** Reads on, because nothing else tells that the other side is gone. */
function untilItGivesUp(socket: Duplex): WaitingClient {
  const gone = new AbortController();
  const early: Buffer[] = [];
  let left = LIMITS.egressEarlyBytes;
  const giveUp = (): void => {
    gone.abort();
    socket.destroy();
  };
  const take = (chunk: Buffer): void => {
    early.push(chunk);
    left -= chunk.length;
    if (left < 0) giveUp();
  };
  socket.on("data", take);
  socket.once("end", giveUp);
  socket.once("close", giveUp);
  return {
    signal: gone.signal,
    stop: () => {
      socket.off("data", take);
      socket.off("end", giveUp);
      socket.off("close", giveUp);
      socket.pause();
      return early;
    },
  };
}

interface OpenTunnel {
  readonly target: EgressTarget;
  readonly socket: Duplex;
  readonly upstream: Socket;
  readonly head: Buffer;
}

/** On the port of TLS nothing passes before the client has named the host that was allowed: many hosts share an address. */
function passOn(options: EgressOptions, { target, socket, upstream, head }: OpenTunnel): void {
  const join = (first: Buffer): void => {
    if (first.length > 0) upstream.write(first);
    socket.pipe(upstream);
  };
  upstream.pipe(socket);
  if (target.port !== (options.tlsPort ?? TLS_PORT)) {
    join(head);
    return;
  }
  let seen = head;
  const look = (): boolean => {
    const hello = readClientHello(seen);
    if (hello.state === "incomplete") return false;
    const isMeant =
      hello.state === "TLS" && (hello.name === target.host || (hello.name === undefined && isIP(target.host) !== 0));
    if (isMeant) {
      join(seen);
      return true;
    }
    const what = hello.state === "TLS" ? `TLS for ${hello.name ?? "no host"}` : "no TLS";
    options.onRefused({
      ...target,
      reason: "tls_name",
      message: `A connection to ${target.host}:${target.port} spoke ${what}. It was cut.`,
    });
    socket.destroy();
    upstream.destroy();
    return true;
  };
  const take = (chunk: Buffer): void => {
    seen = Buffer.concat([seen, chunk]);
    socket.off("data", take);
    socket.pause();
    if (!look()) listen();
  };
  const listen = (): void => {
    socket.on("data", take);
    socket.resume();
  };
  if (!look()) listen();
}

/** `GET http://host/…`: one request, made here. A host with a credential is asked over TLS, and its header is put in. */
async function relay(options: EgressOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const refuse = (status: number, message: string): void => {
    request.resume();
    if (response.headersSent) response.destroy();
    else response.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(`${message}\n`);
  };
  const url = parsed(request.url ?? "");
  const target = url?.protocol === "http:" ? targetOf(url.host, 80) : undefined;
  if (url === undefined || target === undefined) {
    refuse(400, "This is a proxy: ask for a whole address, such as http://example.com/.");
    return;
  }
  const secure = { host: target.host, port: target.port === 80 ? TLS_PORT : target.port };
  const credential = options.credentials?.find(({ host, port }) => host === secure.host && port === secure.port);
  const place = credential === undefined ? target : secure;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const address = await permitted(options, place, gone.signal);
  if ("refused" in address) {
    refuse(403, address.refused);
    return;
  }
  const secret = await credential?.value().catch(() => undefined);
  if (credential !== undefined && secret === undefined) {
    refuse(502, `The credential for ${place.host} cannot be read. Somebody who runs this server must look at it.`);
    return;
  }
  if (gone.signal.aborted) return;
  const outgoing = (credential === undefined ? requestHttp : requestHttps)({
    host: place.host,
    port: place.port,
    path: `${url.pathname}${url.search}`,
    method: request.method,
    headers: {
      ...headersFor(request, url.host),
      ...(credential === undefined || secret === undefined ? {} : { [credential.header.toLowerCase()]: secret }),
    },
    agent: false,
    timeout: LIMITS.egressIdleMs,
    // The address was looked at before; the name is not asked for again.
    lookup: (_host, wanted, answer) =>
      wanted.all === true ? answer(null, [address]) : answer(null, address.address, address.family),
  });
  outgoing.once("timeout", () => outgoing.destroy(new Error("it did not answer in time")));
  outgoing.once("error", (error) => refuse(502, `${place.host} could not be reached: ${error.message}.`));
  outgoing.once("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, passedHeaders(answer.rawHeaders, credential));
    answer.pipe(response);
    answer.once("error", () => response.destroy());
  });
  response.once("close", () => outgoing.destroy());
  request.pipe(outgoing);
}

function headersFor(request: IncomingMessage, host: string): Readonly<Record<string, string | string[]>> {
  const named = new Set((request.headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && !NOT_PASSED_ON.has(name) && !named.has(name)) headers[name] = value;
  // A body of unknown length stays one.
  if (request.headers["transfer-encoding"] !== undefined) headers["transfer-encoding"] = "chunked";
  headers["host"] = host;
  return headers;
}

/** A host with a credential that sends the program to another path of its own is asked in the same way again. */
function passedHeaders(raw: readonly string[], credential: HostCredential | undefined): string[] {
  const passed: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = [raw[at], raw[at + 1]];
    const lower = name.toLowerCase();
    if (NOT_PASSED_ON.has(lower)) continue;
    const target = lower === "location" && value.startsWith("https://") ? parsed(value) : undefined;
    const isOwn = target?.host === (credential === undefined ? undefined : placeOf(credential));
    passed.push(name, target !== undefined && isOwn ? value.replace(/^https/, "http") : value);
  }
  return passed;
}
