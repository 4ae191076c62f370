import { isMissing, type Column } from "../../data/column.ts";
import { shownAt } from "../../data/display.ts";
import type { Table } from "../../data/table.ts";
import { rowsByGroup } from "../drawing/categories.ts";
import { codesOf, labelOf, type Coded } from "../groups/codes.ts";
import { chosen, flagOf, listOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";

/** Lanes beside each other; the rows of further values are told in words. */
const MOST_LANES = 100;
/** Fields of a card where none were chosen. */
const FIRST_COLUMNS = 6;

export interface TileLane {
  /** Absent: there are no lanes, all cards lie together. */
  readonly label: string | undefined;
  readonly rows: Int32Array;
}

export interface TileModel {
  readonly lanes: readonly TileLane[];
  /** Shown on each card, the first as its heading. */
  readonly columns: readonly Column[];
  /** The text of a card with `${Column}` in it; absent: the columns. */
  readonly markup: string | undefined;
  readonly showSelected: boolean;
  /** Values whose lanes are left out. */
  readonly hidden: number;
}

/** Words instead of a model where the lanes cannot be made. */
export function tilesOf(table: Table, look: Look): TileModel | string {
  const base = {
    columns: cardColumns(table, look),
    markup: textOf(look, "cardMarkup"),
    showSelected: flagOf(look, "showSelectedRows"),
  };
  const column = chosen(table, look, "lanesColumnName");
  const rows = table.filtered.toArray();
  if (column === undefined) return { ...base, lanes: [{ label: undefined, rows }], hidden: 0 };
  const coded = codesOf(column);
  if (coded === undefined) return `${column.name} has too many different values for lanes. Choose another column.`;
  // The last are those without a value.
  const lists = rowsByGroup(coded.codes, coded.labels.length, rows);
  const wanted = laneCodes(coded, look, lists);
  const lanes = wanted
    .slice(0, MOST_LANES)
    .map((code) => ({ label: labelOf(coded, code), rows: lists[code] ?? new Int32Array(0) }));
  return { ...base, lanes, hidden: wanted.length - lanes.length };
}

/** A card in words, for its text and for who cannot see it. */
export function cardLines(model: TileModel, row: number): readonly { readonly name: string; readonly text: string }[] {
  return model.columns.map((column) => ({
    name: column.name,
    text: isMissing(column, row) ? "" : shownAt(column, row),
  }));
}

/** The card's own text with the values of a row. */
export function cardText(table: Table, markup: string, row: number): string {
  return markup.replace(/\$\{([^{}]+)\}/g, (written, name: string) => {
    const column = table.column(name.trim());
    return column === undefined ? written : shownAt(column, row);
  });
}

/** `columnsJson`: a list of names. What cannot be read counts as not set. */
function cardColumns(table: Table, look: Look): readonly Column[] {
  const names = namesIn(textOf(look, "columnsJson"));
  const columns = names.flatMap((name) => table.column(name) ?? []);
  return columns.length > 0 ? columns : table.columns.slice(0, FIRST_COLUMNS);
}

function namesIn(json: string | undefined): readonly string[] {
  try {
    const read: unknown = JSON.parse(json ?? "[]");
    return Array.isArray(read) ? read.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}

/** Those that were asked for in their order, else all in the order of the values; without a value last. */
function laneCodes(coded: Coded, look: Look, lists: readonly Int32Array[]): readonly number[] {
  const asked = listOf(look, "lanes");
  const nowhere = coded.labels.length;
  const all =
    asked.length > 0
      ? asked.map((label) => coded.labels.indexOf(label)).filter((code) => code >= 0)
      : [...coded.order, nowhere];
  const empty = flagOf(look, "showEmptyLanes");
  return all.filter((code) => (lists[code]?.length ?? 0) > 0 || (empty && code !== nowhere));
}
