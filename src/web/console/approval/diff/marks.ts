import { diffWordsWithSpace } from "diff";

/** From one position in a line up to another, exclusive. */
export type LineSpan = readonly [from: number, to: number];

const MARKED_CHARS = 2_000;
/** Inserted and removed words: with more of them, two lines count as different. Not a time limit, so that the result is deterministic. */
const MARKED_EDITS = 400;
/** Lines that share less than this part of their text are two lines, not one that changed. */
const LIKE = 0.25;

/** Which words of two lines differ. Undefined: too long, or nothing alike, so that marks would say nothing. */
export function wordMarks(
  before: string,
  after: string,
): { readonly before: readonly LineSpan[]; readonly after: readonly LineSpan[] } | undefined {
  if (before.length > MARKED_CHARS || after.length > MARKED_CHARS) return undefined;
  const changes = diffWordsWithSpace(before, after, { maxEditLength: MARKED_EDITS });
  if (changes === undefined) return undefined;
  const left: LineSpan[] = [];
  const right: LineSpan[] = [];
  let [old, next, same] = [0, 0, 0];
  for (const { value, added, removed } of changes) {
    if (removed) left.push([old, old + value.length]);
    if (added) right.push([next, next + value.length]);
    if (!added && !removed) same += value.trim().length;
    if (!added) old += value.length;
    if (!removed) next += value.length;
  }
  const longest = Math.max(before.trim().length, after.trim().length);
  return longest > 0 && same / longest < LIKE ? undefined : { before: left, after: right };
}
