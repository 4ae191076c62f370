import type { ServerResponse } from "node:http";
import { LIMITS } from "../../protocol/index.ts";
import { drained, STREAM_HEADERS } from "../sse.ts";

export interface Streamed {
  /** The content type. */
  readonly type: string;
  readonly pieces: AsyncIterable<string | Uint8Array>;
  /** Sent now and then, so that no proxy takes silence for the end. Absent: nothing may be sent. */
  readonly heartbeat?: string;
  /** Called when a stream breaks: the client cannot be told, its headers are already sent. */
  readonly failed: (error: unknown) => void;
  /** Called when the reader has gone, or everything was sent. */
  readonly stop: () => void;
}

/**
 * Writes a stream until it ends or the reader goes. Waits for a slow reader. A stream that breaks cuts the connection: a normal end would look complete.
 */
export async function writeStream(outgoing: ServerResponse, streamed: Streamed): Promise<void> {
  const { pieces, heartbeat, stop } = streamed;
  outgoing.writeHead(200, { "content-type": streamed.type, ...STREAM_HEADERS });
  outgoing.flushHeaders();
  outgoing.once("close", stop);
  const sign = (): void => {
    if (!outgoing.writableNeedDrain) outgoing.write(heartbeat);
  };
  const beat = heartbeat === undefined ? undefined : setInterval(sign, LIMITS.heartbeatMs);
  try {
    for await (const piece of pieces) {
      if (!outgoing.write(piece)) await drained(outgoing);
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
