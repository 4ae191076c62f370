import { Failure, LIMITS, type Price } from "../protocol/index.ts";
import { bounded, fullRates, type FullRates, times } from "./cost.ts";
import { ceiling } from "./decimal.ts";
import type { RequestFacts } from "./request.ts";

/** The most that a request can cost (micro-USD), and the most tokens it can use. */
interface WorstCase {
  readonly amount: number;
  readonly input: number;
  readonly output: number;
}

/** Prices are per million tokens, place surcharges in percent. */
const PER = 1_000_000n * 100n;

/** Tools that a provider runs, with a known price. OpenAI's `preview` ones cost more for some models. */
const SEARCH = /^web_search(?:_\d[\d_]*)?$/;
const FETCH = /^web_fetch(?:_\d[\d_]*)?$/;

/**
 * The most that a request can cost. No usage that a provider can report for it costs more (`costOf`). A Failure if that
 * is unknown: `invalid_request` when the caller can fix it, `model_unpriced` when a price is missing.
 */
export function worstCase(price: Price, facts: RequestFacts): WorstCase | Failure {
  if (isFree(price)) return freeCase(price, facts);
  const uses = serverUses(price, facts);
  if (uses instanceof Failure) return uses;
  const first = inputBound(price, facts);
  if (first instanceof Failure) return first;
  const summary = summaryBound(price, facts);
  if (summary instanceof Failure) return summary;
  const input = bounded(BigInt(first) + times(uses.total + facts.compactions, price.context_tokens ?? 0));
  const rates = dearestRates(price, input, facts.cacheWrite);
  const answer = answerBound(price, facts);
  if (answer === undefined && rates.output > 0) {
    return new Failure("invalid_request", "Set max_tokens: without it nobody can say what this request may cost.");
  }
  // After each use of a provider's own tool the model continues, perhaps with as much output again.
  const answers = times(answer ?? 0, facts.answers) * (BigInt(uses.total) + 1n);
  const output = bounded(answers + times(facts.compactions, summary));
  const micros = times(input, rates.input) + times(output, rates.output);
  const tokens = ceiling(micros * BigInt(Math.ceil(facts.placePercent)), PER);
  return { amount: bounded(tokens + times(uses.searches, price.web_search ?? 0)), input, output };
}

/** Whether everything is free at this price. */
export function isFree(price: Price): boolean {
  const tiers = [price, ...(price.tiers ?? [])].map(fullRates);
  return (price.web_search ?? 0) === 0 && tiers.every((rates) => Object.values(rates).every((rate) => rate === 0));
}

/** Free whatever it does, so nothing is refused; tokens are still bounded for callers that count them. */
function freeCase(price: Price, facts: RequestFacts): WorstCase {
  const known = price.context_tokens === undefined ? { ...facts, opaque: 0, remote: undefined } : facts;
  const input = inputBound(price, known);
  const output = bounded(times(answerBound(price, facts) ?? 0, facts.answers));
  return { amount: 0, input: input instanceof Failure ? 0 : input, output };
}

/** How often the provider's own tools may be used; each use adds a round of the model. */
function serverUses(
  price: Price,
  facts: RequestFacts,
): { readonly total: number; readonly searches: number } | Failure {
  if (facts.tier !== undefined) {
    return unpriced(`the tier "${facts.tier}" has no price`, "ask for the usual tier");
  }
  let [total, searches] = [0, 0];
  for (const { type, maxUses = LIMITS.serverToolUses } of facts.serverTools) {
    if (!SEARCH.test(type) && !FETCH.test(type)) {
      return unpriced(`the provider's tool "${type}" has no price`, "leave it out");
    }
    if (SEARCH.test(type)) searches += maxUses;
    total += maxUses;
  }
  if (searches > 0 && price.web_search === undefined) {
    return unpriced("this model's web search has no price", "leave the tool out, or set `web_search` in its price");
  }
  if (total > 0 && price.context_tokens === undefined) return windowUnknown("the provider's own tools");
  return { total: Math.min(total, Number.MAX_SAFE_INTEGER), searches: Math.min(searches, Number.MAX_SAFE_INTEGER) };
}

/** Input tokens of one round. */
function inputBound(price: Price, facts: RequestFacts): number | Failure {
  const window = price.context_tokens ?? Number.MAX_SAFE_INTEGER;
  const pictures = facts.images * (price.image_tokens ?? LIMITS.imageTokens);
  const written = facts.bytes + LIMITS.preambleTokens + pictures;
  // If input cannot be counted before the request, only the model's window bounds it.
  if (facts.remote !== undefined) return price.context_tokens ?? windowUnknown(`\`${facts.remote}\``);
  if (facts.counted !== undefined) {
    const margin = LIMITS.countMarginTokens + Math.ceil((facts.counted * LIMITS.countMarginPercent) / 100);
    return Math.min(window, facts.counted + margin, facts.opaque > 0 ? window : written);
  }
  if (facts.opaque === 0) return Math.min(window, written);
  return price.context_tokens ?? windowUnknown("documents, files and what the provider fetches");
}

/** Tokens of one summary that the provider writes; 0 if it writes none. */
function summaryBound(price: Price, { compactions }: RequestFacts): number | Failure {
  if (compactions === 0) return 0;
  if (price.context_tokens === undefined) return windowUnknown("a summary of the conversation");
  return Math.min(price.output_tokens ?? price.context_tokens, price.context_tokens);
}

/** Tokens of one answer; absent: unknown. */
function answerBound(price: Price, facts: RequestFacts): number | undefined {
  const asked = facts.maxOutput ?? price.output_tokens;
  return asked === undefined ? undefined : Math.min(asked, price.context_tokens ?? asked);
}

/** The highest rates that could apply to up to `input` tokens of any kind. */
function dearestRates(
  price: Price,
  input: number,
  cacheWrite: RequestFacts["cacheWrite"],
): Pick<FullRates, "input" | "output"> {
  const reachable = [price, ...(price.tiers ?? []).filter(({ above }) => above < input)].map(fullRates);
  const inputs = reachable.flatMap((rates) => [
    rates.input,
    rates.cache_read,
    // Even if the request asks for none: some providers write to their cache on their own.
    rates.cache_write,
    cacheWrite === "1h" ? rates.cache_write_1h : 0,
  ]);
  return { input: Math.max(...inputs), output: Math.max(...reachable.map(({ output }) => output)) };
}

function windowUnknown(what: string): Failure {
  return unpriced(`with ${what} its input has no bound`, "set `context_tokens` in its price");
}

function unpriced(why: string, next: string): Failure {
  return new Failure("model_unpriced", `Nobody can say what this request may cost: ${why}. Please ${next}.`);
}
