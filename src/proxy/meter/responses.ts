import { EventScanner, type EventFilter } from "./events.ts";
import type { Meter, MeterEnd } from "./meter.ts";
import { readResponse } from "./openai.ts";
import { fieldsOf, parseFields, MeterTally } from "./tally.ts";

const NAMES = ["response.completed", "response.incomplete", "response.failed", "response.cancelled", "error"] as const;
const QUOTED = NAMES.map((name) => Buffer.from(`"${name}"`));
const FILTER: EventFilter = {
  names: NAMES,
  mayMatter: (data) => QUOTED.some((name) => data.includes(name)),
};

/** Reads the usage of a streamed response as it passes. It is reported once, at the end. */
export class ResponsesMeter implements Meter {
  readonly tally = new MeterTally();
  began = false;
  end: MeterEnd | undefined = undefined;
  readonly #scanner: EventScanner = new EventScanner(FILTER, this);

  feed(piece: Buffer): Buffer {
    this.#scanner.feed(piece);
    return piece;
  }

  finish(): undefined {
    this.#scanner.end();
  }

  take(data: Buffer, name: string | undefined): void {
    if (this.end !== undefined) return;
    const event = parseFields(data) ?? {};
    const type = name ?? event["type"];
    switch (type) {
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled":
        this.began = true;
        readResponse(fieldsOf(event["response"]), this.tally);
        this.end = type === "response.failed" ? "error" : "completed";
        break;
      case "error":
        this.began = this.#scanner.events > 0;
        this.end = "error";
        break;
      default:
        break;
    }
  }
}
