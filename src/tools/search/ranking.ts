import { setImmediate as nextTurn } from "node:timers/promises";
import { LIMITS } from "../../protocol/index.ts";
import type { IndexedPart } from "./code-index.ts";

/** What the weight of a term depends on. Terms are named by their numbers. */
export interface TermFigures {
  readonly parts: number;
  readonly averageLength: number;
  /** In how many parts it stands. */
  readonly holding: (term: number) => number;
}

export interface ScoredPart {
  readonly part: IndexedPart;
  readonly score: number;
}

/** BM25's usual constants. */
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;
/** How many of the best parts say which words stand beside those of the query, how many words are taken, and what they weigh together. */
const FEEDBACK_PARTS = 8;
const FEEDBACK_TERMS = 12;
const FEEDBACK_WEIGHT = 0.25;
/** How much the rest of its file counts for a part, and how much it counts that a part has many words of the query instead of one often. */
const FILE_WEIGHT = 0.3;
const COVERAGE_WEIGHT = 0.5;
/** A word that stands in a greater share of all parts tells nothing apart. */
const FEEDBACK_SHARE = 0.1;

export function inverseFrequency(holding: number, all: number): number {
  return Math.log(1 + (all - holding + 0.5) / (holding + 0.5));
}

/** What a term of the query is worth, by its number; 0: it is none of them. An array, because every term of every part is looked up. */
function worthOf(weights: ReadonlyMap<number, number>, { parts, holding }: TermFigures): Float64Array {
  const worth = new Float64Array(Math.max(0, ...weights.keys()) + 1);
  for (const [term, weight] of weights) worth[term] = weight * inverseFrequency(holding(term), parts);
  return worth;
}

/**
 * The parts that have a term of the query, best first. What the rest of a file says counts for each of its parts. Other work of the
 * server gets its turn meanwhile.
 */
export async function scored(
  files: Iterable<readonly IndexedPart[]>,
  weights: ReadonlyMap<number, number>,
  figures: TermFigures,
): Promise<readonly ScoredPart[]> {
  const worth = worthOf(weights, figures);
  const most = worth.reduce((sum, value) => sum + value, 0);
  const found: ScoredPart[] = [];
  let looked = 0;
  for (const parts of files) {
    looked += parts.length;
    if (looked > LIMITS.searchCodePartsPerTurn) {
      looked = 0;
      await nextTurn();
    }
    const own = parts.map((part) => ({ part, score: scoreOf(part, worth, { figures, most }) }));
    const best = own.reduce((sum, { score }) => Math.max(sum, score), 0);
    const whole = own.reduce((sum, { score }) => sum + score, 0) / Math.sqrt(parts.length);
    for (const { part, score } of own) {
      if (score > 0) found.push({ part, score: score + FILE_WEIGHT * Math.min(whole, best * 2) });
    }
  }
  return found.toSorted((one, other) => other.score - one.score || byPlace(one.part, other.part));
}

function scoreOf(
  { terms, counts, length }: IndexedPart,
  worth: Float64Array,
  { figures, most }: { readonly figures: TermFigures; readonly most: number },
): number {
  const norm = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / Math.max(1, figures.averageLength));
  let score = 0;
  let covered = 0;
  for (let at = 0; at < terms.length; at += 1) {
    const value = worth[terms[at] ?? 0] ?? 0;
    if (value === 0) continue;
    const count = counts[at] ?? 0;
    score += (value * count * (SATURATION + 1)) / (count + norm);
    covered += value;
  }
  return score * (1 - COVERAGE_WEIGHT + (COVERAGE_WEIGHT * covered) / Math.max(most, Number.MIN_VALUE));
}

function byPlace(one: IndexedPart, other: IndexedPart): number {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1;
  return one.from - other.from;
}

/** Words that stand in the best parts and in few others: they are likely to be about the same. */
export function feedbackTerms(
  best: readonly ScoredPart[],
  query: ReadonlyMap<number, number>,
  { parts: all, holding }: TermFigures,
): ReadonlyMap<number, number> {
  const top = best.slice(0, FEEDBACK_PARTS);
  const sum = top.reduce((total, { score }) => total + score, 0);
  const worth = new Map<number, number>();
  for (const { part, score } of top) {
    for (let at = 0; at < part.terms.length; at += 1) {
      const term = part.terms[at] ?? -1;
      if (query.has(term) || holding(term) > all * FEEDBACK_SHARE || holding(term) < 2) continue;
      const share = (part.counts[at] ?? 0) / Math.max(1, part.length);
      const more = (score / sum) * Math.min(1, share) * inverseFrequency(holding(term), all);
      worth.set(term, (worth.get(term) ?? 0) + more);
    }
  }
  const chosen = [...worth].toSorted((one, other) => other[1] - one[1]).slice(0, FEEDBACK_TERMS);
  const most = chosen[0]?.[1] ?? 1;
  return new Map(chosen.map(([term, value]) => [term, (FEEDBACK_WEIGHT * value) / most]));
}
