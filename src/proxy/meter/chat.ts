import { LIMITS } from "../../protocol/index.ts";
import { EventScanner, type EventFilter } from "./events.ts";
import { Gather } from "./gather.ts";
import type { Meter, MeterEnd } from "./meter.ts";
import { readChatUsage, readChoices } from "./openai.ts";
import { fieldsOf, parseFields, MeterTally, type UsageFields } from "./tally.ts";

const DONE = "[DONE]";
const USAGE = Buffer.from('"usage"');
const ERROR = Buffer.from('"error"');
/** Not the `null` of other events. */
const FINISHED = ['"finish_reason":"', '"finish_reason": "'].map((text) => Buffer.from(text));
const OPENING_BRACE = 123;
const OPENING_BRACKET = 91;
const COLON = 58;
const LF = 10;
const CR = 13;
const EMPTY: Buffer = Buffer.alloc(0);
const WHITE = new Set([32, 9, 10, 13]);

const FILTER: EventFilter = {
  names: [],
  mayMatter: (data) =>
    data[0] === OPENING_BRACKET || hasUsage(data) || data.includes(ERROR) || FINISHED.some((end) => data.includes(end)),
};

/** `"usage":{`, not the `"usage":null` of other events. */
function hasUsage(data: Buffer): boolean {
  for (let at = data.indexOf(USAGE); at !== -1; at = data.indexOf(USAGE, at + 1)) {
    let next = at + USAGE.length;
    while (WHITE.has(data[next] ?? 0) || data[next] === COLON) next += 1;
    if (data[next] === OPENING_BRACE) return true;
  }
  return false;
}

export interface ChatOptions {
  /** The caller did not ask for the usage-only event and does not get it. */
  readonly hideUsage: boolean;
  readonly searching: boolean;
}

/** Reads the usage of a streamed chat completion as it passes. */
export class ChatMeter implements Meter {
  readonly tally = new MeterTally();
  began = false;
  end: MeterEnd | undefined = undefined;
  /** Absent if nothing is hidden. */
  readonly endEvent?: (end: number) => void;
  readonly #searching: boolean;
  readonly #veil: Veil | undefined;
  readonly #scanner: EventScanner;

  constructor({ hideUsage, searching }: ChatOptions) {
    this.#searching = searching;
    if (hideUsage) {
      const veil = new Veil();
      this.#veil = veil;
      this.endEvent = (end) => veil.endEvent(end);
    }
    this.#scanner = new EventScanner(FILTER, this);
  }

  feed(piece: Buffer): Buffer | undefined {
    this.#veil?.begin(piece);
    this.#scanner.feed(piece);
    return this.#veil === undefined ? piece : this.#veil.passed();
  }

  finish(): Buffer | undefined {
    this.#scanner.end();
    return this.#veil?.rest();
  }

  take(data: Buffer): void {
    if (this.end !== undefined) return;
    if (data[0] === OPENING_BRACKET && data.toString().trim() === DONE) {
      this.tally.isFinal = this.tally.output !== undefined;
      this.end = "completed";
      return;
    }
    const event = parseFields(data);
    if (event === undefined) return;
    readChoices(event, this.tally);
    if (readChatUsage(event["usage"], this.tally, this.#searching)) {
      this.tally.isFinal ||= isLast(event);
      if (isEmptyList(event["choices"])) this.#veil?.hide();
    } else if (isError(event)) {
      this.began = this.#scanner.events > 0;
      this.end = "error";
    }
  }
}

/** Forwards a stream event by event, except the hidden ones. */
class Veil {
  /** An event whose end has not arrived yet. */
  readonly #open = new Gather(LIMITS.proxyEventBytes);
  /** It is too long to be a hidden one: its beginning has been forwarded. */
  #passing = false;
  #hidden = false;
  /** The last event ended with a carriage return at the end of the piece: a following line feed belongs to it. */
  #tail: "passed" | "hidden" | undefined;
  #piece = EMPTY;
  /** Offsets in the piece: where forwarded bytes begin, and where the open event begins. */
  #from = 0;
  #event = 0;
  #out: Buffer[] = [];

  begin(piece: Buffer): void {
    this.#piece = piece;
    const hasTail = this.#tail !== undefined && piece[0] === LF;
    this.#from = hasTail && this.#tail === "hidden" ? 1 : 0;
    this.#event = hasTail ? 1 : 0;
    this.#tail = undefined;
    this.#out = [];
  }

  hide(): void {
    this.#hidden = !this.#passing;
  }

  endEvent(end: number): void {
    if (this.#hidden) {
      this.#open.clear();
      this.#pass(this.#event);
      this.#from = end;
    } else if (this.#open.length > 0) {
      this.#out.push(this.#open.take());
    }
    this.#event = end;
    if (end === this.#piece.length && this.#piece[end - 1] === CR) this.#tail = this.#hidden ? "hidden" : "passed";
    this.#hidden = false;
    this.#passing = false;
  }

  /** What the caller gets of the piece. */
  passed(): Buffer | undefined {
    const rest = this.#piece.length - this.#event;
    if (rest > 0 && !this.#passing && this.#open.length + rest > LIMITS.proxyEventBytes) {
      this.#out.push(this.#open.take());
      this.#passing = true;
    }
    this.#pass(this.#passing ? this.#piece.length : this.#event);
    if (rest > 0 && !this.#passing) this.#open.add(this.#piece.subarray(this.#event));
    const [first] = this.#out;
    return first === undefined || this.#out.length === 1 ? first : Buffer.concat(this.#out);
  }

  /** What remains when the stream has ended. */
  rest(): Buffer | undefined {
    const rest = this.#open.take();
    return this.#hidden || rest.length === 0 ? undefined : rest;
  }

  #pass(end: number): void {
    if (end > this.#from) this.#out.push(this.#piece.subarray(this.#from, end));
    this.#from = end;
  }
}

/** Whether this is the final usage: some providers report a growing usage in every event. */
function isLast(event: UsageFields): boolean {
  const { choices } = event;
  if (!Array.isArray(choices)) return false;
  return choices.every((choice) => typeof fieldsOf(choice)["finish_reason"] === "string");
}

function isError(event: UsageFields): boolean {
  return event["error"] !== undefined && event["error"] !== null && event["choices"] === undefined;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
