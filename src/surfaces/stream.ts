import type { ServerResponse } from "node:http";
import { LIMITS } from "../protocol/index.ts";
import type { Frame } from "../sessions/index.ts";

/** Headers of every streamed answer; those that the middleware sets do not reach it. */
const STREAM_HEADERS = {
  "cache-control": "no-store",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
} as const;

/** A stream of server-sent events: its content type, and the comment that is sent now and then. */
export const SSE_STREAM = { type: "text/event-stream; charset=utf-8", heartbeat: ": alive\n\n" } as const;

interface Streamed<Piece> {
  /** The content type. */
  readonly type: string;
  readonly pieces: AsyncIterable<Piece>;
  /** A piece as it is sent. It may empty the piece: a slow reader then holds nothing but bytes. */
  readonly encode: (piece: Piece) => string | Uint8Array;
  /** Sent now and then, so that no proxy takes silence for the end. Absent: nothing may be sent. */
  readonly heartbeat?: string;
  /** Called with the reason why a stream broke: the client cannot be told, because the head was already sent. */
  readonly failed: (error: unknown) => void;
  /** Called when the reader has gone, or everything was sent. */
  readonly stop: () => void;
}

/** Writes a stream until it ends or the reader goes. A slow reader is waited for. A stream that breaks cuts the connection: its end would look whole. */
export async function writeStream<Piece>(outgoing: ServerResponse, streamed: Streamed<Piece>): Promise<void> {
  const { pieces, encode, heartbeat, stop } = streamed;
  outgoing.writeHead(200, { "content-type": streamed.type, ...STREAM_HEADERS });
  outgoing.flushHeaders();
  outgoing.once("close", stop);
  const sign = (): void => {
    // A reader that has not read everything yet needs no sign of life.
    if (!outgoing.writableNeedDrain) outgoing.write(heartbeat);
  };
  const beat = heartbeat === undefined ? undefined : setInterval(sign, LIMITS.heartbeatMs);
  try {
    for await (const piece of pieces) {
      if (!outgoing.write(encode(piece))) await drained(outgoing);
      if (outgoing.destroyed) return;
    }
    outgoing.end();
  } catch (error) {
    outgoing.destroy();
    streamed.failed(error);
  } finally {
    clearInterval(beat);
    stop();
  }
}

/** Empties the batch, so that nothing holds frames while a slow reader is waited for. */
export function sseText(batch: Frame[]): string {
  let text = "";
  for (const frame of batch) text += frame.sse;
  batch.length = 0;
  return text;
}

/** Resolves when the reader has taken what was written, or is gone. */
export function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off("drain", done);
      outgoing.off("close", done);
      resolve();
    };
    outgoing.once("drain", done);
    outgoing.once("close", done);
    if (outgoing.destroyed) done();
  });
}
