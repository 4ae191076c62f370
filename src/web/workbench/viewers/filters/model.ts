import type { Bits } from "../../data/bits.ts";
import { isText, type Column, type NumberColumn } from "../../data/column.ts";
import type { FilterSpec } from "../../data/filter.ts";
import { dateText, numberText } from "../../data/format.ts";
import { timeOfText } from "../../data/make.ts";
import type { Table } from "../../data/table.ts";
import { extentIn } from "../drawing/extent.ts";
import { shareBetween, type Extent } from "../drawing/scale.ts";
import { NO_VALUE } from "../drawing/categories.ts";
import { codesOf, type Coded } from "../groups/codes.ts";
import { chosenList, flagOf } from "../look.ts";
import type { Look } from "../viewer.ts";

/** Cards of one panel; further columns are told in words. */
const MOST_CARDS = 100;
/** Bars of a card's histogram. */
export const BINS = 40;
/** What stands in the columns that a panel starts with. */
const FIRST_CARDS = 12;
/** Texts with more different values are rather names than groups: no card of their own accord. */
const MOST_STARTING_VALUES = 500;

/** Texts with more different values are searched rather than listed. */
const MOST_LISTED = 20_000;

export type CardKind = "range" | "categories" | "contains";

export interface Card {
  readonly column: Column;
  readonly kind: CardKind;
}

export interface FiltersModel {
  readonly cards: readonly Card[];
  /** Several columns of yes and no in one card; empty: each has its own. */
  readonly combined: readonly NumberColumn[];
  readonly hidden: number;
  readonly active: boolean;
  readonly show: {
    readonly header: boolean;
    readonly histogram: boolean;
    readonly minMax: boolean;
    readonly search: boolean;
    /** Counts of rows beside the categories. */
    readonly counts: boolean;
    /** Marks cards that filter. */
    readonly filtering: boolean;
    /** How many of the selected rows. */
    readonly selection: boolean;
    /** Where the current row, the row under the mouse lies. */
    readonly current: boolean;
    readonly hover: boolean;
  };
}

export function filtersOf(table: Table, look: Look): FiltersModel {
  const columns = chosenList(table, look, "columnNames");
  const bools = columns.filter((column): column is NumberColumn => column.type === "bool");
  const combined = flagOf(look, "showBoolCombinedFilter") && bools.length > 1 ? bools : [];
  const single = columns.filter((column) => !combined.some(({ name }) => name === column.name));
  return {
    cards: single.slice(0, MOST_CARDS).map((column) => ({ column, kind: kindOf(column) })),
    combined,
    hidden: Math.max(0, single.length - MOST_CARDS),
    active: flagOf(look, "active"),
    show: {
      header: flagOf(look, "showHeader"),
      histogram: flagOf(look, "showHistogram"),
      minMax: flagOf(look, "showMinMax"),
      search: flagOf(look, "showSearchBox"),
      counts: flagOf(look, "showFilterCountsIndication"),
      filtering: flagOf(look, "showFilterIndication"),
      selection: flagOf(look, "showSelectionIndication"),
      current: flagOf(look, "showCurrentRow"),
      hover: flagOf(look, "showMouseOverRow"),
    },
  };
}

/** What a panel starts with. */
export function startingColumns(table: Table): readonly string[] {
  return table.columns
    .filter((column) => !isText(column) || column.categories.length <= MOST_STARTING_VALUES)
    .slice(0, FIRST_CARDS)
    .map(({ name }) => name);
}

export function kindOf(column: Column): CardKind {
  if (column.type === "bool") return "categories";
  if (!isText(column)) return "range";
  return column.categories.length > MOST_LISTED ? "contains" : "categories";
}

export function filterKeyOf(column: string): string {
  return `column:${column}`;
}

const bounds = new WeakMap<Column, Extent>();

/** Of all rows of a column: a filter does not change where its slider ends. Infinity and -Infinity where there is no value. */
export function boundsOf(column: NumberColumn): Extent {
  const known = bounds.get(column) ?? extentIn(column.numbers);
  bounds.set(column, known);
  return known;
}

export interface FilterHistogram {
  readonly counts: Int32Array;
  /** Of these, selected. */
  readonly selected: Int32Array;
  /** Rows without a value. */
  readonly missing: number;
  readonly most: number;
}

export function histogramOf(column: NumberColumn, rows: Bits, selected: Bits): FilterHistogram {
  const counts = new Int32Array(BINS);
  const chosen = new Int32Array(BINS);
  const missing = intoBins(column, rows, counts);
  intoBins(column, rows.and(selected), chosen);
  return { counts, selected: chosen, missing, most: counts.reduce((most, count) => Math.max(most, count), 0) };
}

