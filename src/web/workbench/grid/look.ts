import type { SortKey } from "../data/sort.ts";
import { GRID_LIMITS } from "./sizes.ts";

/** How a person has arranged a grid. Columns by name; names that the table does not have are ignored. */
export interface GridLook {
  /** CSS pixels. Absent: fitted to the column's texts. */
  readonly widths: Readonly<Record<string, number>>;
  readonly hidden: readonly string[];
  /** Those that stay at the left, in their order. */
  readonly pinned: readonly string[];
  /** Those whose cells are coloured by their values. Absent: none. */
  readonly coloured?: readonly string[] | undefined;
  /** The first decides; the others only where those before are equal. */
  readonly sort: readonly SortKey[];
}

export const PLAIN_LOOK: GridLook = { widths: {}, hidden: [], pinned: [], sort: [] };

/** A click on a head: ascending, then descending, then as the table came. With `more` the other keys stay. */
export function sortedBy(keys: readonly SortKey[], column: string, more: boolean): readonly SortKey[] {
  const first: SortKey = { column, descending: false };
  const place = keys.findIndex((key) => key.column === column);
  const known = keys[place];
  if (known === undefined) return more ? [...keys, first].slice(-GRID_LIMITS.sortKeys) : [first];
  if (!more && keys.length > 1) return [first];
  return known.descending ? keys.toSpliced(place, 1) : keys.with(place, { column, descending: true });
}
