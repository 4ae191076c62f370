import type { ExactTexts, TextColumn } from "./column.ts";
import { compareDecimals } from "./decimal.ts";
import { radixSort } from "./radix.ts";

const collator = new Intl.Collator("en");
// Columns never change, so their order holds.
const known = new WeakMap<ExactTexts, Int32Array>();

/** Up to here the order is a dictionary's; more texts are ordered by their plain letters, which takes a tenth of the time. */
const COLLATED = 50_000;

/** By category code its place in the order of words: accents and capital letters beside their plain ones; whole numbers by size. */
export function rankOfCategories(column: TextColumn): Int32Array {
  const found = known.get(column);
  if (found !== undefined) return found;
  return keptRanks(column, orderOf(column));
}

/** By code its place in the order of exact decimal numbers. */
export function rankOfExact(exact: ExactTexts): Int32Array {
  const found = known.get(exact);
  if (found !== undefined) return found;
  const { categories } = exact;
  const codes = new Int32Array(categories.length).map((_, code) => code);
  return keptRanks(
    exact,
    codes.sort((left, right) => compareDecimals(categories[left] ?? "", categories[right] ?? "")),
  );
}

function keptRanks(texts: ExactTexts, order: Int32Array): Int32Array {
  const ranks = new Int32Array(order.length);
  for (let rank = 0; rank < order.length; rank += 1) ranks[order[rank] ?? 0] = rank;
  known.set(texts, ranks);
  return ranks;
}

/** The codes in order. */
function orderOf({ type, categories }: TextColumn): Int32Array {
  if (type === "string" && categories.length > COLLATED) return orderOfMany(categories);
  const codes = new Int32Array(categories.length).map((_, code) => code);
  if (type === "string")
    return codes.sort((left, right) => collator.compare(categories[left] ?? "", categories[right] ?? ""));
  const numbers = categories.map((text) => BigInt(text));
  return codes.sort((left, right) => compare(numbers[left] ?? 0n, numbers[right] ?? 0n));
}

function compare<Value extends bigint | string>(left: Value, right: Value): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

// oxlint-disable-next-line no-control-regex
const PLAIN = /^[\u0000-\u007f]*$/;

function plainLetters(text: string): string {
  return PLAIN.test(text) ? text.toLowerCase() : text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** First by the four letters behind what all begin with, all at once; then those that are alike in them, letter by letter. */
function orderOfMany(categories: readonly string[]): Int32Array {
  const keys = categories.map(plainLetters);
  const start = commonStart(keys);
  const high = new Uint32Array(keys.length);
  const low = new Uint32Array(keys.length);
  keys.forEach((key, code) => {
    high[code] = pair(key, start);
    low[code] = pair(key, start + 2);
  });
  const order = radixSort(
    new Int32Array(keys.length).map((_, code) => code),
    [low, high],
  );
  const isAlike = (left: number, right: number): boolean => high[left] === high[right] && low[left] === low[right];
  const byLetters = (left: number, right: number): number =>
    compare(keys[left] ?? "", keys[right] ?? "") || compare(categories[left] ?? "", categories[right] ?? "");
  for (let from = 0; from < order.length;) {
    let to = from + 1;
    while (to < order.length && isAlike(order[from] ?? 0, order[to] ?? 0)) to += 1;
    if (to - from > 1) order.subarray(from, to).sort(byLetters);
    from = to;
  }
  return order;
}

function commonStart(keys: readonly string[]): number {
  const first = keys[0] ?? "";
  let length = first.length;
  for (const key of keys) {
    if (key.startsWith(first.slice(0, length))) continue;
    let same = 0;
    while (same < length && key.charCodeAt(same) === first.charCodeAt(same)) same += 1;
    length = same;
  }
  return length;
}

/** Two letters as one number; a text that has ended counts as the least. */
function pair(text: string, at: number): number {
  return ((letterAt(text, at) << 16) | letterAt(text, at + 1)) >>> 0;
}

function letterAt(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : 0;
}
