import { z } from "zod";
import { Failure } from "../failure.ts";
import { LIMITS } from "../limits.ts";

/** What a hit was found in. `call`: a tool's name, what went into it and what came out. */
export const HitKind = z.enum(["prompt", "message", "thought", "call", "summary", "error"]);
export type HitKind = z.infer<typeof HitKind>;

/** One prompt, message or call with all words of a search. */
export const SearchHit = z.object({
  session_id: z.string(),
  /** The session's title. */
  title: z.string(),
  /** The event that holds it: `#seq-12` of the session's page. */
  seq: z.number().int().positive(),
  at: z.string(),
  kind: HitKind,
  /** Of a call. */
  tool: z.string().optional(),
  /** The text around the first of the words. */
  snippet: z.string(),
  /** Where the words are in `snippet`: start and end, in UTF-16 units. */
  marks: z.array(z.tuple([z.number().int(), z.number().int()])),
});
export type SearchHit = z.infer<typeof SearchHit>;

export const SearchPage = z.object({
  /** Newest first. */
  hits: z.array(SearchHit),
  /** Pass it as `cursor` for older ones; absent: there are no more. A page may be short, or empty, and have one. */
  next: z.string().optional(),
  /** False: the index has not reached the newest events yet; ask again in a moment. */
  complete: z.boolean(),
});
export type SearchPage = z.infer<typeof SearchPage>;

export interface TextSearchQuery {
  readonly q: string;
  /** Only this conversation, with what a fork began with. Absent: all that the caller may read. */
  readonly session?: string;
  /** Absent: 20. */
  readonly limit?: number;
  readonly cursor?: string;
}

/** A word, or several that follow each other. */
export interface SearchTerm {
  readonly words: readonly string[];
  /** The last word may go on: what is typed so far. */
  readonly isPrefix: boolean;
}

const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

/** All terms of a search must be found. `"…"` wants exactly these words; other words may be the beginning of longer ones. */
export function searchTerms(text: string): readonly SearchTerm[] {
  if (text.length > LIMITS.searchChars)
    throw new Failure("invalid_request", `a search has at most ${LIMITS.searchChars} characters; shorten it`);
  const parts = [...text.matchAll(/"([^"]*)"?|[^\s"]+/gu)];
  const terms = parts.flatMap(([whole, quoted]) => {
    const words = (quoted ?? whole).match(WORD) ?? [];
    // One letter is the beginning of too many words.
    const isPrefix = quoted === undefined && (words.at(-1)?.length ?? 0) > 1;
    return words.length === 0 ? [] : [{ words, isPrefix }];
  });
  if (terms.length === 0)
    throw new Failure("invalid_request", "a search needs a word: letters or digits, such as `npm test`");
  if (terms.flatMap(({ words }) => words).length > LIMITS.searchWords)
    throw new Failure("invalid_request", `a search has at most ${LIMITS.searchWords} words; leave some out`);
  return terms;
}