/** How many have no value. */
function intoBins(column: NumberColumn, rows: Bits, bins: Int32Array): number {
  const { min, max } = boundsOf(column);
  let missing = 0;
  for (const row of rows.toArray()) {
    const value = column.numbers[row] ?? Number.NaN;
    if (!Number.isFinite(value)) {
      missing += 1;
      continue;
    }
    const bin = Math.min(BINS - 1, Math.floor(shareBetween(value, { min, max }) * BINS));
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  return missing;
}

export interface CategoryCount {
  /** `null`: rows without a value. */
  readonly value: string | null;
  /** Rows that the other filters let through. */
  readonly count: number;
  /** Of these, selected. */
  readonly selected: number;
}

/** Those with the most rows first, then by name; without a value last. Values that no row has stay in the list, with 0. */
export function countsOf(column: Column, rows: Bits, selected: Bits): readonly CategoryCount[] {
  const coded = codesOf(column);
  if (coded === undefined) return [];
  const { labels } = coded;
  const counts = byCode(coded, rows);
  const chosen = byCode(coded, rows.and(selected));
  const listed = labels.map((value, at) => ({ value, count: counts[at] ?? 0, selected: chosen[at] ?? 0 }));
  if (isText(column)) listed.sort((left, right) => right.count - left.count || (left.value < right.value ? -1 : 1));
  return coded.codes.includes(-1)
    ? [...listed, { value: null, count: counts[labels.length] ?? 0, selected: chosen[labels.length] ?? 0 }]
    : listed;
}

/** Rows by code; the last are those without a value. */
function byCode({ codes, labels }: Coded, rows: Bits): Int32Array {
  const counts = new Int32Array(labels.length + 1);
  for (const row of rows.toArray()) {
    const code = codes[row] ?? -1;
    const at = code < 0 ? labels.length : code;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}

/** Those whose name has the words in it, small and capital letters alike. */
export function searched(counts: readonly CategoryCount[], query: string): readonly CategoryCount[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === "") return counts;
  return counts.filter(({ value }) => (value ?? NO_VALUE).toLowerCase().includes(wanted));
}

/** Which values pass; absent: all do. */
export function passing(filter: FilterSpec | undefined): ReadonlySet<string | null> | undefined {
  return filter?.kind === "categories" ? new Set(filter.values) : undefined;
}

/** After one was ticked or unticked. When all are ticked there is no filter left. */
export function ticked(options: {
  readonly column: string;
  readonly filter: FilterSpec | undefined;
  readonly all: readonly (string | null)[];
  readonly value: string | null;
}): FilterSpec | undefined {
  const { value, ...others } = options;
  return tickedAll({ ...others, listed: [value], on: passing(options.filter)?.has(value) === false });
}

/** All or none of the listed ones; those that a search hides stay as they are. */
export function tickedAll(options: {
  readonly column: string;
  readonly filter: FilterSpec | undefined;
  readonly all: readonly (string | null)[];
  readonly listed: readonly (string | null)[];
  readonly on: boolean;
}): FilterSpec | undefined {
  const { column, filter, all, listed, on } = options;
  const now = new Set(passing(filter) ?? all);
  for (const value of listed) {
    if (on) now.add(value);
    else now.delete(value);
  }
  return now.size >= all.length ? undefined : { kind: "categories", column, values: all.filter((one) => now.has(one)) };
}

export interface FilterRange extends Extent {
  /** Rows without a value are let through. */
  readonly missing: boolean;
}

/** An end at the bound does not bound; both there and rows without a value let through: no filter. */
export function rangeSpec(column: NumberColumn, wanted: FilterRange): FilterSpec | undefined {
  const { min, max } = boundsOf(column);
  const [low, high] = [Math.min(wanted.min, wanted.max), Math.max(wanted.min, wanted.max)];
  if (low <= min && high >= max && wanted.missing) return undefined;
  return {
    kind: "range",
    column: column.name,
    ...(low > min ? { min: low } : {}),
    ...(high < max ? { max: high } : {}),
    missing: wanted.missing,
  };
}

/** What a range filter lets through, ends filled in. */
export function rangeOf(column: NumberColumn, filter: FilterSpec | undefined): FilterRange {
  const { min, max } = boundsOf(column);
  if (filter?.kind !== "range") return { min, max, missing: true };
  return { min: filter.min ?? min, max: filter.max ?? max, missing: filter.missing ?? false };
}

/** One step of a slider's key, a round share of the span: whole numbers go by whole ones. */
export function stepOf(column: NumberColumn): number {
  const { min, max } = boundsOf(column);
  const step = (max - min) / 100;
  return column.type === "int" ? Math.max(1, Math.round(step)) : step || 1;
}

/** What stands in the field of an end. */
export function endText(column: NumberColumn, value: number): string {
  if (!Number.isFinite(value)) return "";
  return column.type === "datetime" ? dateText(value) : numberText(column.type, value);
}

/** What a person wrote into the field of an end; NaN: it is neither a number nor a date. */
export function endOf(column: NumberColumn, text: string): number {
  if (text.trim() === "") return Number.NaN;
  return column.type === "datetime" ? timeOfText(text) : Number(text.replaceAll(",", ""));
}

/** Filters of a column that its card cannot show as ticks, a slider or a search: in words. */
export function foreign(kind: CardKind, filter: FilterSpec | undefined): string | undefined {
  if (filter === undefined) return undefined;
  switch (filter.kind) {
    case "contains":
      return kind === "contains" ? undefined : `Contains “${filter.text}”`;
    case "categories":
      return kind === "categories" ? undefined : `${filter.values.length.toLocaleString("en-US")} chosen values`;
    case "range":
      return kind === "range" ? undefined : "A range of numbers";
    case "formula":
      return filter.expression;
    case "rows":
      return "Rows that were chosen";
  }
}

/** What a card shows, counted over the rows that the other filters let through. */
export type CardContent =
  | { readonly kind: "range"; readonly histogram: FilterHistogram }
  | { readonly kind: "categories"; readonly counts: readonly CategoryCount[] }
  | { readonly kind: "contains"; readonly shown: number };

export function contentOf(table: Table, { column, kind }: Card): CardContent {
  const rows = table.filteredWithout(filterKeyOf(column.name));
  if (kind === "range" && !isText(column)) return { kind, histogram: histogramOf(column, rows, table.selected) };
  if (kind === "categories") return { kind, counts: countsOf(column, rows, table.selected) };
  return { kind: "contains", shown: table.filtered.count };
}
