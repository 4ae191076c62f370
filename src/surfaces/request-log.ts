import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { LIMITS } from "../protocol/index.ts";

/** One line of the access log. Contains no query, no header except the id, no body. */
export interface AccessLine {
  readonly request_id: string;
  readonly method: string;
  /** Without the query; a long one is cut. */
  readonly path: string;
  /** Absent: there was no answer. */
  readonly status?: number | undefined;
  /** Of a WebSocket that has ended: how it was closed. */
  readonly close_code?: number | undefined;
  readonly ms: number;
  /** Bytes sent on the connection meanwhile, including headers. */
  readonly bytes: number;
  /** The caller; absent: unknown. */
  readonly principal?: string | undefined;
  readonly remote?: string | undefined;
  /** The caller left before the answer was complete. */
  readonly aborted?: true | undefined;
}

export type WriteAccessLine = (line: AccessLine, message: string) => void;

export const REQUEST_ID = "x-request-id";
const WELL_FORMED = new RegExp(`^[\\w.~:@=+/-]{1,${LIMITS.requestIdChars}}$`);

/** Having the rest of such a path is enough to open it. */
const SECRET_PATH = /^(\/+share\/+).+$/i;

/** A path as logs show it: without what only its owner may have. */
export function loggedPath(path: string): string {
  return path.replace(SECRET_PATH, "$1[redacted]").slice(0, LIMITS.accessLogPathChars);
}

interface LoggedRequest {
  readonly id: string;
  /** On the monotonic clock. */
  readonly began: number;
  /** Bytes sent on its connection before. */
  readonly bytesBefore: number;
  principal?: string | undefined;
}

/** Gives each request an id, and writes a line when it has been answered. */
export class AccessLog {
  readonly #write: WriteAccessLine | undefined;
  readonly #known = new WeakMap<IncomingMessage, LoggedRequest>();

  /** `write` absent: requests have ids, and no lines are written. */
  constructor(write: WriteAccessLine | undefined) {
    this.#write = write;
  }

  /** An HTTP request: its answer always carries the id. */
  begin(request: IncomingMessage, answer: ServerResponse): void {
    const { id } = this.#know(request);
    answer.setHeader(REQUEST_ID, id);
    if (this.#write === undefined) return;
    answer.once("close", () => {
      const status = answer.headersSent ? answer.statusCode : undefined;
      this.#line(request, answer.writableFinished ? { status } : { status, aborted: true }, "request");
    });
  }

  /** A request that wants to become a WebSocket. */
  beginUpgrade(request: IncomingMessage): void {
    this.#know(request);
  }

  /** Empty: it was never begun. */
  idOf(request: IncomingMessage): string {
    return this.#known.get(request)?.id ?? "";
  }

  refusedUpgrade(request: IncomingMessage, status: number): void {
    this.#line(request, { status }, "request");
  }

  opened(request: IncomingMessage, socket: WebSocket): void {
    if (this.#write === undefined) return;
    this.#line(request, { status: 101 }, "socket opened");
    socket.once("close", (close_code: number) => this.#line(request, { close_code }, "socket closed"));
  }

  /** Something arrived that is not a request. */
  unreadable(stream: Duplex & { readonly remoteAddress?: string | undefined }, status: number): string {
    const request_id = randomUUID();
    const { remoteAddress: remote } = stream;
    this.#write?.({ request_id, method: "", path: "", status, ms: 0, bytes: 0, remote }, "unreadable request");
    return request_id;
  }

  /** The caller is known. */
  signedIn(request: IncomingMessage, principal: string): void {
    const known = this.#known.get(request);
    if (known !== undefined) known.principal = principal;
  }

  /** Identifies the request in other lines of the log. */
  about(request: IncomingMessage): Pick<AccessLine, "method" | "path" | "remote"> & { readonly request_id?: string } {
    const id = this.#known.get(request)?.id;
    const { method = "", url = "", socket } = request;
    const path = url.split("?", 1)[0] ?? "";
    return {
      ...(id === undefined ? {} : { request_id: id }),
      method,
      path: loggedPath(path),
      remote: socket.remoteAddress,
    };
  }

  #know(request: IncomingMessage): LoggedRequest {
    const given = request.headers[REQUEST_ID];
    const id = typeof given === "string" && WELL_FORMED.test(given) ? given : randomUUID();
    const known: LoggedRequest = { id, began: performance.now(), bytesBefore: request.socket.bytesWritten };
    this.#known.set(request, known);
    return known;
  }

  #line(
    request: IncomingMessage,
    end: Pick<AccessLine, "status" | "close_code" | "aborted">,
    message: "request" | "socket opened" | "socket closed",
  ): void {
    const known = this.#known.get(request);
    if (known === undefined || this.#write === undefined) return;
    const ms = Math.round((performance.now() - known.began) * 10) / 10;
    const bytes = request.socket.bytesWritten - known.bytesBefore;
    const { method, path, remote } = this.about(request);
    this.#write({ request_id: known.id, method, path, ...end, ms, bytes, principal: known.principal, remote }, message);
  }
}
