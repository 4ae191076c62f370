import type { TokenCount } from "../../protocol/index.ts";

/** What a provider has told of its usage so far. */
export interface Tally {
  /** Absent: it has not told. */
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly cache_write_1h: number;
  readonly reasoning: number;
  readonly web_searches: number;
  /** Nothing is added any more. */
  readonly final: boolean;
}

export const NOTHING_TOLD: Tally = {
  cache_read: 0,
  cache_write: 0,
  cache_write_1h: 0,
  reasoning: 0,
  web_searches: 0,
  final: false,
};

/** What was told, as far as it was. */
export function tokensOf(tally: Tally): TokenCount {
  const { input = 0, output = 0, cache_read, cache_write, cache_write_1h, reasoning, web_searches } = tally;
  return { input, output, cache_read, cache_write, cache_write_1h, reasoning, web_searches };
}

export type Fields = Readonly<Record<string, unknown>>;

/** An object's fields; none when it is something else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** A count; undefined when it is absent or none. */
export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** The fields of a JSON text; undefined when it is none. */
export function parseFields(text: Buffer): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(text.toString()));
  } catch {
    return undefined;
  }
}
