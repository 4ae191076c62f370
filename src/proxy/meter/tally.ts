import { LIMITS, type TokenCount } from "../../protocol/index.ts";

/** The usage that a provider has reported so far. */
export class MeterTally {
  /** Undefined: not reported. */
  input: number | undefined = undefined;
  output: number | undefined = undefined;
  cache_read = 0;
  cache_write = 0;
  cache_write_1h = 0;
  reasoning = 0;
  web_searches = 0;
  /** No more will be added. */
  isFinal = false;
  /** What the provider reports about its answer; undefined: nothing. */
  responseId: string | undefined = undefined;
  responseModel: string | undefined = undefined;
  finishReason: string | undefined = undefined;

  /** Reads the id and the model of an answer, or of an event that names them. */
  names(answer: UsageFields): void {
    this.responseId ??= wordOf(answer["id"]);
    this.responseModel ??= wordOf(answer["model"]);
  }

  /** What was reported. */
  tokens(): TokenCount {
    return {
      input: this.input ?? 0,
      output: this.output ?? 0,
      cache_read: this.cache_read,
      cache_write: this.cache_write,
      cache_write_1h: this.cache_write_1h,
      reasoning: this.reasoning,
      web_searches: this.web_searches,
    };
  }
}

export type UsageFields = Readonly<Record<string, unknown>>;

const NONE: UsageFields = {};

/** An object's fields; empty when it is something else. */
export function fieldsOf(value: unknown): UsageFields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as UsageFields) : NONE;
}

/** A short text from the provider, such as an id; undefined when it is absent or something else. */
export function wordOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, LIMITS.answerWordChars) : undefined;
}

/** A count; undefined when it is absent or not a count. */
export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** The fields of a JSON text; undefined when it is not one. */
export function parseFields(text: Buffer): UsageFields | undefined {
  try {
    return fieldsOf(JSON.parse(text.toString()));
  } catch {
    return undefined;
  }
}
