import { LIMITS, SseReader } from "../../protocol/index.ts";
import { StreamFailure } from "./failure.ts";
import { DONE } from "./wires/chat-reader.ts";

/** Events that only repeat the request, with all of its tools: most of a short answer's bytes. */
const REPEATS = /^\{"type": ?"response\.(?:created|in_progress)"/;

/** Cuts a model's stream into the JSON objects that it carries. The end of a chat completion, which is none, becomes one. */
export class EventReader {
  readonly #events = new SseReader(LIMITS.modelEventChars, StreamFailure);

  /** The events that are complete now. Throws `StreamFailure` at one that is not JSON or too long. */
  *read(chunk: string): Generator<Readonly<Record<string, unknown>>> {
    for (const { data } of this.#events.read(chunk)) {
      if (data === DONE) yield { type: DONE };
      else if (data !== "" && !REPEATS.test(data)) yield parse(data);
    }
  }
}

function parse(data: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    throw new StreamFailure("an event is not valid JSON");
  }
  if (typeof value !== "object" || value === null) throw new StreamFailure("an event is not an object");
  return value as Readonly<Record<string, unknown>>;
}
