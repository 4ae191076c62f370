import { Bits } from "../data/bits.ts";
import type { ShownRows } from "./order/shown-rows.ts";

/** What a pointer or a key does to the selection. `range`: from the anchor to here (shift). `toggle`: this one changes (ctrl). */
export type SelectHow = "only" | "range" | "toggle" | "range-more";

export function selectHow(keys: {
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}): SelectHow {
  const more = keys.ctrlKey || keys.metaKey;
  if (keys.shiftKey) return more ? "range-more" : "range";
  return more ? "toggle" : "only";
}

/** The selection after it. Positions are those of the shown rows; rows hidden by filters keep their state only if rows are added. */
export function selectedAfter(
  how: SelectHow,
  at: {
    readonly selected: Bits;
    readonly shown: ShownRows;
    readonly anchor: number;
    readonly position: number;
  },
): Bits {
  const { selected, shown, position } = at;
  const anchor = at.anchor < 0 ? position : at.anchor;
  const range = (): Int32Array => shown.slice(Math.min(anchor, position), Math.max(anchor, position) + 1);
  const one = Bits.of(selected.length, [shown.at(position)]);
  switch (how) {
    case "only":
      return one;
    case "toggle":
      return selected.xor(one);
    case "range":
      return Bits.of(selected.length, range());
    case "range-more":
      return selected.or(Bits.of(selected.length, range()));
  }
}
