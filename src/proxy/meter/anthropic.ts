import { EventScanner, type EventWish } from "./events.ts";
import type { Meter, MeterEnd } from "./meter.ts";
import { countOf, fieldsOf, NOTHING_TOLD, parseFields, type Fields, type Tally } from "./tally.ts";

/** `long`: the request may have written cache entries that live for an hour. */
export function addMessagesUsage(before: Tally, usage: unknown, long: boolean): Tally {
  const fields = fieldsOf(usage);
  const read = sum(fields, "cache_read_input_tokens");
  const written = sum(fields, "cache_creation_input_tokens");
  const searches = countOf(fieldsOf(fields["server_tool_use"])["web_search_requests"]);
  return {
    ...before,
    input: sum(fields, "input_tokens") ?? before.input,
    output: sum(fields, "output_tokens") ?? before.output,
    cache_read: read ?? before.cache_read,
    ...(written === undefined ? {} : cacheWrites(before, written, fieldsOf(fields["cache_creation"]), long)),
    reasoning: countOf(fieldsOf(fields["output_tokens_details"])["thinking_tokens"]) ?? before.reasoning,
    web_searches: searches ?? before.web_searches,
  };
}

/**
 * Where one request was sampled several times (a conversation that was made shorter on the way), each time stands in
 * `iterations`, and the figures beside it are those of the last one only.
 */
function sum(usage: Fields, name: string): number | undefined {
  const told = countOf(usage[name]);
  const { iterations } = usage;
  if (!Array.isArray(iterations)) return told;
  let total = 0;
  for (const iteration of iterations) total += countOf(fieldsOf(iteration)[name]) ?? 0;
  return told === undefined && total === 0 ? undefined : Math.max(told ?? 0, total);
}

/** What is not told apart lives as long as the request may have asked for, or as long as what was written before. */
function cacheWrites(
  before: Tally,
  written: number,
  split: Fields,
  long: boolean,
): Pick<Tally, "cache_write" | "cache_write_1h"> {
  const short = countOf(split["ephemeral_5m_input_tokens"]);
  const hour = countOf(split["ephemeral_1h_input_tokens"]);
  if (short === undefined && hour === undefined) {
    const known = before.cache_write + before.cache_write_1h;
    if (known === written) return { cache_write: before.cache_write, cache_write_1h: before.cache_write_1h };
    return long ? { cache_write: 0, cache_write_1h: written } : { cache_write: written, cache_write_1h: 0 };
  }
  const rest = Math.max(0, written - (short ?? 0) - (hour ?? 0));
  return { cache_write: (short ?? 0) + (long ? 0 : rest), cache_write_1h: (hour ?? 0) + (long ? rest : 0) };
}

/** The whole answer of a request that was not streamed. */
export function messagesAnswer(answer: Fields, long: boolean): Tally | undefined {
  if (answer["type"] !== "message" && answer["usage"] === undefined) return undefined;
  return { ...addMessagesUsage(NOTHING_TOLD, answer["usage"], long), final: true };
}

const NAMES = ["message_start", "message_delta", "message_stop", "error"] as const;
const QUOTED = NAMES.map((name) => Buffer.from(`"${name}"`));
const WISH: EventWish = {
  names: NAMES,
  mayMatter: (data) => QUOTED.some((name) => data.includes(name)),
};

/** Reads the usage of a streamed message on its way. */
export class MessagesMeter implements Meter {
  tally = NOTHING_TOLD;
  began = false;
  end: MeterEnd | undefined;
  readonly #long: boolean;
  readonly #scanner = new EventScanner(WISH, (data) => this.#take(data));

  constructor(long: boolean) {
    this.#long = long;
  }

  feed(piece: Buffer): Buffer {
    this.#scanner.feed(piece);
    return piece;
  }

  finish(): undefined {
    this.#scanner.end();
  }

  #take(data: Buffer): void {
    if (this.end !== undefined) return;
    const event = parseFields(data);
    switch (event?.["type"]) {
      case "message_start":
        this.began = true;
        this.tally = addMessagesUsage(this.tally, fieldsOf(event["message"])["usage"], this.#long);
        break;
      case "message_delta":
        this.began = true;
        this.tally = addMessagesUsage(this.tally, event["usage"], this.#long);
        if (typeof fieldsOf(event["delta"])["stop_reason"] === "string") this.tally = { ...this.tally, final: true };
        break;
      case "message_stop":
        this.end = "completed";
        break;
      case "error":
        this.end = "error";
        break;
      default:
        break;
    }
  }
}
