import type { IncomingHttpHeaders } from "node:http";
import type { ModelBody } from "../../protocol/index.ts";

/** A request as the proxy reads it: Node's own `IncomingMessage`, or one from this process. */
export interface CallerRequest {
  readonly url?: string | undefined;
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: string[];
  /** All of it has arrived. */
  readonly complete: boolean;
  readonly readableEnded: boolean;
  /** The body, if it is complete from the start; absent: it comes as events. */
  readonly wholeBody?: Buffer | undefined;
  /** The fields from which `wholeBody` was written; absent: nobody has read the body yet. */
  readonly fields?: ModelBody | undefined;
  on(event: "data" | "end" | "error", listener: (piece: Buffer) => void): this;
  once(event: "end", listener: () => void): this;
  off(event: "data" | "end", listener: (piece: Buffer) => void): this;
}

/** An answer as the proxy writes it: Node's own `ServerResponse`, or one within this process. */
export interface CallerResponse {
  readonly headersSent: boolean;
  readonly destroyed: boolean;
  readonly writableEnded: boolean;
  readonly shouldKeepAlive: boolean;
  readonly socket: { destroySoon(): void } | null;
  writeHead(status: number, headers: Record<string, string | number> | string[]): unknown;
  writeContinue(): void;
  flushHeaders(): void;
  /** False: the caller reads more slowly than this writes; `drain` follows. */
  write(bytes: Buffer): boolean;
  end(bytes?: Buffer | string): unknown;
  destroy(): unknown;
  on(event: "error", listener: () => void): unknown;
  once(event: "drain" | "close", listener: () => void): unknown;
}
