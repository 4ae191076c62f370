import type { ServerResponse } from "node:http";
import { LIMITS } from "../protocol/index.ts";
import type { Frame } from "../sessions/index.ts";

/** For every answer that is written in pieces; the app's own headers do not reach it. */
export const STREAM_HEADERS = {
  "cache-control": "no-store",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
} as const;

/** Writes a stream until it ends or the reader goes. Waits for a slow reader, which then reads on from the store. */
export async function writeSse(
  outgoing: ServerResponse,
  frames: AsyncIterable<Frame[]>,
  stop: () => void,
): Promise<void> {
  outgoing.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", ...STREAM_HEADERS });
  outgoing.flushHeaders();
  outgoing.once("close", stop);
  const heartbeat = setInterval(() => {
    // A reader that has unread data needs no keep-alive.
    if (!outgoing.writableNeedDrain) outgoing.write(": alive\n\n");
  }, LIMITS.heartbeatMs);
  try {
    for await (const batch of frames) {
      const hasRoom = outgoing.write(textOf(batch));
      batch.length = 0;
      if (!hasRoom) await drained(outgoing);
      if (outgoing.destroyed) return;
    }
  } finally {
    clearInterval(heartbeat);
    stop();
    outgoing.end();
  }
}

function textOf(batch: readonly Frame[]): string {
  let text = "";
  for (const frame of batch) text += frame.sse;
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
