import { LIMITS } from "../../protocol/index.ts";

/** Words that nearly every file has: they tell nothing apart. */
const COMMON: ReadonlySet<string> = new Set(
  (
    "the a an and or of to in is it for with on as by be are this that from at not if then else when where how what which who does do " +
    "return const let var function class import export new null true false void int string"
  ).split(" "),
);
const SHORTEST = 2;
const LONGEST = 40;
const WORD = /[\p{L}\p{N}_$]+/gu;
/** `parseHTTPRequest2` is parse, HTTP, Request, 2. */
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|[^\p{Lu}\p{Ll}\p{N}_$]+/gu;

/** Words of questions that say nothing about code. */
const ASKING: ReadonlySet<string> = new Set(
  (
    "about after all already also am any anything because been before being both but can cannot could did doing done each every few get " +
    "gets give given go goes going gone had has have having he her here him his i into its just let like made make makes many may me might " +
    "more most much must my no nor now off often once one only other our out over own please same see she should show so some somebody " +
    "someone something still such tell than their them there these they thing things those through too under until up us use used uses " +
    "using very want wants was way we were whether while why will without work works would you your"
  ).split(" "),
);

/** Terms of words that were seen before. */
export type KnownWords = Map<string, readonly string[]>;

/** The words of a text as the index knows them: identifiers and their parts, lower case, without their endings. */
export function termsOf(text: string, known: KnownWords = new Map()): readonly string[] {
  const terms: string[] = [];
  for (const [word] of text.matchAll(WORD)) {
    let own = known.get(word);
    if (own === undefined) {
      own = termsOfWord(word);
      if (known.size >= LIMITS.searchCodeWords) known.clear();
      known.set(word, own);
    }
    for (const term of own) terms.push(term);
  }
  return terms;
}

/** The terms of a question. A question of nothing but such words is taken as it is. */
export function queryTermsOf(query: string): readonly string[] {
  const words = query.match(WORD) ?? [];
  const telling = words.filter((word) => !ASKING.has(word.toLowerCase()) && !COMMON.has(word.toLowerCase()));
  return (telling.length === 0 ? words : telling).flatMap(termsOfWord);
}

function termsOfWord(word: string): readonly string[] {
  const terms: string[] = [];
  const parts = word.match(PART) ?? [];
  if (parts.length > 1) take(terms, word.toLowerCase());
  for (const part of parts) take(terms, stem(part.toLowerCase()));
  return terms;
}

function take(terms: string[], term: string): void {
  if (term.length >= SHORTEST && term.length <= LONGEST && !COMMON.has(term)) terms.push(term);
}

/** So that `parsing`, `parsed`, `parses` and `parser` meet. No dictionary: it errs on the side of finding more. */
export function stem(word: string): string {
  if (word.length < 5) return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
  const cut = word.replace(/(?:ations?|ments?|ings?|ers?|ors?|ed|es|e|s)$/, "");
  const kept = cut.length >= 3 ? cut : word;
  return /([^aeiou])\1$/.test(kept) ? kept.slice(0, -1) : kept;
}
