import { EventScanner, type EventFilter } from "./events.ts";
import type { Meter, MeterEnd } from "./meter.ts";
import { countOf, fieldsOf, parseFields, MeterTally, wordOf, type UsageFields } from "./tally.ts";

/**
 * Each reported figure replaces the earlier one. Returns true if the output is among them. `long`: the request may have
 * written one-hour cache entries.
 */
function addUsage(tally: MeterTally, usage: unknown, long: boolean): boolean {
  const fields = fieldsOf(usage);
  const output = figure(fields, "output_tokens");
  tally.output = output ?? tally.output;
  tally.input = figure(fields, "input_tokens") ?? tally.input;
  tally.cache_read = figure(fields, "cache_read_input_tokens") ?? tally.cache_read;
  const written = figure(fields, "cache_creation_input_tokens");
  if (written !== undefined) addCacheWrites(tally, written, fieldsOf(fields["cache_creation"]), long);
  const details = fields["output_tokens_details"];
  if (details !== undefined) tally.reasoning = countOf(fieldsOf(details)["thinking_tokens"]) ?? tally.reasoning;
  const tools = fields["server_tool_use"];
  if (tools !== undefined) tally.web_searches = countOf(fieldsOf(tools)["web_search_requests"]) ?? tally.web_searches;
  return output !== undefined;
}

/**
 * If a request was sampled several times (after a compaction), each sample is in `iterations`. The figures beside it
 * are those of the last one only.
 */
function figure(usage: UsageFields, name: string): number | undefined {
  const told = countOf(usage[name]);
  const { iterations } = usage;
  if (!Array.isArray(iterations)) return told;
  let total = 0;
  for (const iteration of iterations) total += countOf(fieldsOf(iteration)[name]) ?? 0;
  return told === undefined && total === 0 ? undefined : Math.max(told ?? 0, total);
}

/** Unspecified cache writes get the longest lifetime that the request may have asked for, unless it was reported before. */
function addCacheWrites(tally: MeterTally, written: number, split: UsageFields, long: boolean): void {
  const short = countOf(split["ephemeral_5m_input_tokens"]);
  const hour = countOf(split["ephemeral_1h_input_tokens"]);
  if (short === undefined && hour === undefined && tally.cache_write + tally.cache_write_1h === written) return;
  const rest = Math.max(0, written - (short ?? 0) - (hour ?? 0));
  tally.cache_write = (short ?? 0) + (long ? 0 : rest);
  tally.cache_write_1h = (hour ?? 0) + (long ? rest : 0);
}

/** The whole answer of a request without streaming. */
export function readMessage(answer: UsageFields, tally: MeterTally, long: boolean): void {
  addUsage(tally, answer["usage"], long);
  tally.names(answer);
  tally.finishReason = wordOf(answer["stop_reason"]);
  tally.isFinal = true;
}

const NONE: UsageFields = {};
const NAMES = ["message_start", "message_delta", "message_stop", "error", "ping"] as const;
const QUOTED = NAMES.map((name) => Buffer.from(`"${name}"`));
const FILTER: EventFilter = {
  names: NAMES,
  mayMatter: (data) => QUOTED.some((name) => data.includes(name)),
};

/** Reads the usage of a streamed message as it passes. */
export class MessagesMeter implements Meter {
  readonly tally = new MeterTally();
  began = false;
  end: MeterEnd | undefined = undefined;
  readonly #long: boolean;
  readonly #scanner: EventScanner;
  /** The output was reported after some of it had arrived. The figure in the first event is only a start. */
  #isCounted = false;
  /** Keep-alive events, which cost nothing. */
  #pings = 0;

  constructor(long: boolean) {
    this.#long = long;
    this.#scanner = new EventScanner(FILTER, this);
  }

  feed(piece: Buffer): Buffer {
    this.#scanner.feed(piece);
    return piece;
  }

  finish(): undefined {
    this.#scanner.end();
  }

  take(data: Buffer, name: string | undefined): void {
    if (this.end !== undefined) return;
    // These two carry nothing but their name.
    const event = name === "message_stop" || name === "ping" ? NONE : (parseFields(data) ?? NONE);
    switch (name ?? event["type"]) {
      case "message_start":
        addUsage(this.tally, fieldsOf(event["message"])["usage"], this.#long);
        this.tally.names(fieldsOf(event["message"]));
        break;
      case "message_delta":
        if (addUsage(this.tally, event["usage"], this.#long)) this.#isCounted = true;
        if (typeof fieldsOf(event["delta"])["stop_reason"] === "string") this.tally.isFinal = this.#isCounted;
        this.tally.finishReason = wordOf(fieldsOf(event["delta"])["stop_reason"]) ?? this.tally.finishReason;
        break;
      case "message_stop":
        this.tally.isFinal = this.#isCounted;
        this.end = "completed";
        break;
      case "ping":
        this.#pings += 1;
        break;
      case "error":
        this.began = this.#scanner.events > this.#pings;
        this.end = "error";
        break;
      default:
        break;
    }
  }
}
