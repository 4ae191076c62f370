import { isText, type Column } from "../../data/column.ts";
import type { Bits } from "../../data/bits.ts";

/** How an axis is drawn, and which values have no place on it. */
export interface AxisRule {
  readonly type: "linear" | "logarithmic";
  /** Absent: all values have a place. */
  readonly note: string | undefined;
}

interface SignCounts {
  readonly positive: number;
  /** Zero and less. */
  readonly rest: number;
  readonly infinite: number;
}

interface RuleOptions {
  readonly name: string;
  /** `logarithmic`, or anything else for a plain axis. */
  readonly wanted: string | undefined;
  /** What stands on the axis, such as `value` or `bar`. */
  readonly what?: string | undefined;
  /** What happens to values without a place. */
  readonly fate?: "not shown" | "grey" | undefined;
}

/** Whether the axis of a column can be logarithmic, and how many of the shown values have no place on it. */
export function axisRule(
  column: Column,
  rows: { readonly rows: Bits; readonly scaleRows: Bits },
  wanted: string | undefined,
): AxisRule {
  return columnRule(column, rows, { name: column.name, wanted });
}

/** The same for a scale of colours: values without a place on it are grey. */
export function colorRule(column: Column, rows: Bits, wanted: string | undefined): AxisRule {
  return columnRule(column, { rows, scaleRows: rows }, { name: column.name, wanted, fate: "grey" });
}

function columnRule(
  column: Column,
  rows: { readonly rows: Bits; readonly scaleRows: Bits },
  options: RuleOptions,
): AxisRule {
  if (isText(column) || column.type === "bool" || column.type === "datetime")
    return { type: "linear", note: undefined };
  const own = countsOf(column.numbers, rows.rows);
  const scaled = rows.scaleRows === rows.rows ? own : countsOf(column.numbers, rows.scaleRows);
  return ruleFor(own, scaled, options);
}

/** The same for numbers that were computed. */
export function valuesRule(values: readonly number[], options: RuleOptions): AxisRule {
  const counts = signsOf(values.length, (at) => values[at] ?? Number.NaN);
  return ruleFor(counts, counts, options);
}

function signsOf(count: number, valueAt: (at: number) => number): SignCounts {
  let [positive, rest, infinite] = [0, 0, 0];
  for (let at = 0; at < count; at += 1) {
    const value = valueAt(at);
    if (Number.isNaN(value)) continue;
    if (!Number.isFinite(value)) infinite += 1;
    else if (value > 0) positive += 1;
    else rest += 1;
  }
  return { positive, rest, infinite };
}

function ruleFor(own: SignCounts, scaled: SignCounts, options: RuleOptions): AxisRule {
  const { name, wanted, what = "value", fate = "not shown" } = options;
  const infinite = own.infinite === 0 ? [] : [`${name}: ${counted(own.infinite, `infinite ${what}`)} ${fate}.`];
  const told = (type: AxisRule["type"], words: readonly string[]): AxisRule => ({
    type,
    note: words.length === 0 ? undefined : words.join(" "),
  });
  if (wanted !== "logarithmic") return told("linear", infinite);
  // An axis without any value has nothing to complain about.
  if (scaled.positive === 0)
    return told("linear", [
      ...(scaled.rest === 0 ? [] : [`${name} has no values above 0, so its axis is linear.`]),
      ...infinite,
    ]);
  if (own.rest === 0) return told("logarithmic", infinite);
  return told("logarithmic", [`${name}: ${counted(own.rest, what, " ≤ 0")} ${fate} on a log axis.`, ...infinite]);
}

/** `1 value ≤ 0 is`, `66 values ≤ 0 are`. */
function counted(count: number, what: string, more = ""): string {
  return count === 1 ? `1 ${what}${more} is` : `${count.toLocaleString("en")} ${what}s${more} are`;
}

/** Rows and columns never change, so what was counted is kept with them. */
const known = new WeakMap<Bits, WeakMap<Float64Array, SignCounts>>();

function countsOf(numbers: Float64Array, rows: Bits): SignCounts {
  const kept = known.get(rows) ?? new WeakMap<Float64Array, SignCounts>();
  const before = kept.get(numbers);
  if (before !== undefined) return before;
  const list = rows.toArray();
  const counts = signsOf(list.length, (at) => numbers[list[at] ?? -1] ?? Number.NaN);
  known.set(rows, kept.set(numbers, counts));
  return counts;
}

/** The notes of several axes as one. Absent: there is nothing to say. */
export function joinedNotes(...notes: readonly (string | undefined)[]): string | undefined {
  const said = [...new Set(notes.filter((note) => note !== undefined))];
  return said.length === 0 ? undefined : said.join(" ");
}

/** Whether a position has a place on an axis. */
export function isPlaced(value: number, type: AxisRule["type"]): boolean {
  return Number.isFinite(value) && (type === "linear" || value > 0);
}
