import { EventEmitter } from "node:events";
import http2, { type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { Duplex } from "node:stream";
import type { CallerRequest, CallerResponse } from "../proxy/index.ts";
import { LIMITS } from "../protocol/index.ts";
import type { TunnelLink } from "./link.ts";

/** Answers one request that came over a tunnel. */
export type AnswerTunnelRequest = (request: CallerRequest, response: CallerResponse) => void;

/** Takes a connection to this machine's console: bytes of TLS, which end here. */
export type TakeConsoleStream = (stream: Duplex) => void;

interface ServedTunnel {
  readonly answer: AnswerTunnelRequest;
  /** Undefined: there is no room for it, or there is no console. */
  console(): TakeConsoleStream | undefined;
}

/** Serves HTTP/2 on a link. Requests end with it. */
export function serveRequests(link: TunnelLink, served: ServedTunnel): ServerHttp2Session {
  const session = http2.performServerHandshake(link.stream, {
    maxSessionMemory: SESSION_MEGABYTES,
    peerMaxConcurrentStreams: 0,
    settings: {
      enablePush: false,
      maxConcurrentStreams: LIMITS.tunnelStreams,
      initialWindowSize: LIMITS.tunnelStreamWindowBytes,
      maxHeaderListSize: LIMITS.proxyHeaderBytes,
    },
  });
  session.on("error", () => undefined);
  session.on("stream", (stream, headers) => {
    stream.on("error", () => undefined);
    if (headers[":method"] === "CONNECT") connectConsole(stream, headers, served);
    else served.answer(new TunnelRequest(stream, headers), new TunnelResponse(stream));
  });
  session.once("close", () => link.close("the other side ended it"));
  session.setLocalWindowSize(LIMITS.tunnelWindowBytes);
  return session;
}

/** The name in place of a host by which the other side asks for the console of this machine. */
export const CONSOLE_AUTHORITY = "console";

function connectConsole(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, served: ServedTunnel): void {
  const take = headers[":authority"] === CONSOLE_AUTHORITY ? served.console() : undefined;
  if (take === undefined) {
    stream.respond({ ":status": 403 }, { endStream: true });
    return;
  }
  stream.respond({ ":status": 200 });
  take(stream);
}

/** Node's own limit of a session's memory, in megabytes. */
export const SESSION_MEGABYTES = 64;

type BodyListener = (piece: Buffer) => void;

/** A request as the model proxy reads it. The caller's credentials mean nothing here and are left out. */
class TunnelRequest implements CallerRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly rawHeaders: string[];
  readonly #stream: ServerHttp2Stream;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
    this.#stream = stream;
    this.url = headers[":path"] ?? "/";
    this.method = headers[":method"] ?? "GET";
    const fields = Object.entries(headers).flatMap(([name, value]): readonly (readonly [string, string])[] =>
      name.startsWith(":") || value === undefined || LEFT_OUT.has(name)
        ? []
        : [[name, Array.isArray(value) ? value.join(", ") : value]],
    );
    this.headers = Object.fromEntries(fields);
    this.rawHeaders = fields.flat();
  }

  get complete(): boolean {
    return this.#stream.readableEnded;
  }

  get readableEnded(): boolean {
    return this.#stream.readableEnded;
  }

  on(event: "data" | "end" | "error", listener: BodyListener): this {
    this.#stream.on(event, listener);
    return this;
  }

  once(event: "end", listener: () => void): this {
    this.#stream.once(event, listener);
    return this;
  }

  off(event: "data" | "end", listener: BodyListener): this {
    this.#stream.off(event, listener);
    return this;
  }
}

const LEFT_OUT = new Set(["authorization", "x-api-key", "cookie", "proxy-authorization", "origin", "referer"]);
/** Headers of an HTTP/1.1 connection; HTTP/2 refuses them. */
const OF_CONNECTIONS = new Set(["connection", "keep-alive", "transfer-encoding", "upgrade", "proxy-connection"]);

/** An answer as the model proxy writes it. */
class TunnelResponse extends EventEmitter implements CallerResponse {
  readonly shouldKeepAlive = true;
  readonly socket: { destroySoon(): void };
  headersSent = false;
  writableEnded = false;
  readonly #stream: ServerHttp2Stream;

  constructor(stream: ServerHttp2Stream) {
    super();
    this.#stream = stream;
    this.socket = { destroySoon: () => stream.close() };
    stream.on("drain", () => this.emit("drain"));
    stream.once("close", () => this.emit("close"));
  }

  get destroyed(): boolean {
    return this.#stream.destroyed;
  }

  writeHead(status: number, headers: Record<string, string | number> | string[]): this {
    this.headersSent = true;
    if (!this.#isOpen) return this;
    const fields: Record<string, string | string[]> = {};
    for (const [name, value] of pairsOf(headers)) {
      const key = name.toLowerCase();
      if (OF_CONNECTIONS.has(key)) continue;
      const before = fields[key];
      fields[key] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
    }
    this.#stream.respond({ ...fields, ":status": status });
    return this;
  }

  writeContinue(): void {
    if (this.#isOpen) this.#stream.additionalHeaders({ ":status": 100 });
  }

  flushHeaders(): void {
    // They are sent at once.
  }

  write(bytes: Buffer): boolean {
    return !this.#isOpen || this.#stream.write(bytes);
  }

  end(bytes?: Buffer | string): this {
    this.writableEnded = true;
    if (!this.#isOpen) return this;
    if (bytes === undefined) this.#stream.end();
    else this.#stream.end(bytes);
    return this;
  }

  /** Breaks the answer off: the other side sees that it did not end. */
  destroy(): this {
    this.#stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
    return this;
  }

  get #isOpen(): boolean {
    return !this.#stream.destroyed && !this.#stream.closed;
  }
}

function pairsOf(headers: Record<string, string | number> | string[]): readonly (readonly [string, string])[] {
  if (!Array.isArray(headers)) return Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  const pairs: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) pairs.push([headers[at] ?? "", headers[at + 1] ?? ""]);
  return pairs;
}
