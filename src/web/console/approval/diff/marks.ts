import { diffWordsWithSpace } from "diff";

/** From a place in a line up to another one, which is no longer in it. */
export type LineSpan = readonly [from: number, to: number];

const MARKED_CHARS = 2_000;
/** Words that were taken out or put in: lines with more of them are two lines. Not a time, so that the same lines always look the same. */
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
