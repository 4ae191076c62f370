import { LIMITS } from "../../protocol/index.ts";
import { StreamFailure } from "./failure.ts";

/** Splits a stream of server-sent events into the JSON objects that it carries. */
export class EventReader {
  /** The beginning of an event whose end has not arrived. */
  #rest: string[] = [];
  #length = 0;

  /** The events that are complete now. Throws `StreamFailure` at one that is not JSON or too long. */
  *read(chunk: string): Generator<Readonly<Record<string, unknown>>> {
    if (!chunk.includes("\n")) {
      this.#keep(chunk);
      return;
    }
    const text = this.#rest.join("") + chunk;
    this.#rest = [];
    this.#length = 0;
    let start = 0;
    let data = "";
    let at = 0;
    for (let end = text.indexOf("\n", at); end !== -1; end = text.indexOf("\n", at)) {
      const line = text.slice(at, text.charAt(end - 1) === "\r" ? end - 1 : end);
      at = end + 1;
      if (line.startsWith("data:")) data += (data === "" ? "" : "\n") + line.slice(line.charAt(5) === " " ? 6 : 5);
      if (line !== "") continue;
      if (data !== "") yield parse(data);
      data = "";
      start = at;
    }
    this.#keep(text.slice(start));
  }

  #keep(piece: string): void {
    this.#length += piece.length;
    if (this.#length > LIMITS.modelEventChars)
      throw new StreamFailure(`an event is longer than ${LIMITS.modelEventChars} characters`);
    if (piece !== "") this.#rest.push(piece);
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
