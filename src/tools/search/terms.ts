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

/** The words of a text as the index knows them: identifiers and their parts, lower case, without their endings. */
export function termsOf(text: string): readonly string[] {
  const terms: string[] = [];
  for (const [word] of text.matchAll(WORD)) {
    const parts = word.match(PART) ?? [];
    const whole = word.toLowerCase();
    if (parts.length > 1) take(terms, whole);
    for (const part of parts) take(terms, stem(part.toLowerCase()));
  }
  return terms;
}

function take(terms: string[], term: string): void {
  if (term.length >= SHORTEST && term.length <= LONGEST && !COMMON.has(term)) terms.push(term);
}

/** So that `parsing`, `parsed`, `parses` and `parser` meet. No dictionary: it errs on the side of finding more. */
function stem(word: string): string {
  if (word.length < 5) return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
  const cut = word.replace(/(?:ations?|ments?|ings?|ers?|ors?|ed|es|e|s)$/, "");
  const kept = cut.length >= 3 ? cut : word;
  return /([^aeiou])\1$/.test(kept) ? kept.slice(0, -1) : kept;
}
