import { CLIENT_LIMITS } from "../protocol/limits/client.ts";
import { SseReader, type SseEvent } from "../protocol/connections/sse.ts";

/** Each event of an answer that is a server-sent event stream. */
export async function* readSse(body: ReadableStream<Uint8Array>): AsyncGenerator<SseEvent> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const events = new SseReader(CLIENT_LIMITS.streamEventChars, Error);
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
      yield* events.read(decoder.decode(chunk.value, { stream: true }));
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
