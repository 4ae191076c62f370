import http2, { type ClientHttp2Session, type ClientHttp2Stream, type OutgoingHttpHeaders } from "node:http2";
import { Dispatcher } from "undici";
import { LIMITS } from "../protocol/index.ts";
import type { TunnelLink } from "./link.ts";
import { SESSION_MEGABYTES } from "./serve.ts";

/** Opens HTTP/2 on a link, as its client. */
export function openRequests(link: TunnelLink): ClientHttp2Session {
  const session = http2.connect("http://tunnel", {
    createConnection: () => link.stream,
    maxSessionMemory: SESSION_MEGABYTES,
    settings: {
      enablePush: false,
      initialWindowSize: LIMITS.tunnelStreamWindowBytes,
      maxHeaderListSize: LIMITS.proxyHeaderBytes,
    },
  });
  session.on("error", () => undefined);
  session.once("connect", () => session.setLocalWindowSize(LIMITS.tunnelWindowBytes));
  session.once("close", () => link.close("the other side ended it"));
  return session;
}

/** Waits for a link that can be used. Rejects with an error for people if there is none in time. */
export type RequestSession = () => Promise<ClientHttp2Session>;

type AnswerHandler = Dispatcher.DispatchHandler;

/** The proxy's way through a tunnel: one HTTP/2 stream for each request. */
export class TunnelDispatcher extends Dispatcher {
  readonly #session: RequestSession;
  #open = 0;

  constructor(session: RequestSession) {
    super();
    this.#session = session;
  }

  get openRequests(): number {
    return this.#open;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: AnswerHandler): boolean {
    void this.#send(options, handler);
    return true;
  }

  override close(): Promise<void>;
  override close(callback: () => void): void;
  override close(callback?: () => void): Promise<void> | void {
    if (callback === undefined) return Promise.resolve();
    callback();
  }

  override destroy(): Promise<void>;
  override destroy(error: Error | null, callback?: () => void): Promise<void> | void;
  override destroy(_error?: Error | null, callback?: () => void): Promise<void> | void {
    if (callback === undefined) return Promise.resolve();
    callback();
  }

  async #send(options: Dispatcher.DispatchOptions, handler: AnswerHandler): Promise<void> {
    let session: ClientHttp2Session;
    try {
      session = await this.#session();
    } catch (error) {
      // Nothing was sent: `onConnect` was not called.
      handler.onError?.(error as Error);
      return;
    }
    this.#open += 1;
    await new TunnelExchange(session, options, handler).over;
    this.#open -= 1;
  }
}

/** One request and its answer. */
class TunnelExchange {
  /** Resolves when nothing more comes. */
  readonly over: Promise<void>;
  readonly #handler: AnswerHandler;
  #isOver = false;
  #abortedWith: Error | undefined = undefined;
  #end: () => void = () => undefined;

  constructor(session: ClientHttp2Session, options: Dispatcher.DispatchOptions, handler: AnswerHandler) {
    this.#handler = handler;
    this.over = new Promise((resolve) => {
      this.#end = resolve;
    });
    let stream: ClientHttp2Stream | undefined;
    handler.onConnect?.((reason) => {
      this.#abortedWith = reason ?? new Error("the request was aborted");
      stream?.close(http2.constants.NGHTTP2_CANCEL);
      this.#fail(this.#abortedWith);
    });
    if (this.#isOver) return;
    try {
      const { body } = options;
      const isEmpty = body === null || body === undefined;
      stream = session.request(headersOf(options), { endStream: isEmpty });
      this.#listen(stream);
      if (!isEmpty) stream.end(body as Buffer | string);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #listen(stream: ClientHttp2Stream): void {
    const handler = this.#handler;
    stream.once("response", (fields) => {
      if (this.#isOver) return;
      handler.onHeaders?.(fields[":status"] ?? 502, rawOf(fields), () => stream.resume(), "");
      // Not earlier: data of the same packet would arrive before the response's head.
      stream.on("data", (piece: Buffer) => {
        if (!this.#isOver && handler.onData?.(piece) === false) stream.pause();
      });
      stream.once("end", () => {
        // A stream that was reset ends too.
        if (stream.rstCode === http2.constants.NGHTTP2_NO_ERROR && !stream.aborted) this.#complete();
      });
    });
    stream.on("error", (error) => this.#fail(error));
    stream.once("close", () => this.#fail(new CutOff()));
  }

  #complete(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#handler.onComplete?.([]);
    this.#end();
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#handler.onError?.(error);
    this.#end();
  }
}

class CutOff extends Error {
  readonly code = "ERR_TUNNEL_CUT";

  constructor() {
    super("the tunnel was cut");
  }
}

/** Headers of a connection, which HTTP/2 does not have. */
const OF_CONNECTIONS = new Set(["connection", "host", "keep-alive", "transfer-encoding", "upgrade", "expect", "te"]);

function headersOf({ method, path, headers }: Dispatcher.DispatchOptions): OutgoingHttpHeaders {
  const fields: OutgoingHttpHeaders = { ":method": method, ":path": path };
  for (const [name, value] of pairsOf(headers)) {
    const key = name.toLowerCase();
    if (!OF_CONNECTIONS.has(key)) fields[key] = value;
  }
  return fields;
}

function pairsOf(headers: Dispatcher.DispatchOptions["headers"]): readonly (readonly [string, string])[] {
  if (headers === null || headers === undefined) return [];
  if (Array.isArray(headers)) {
    const list = headers as readonly string[];
    return list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? ""] as const] : []));
  }
  return Object.entries(headers as Readonly<Record<string, string | string[] | undefined>>).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value] as const],
  );
}

function rawOf(fields: http2.IncomingHttpHeaders): Buffer[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    name.startsWith(":") || value === undefined
      ? []
      : (Array.isArray(value) ? value : [value]).flatMap((one) => [Buffer.from(name), Buffer.from(one)]),
  );
}
