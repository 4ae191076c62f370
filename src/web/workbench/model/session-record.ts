import { isText, type Column } from "../data/column.ts";
import { Bits } from "../data/bits.ts";
import type { FilterSpec } from "../data/filter.ts";
import type { Table } from "../data/table.ts";
import type { SavedLayout } from "./layout.ts";
import type { TableSource } from "./permalink.ts";
import type { View } from "./workbench.ts";

/** An open table as the browser stores it. Its columns are stored beside it, each once. */
export interface ViewRecord {
  readonly key: string;
  /** The browser tab that it was open in. */
  readonly tab: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly place: number;
  readonly isCurrent: boolean;
  /** The view's id: stored steps name it. Absent: stored by an older page. */
  readonly viewId?: string | undefined;
  readonly name: string;
  /** Where it came from. Absent: from this computer, or it was made here. */
  readonly source?: TableSource | undefined;
  readonly columnKeys: readonly string[];
  readonly bytes: number;
  readonly layout: SavedLayout;
  /** Filters that are plain sets of rows: a layout does not hold them. */
  readonly rowFilters: readonly (readonly [key: string, words: Uint32Array])[];
  readonly selected: Uint32Array;
}

/** What a record is made from, besides the view itself. */
interface RecordOptions extends Pick<
  ViewRecord,
  "key" | "tab" | "at" | "place" | "isCurrent" | "columnKeys" | "layout" | "source"
> {}

export function recordOf(view: View, options: RecordOptions): ViewRecord {
  const { table } = view;
  return {
    ...options,
    viewId: view.id,
    name: table.name,
    bytes: bytesOf(table.columns),
    rowFilters: [...table.filters].flatMap(([key, spec]) => (spec.kind === "rows" ? [[key, spec.rows.words]] : [])),
    selected: table.selected.words,
  };
}

/** Restores filters and selection; the layout must be applied first. */
export function restoreRows(table: Table, { rowFilters, selected }: ViewRecord): void {
  const filters = new Map<string, FilterSpec>(table.filters);
  for (const [key, words] of rowFilters)
    filters.set(key, { kind: "rows", rows: new Bits(table.rowCount, new Uint32Array(words)) });
  table.setFilters(filters);
  table.select(new Bits(table.rowCount, new Uint32Array(selected)));
}

/** About as many bytes as a browser needs for the columns. */
export function bytesOf(columns: readonly Column[]): number {
  return columns.reduce((sum, column) => {
    const texts = isText(column) ? column : column.exact;
    const own = isText(column) ? 0 : column.numbers.byteLength;
    return sum + own + (texts === undefined ? 0 : texts.codes.byteLength + textBytes(texts.categories));
  }, 0);
}

function textBytes(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length * 2 + 16, 0);
}

/** Records of other tabs to delete for room, the oldest first; undefined: even that is not enough. */
export function roomFor(
  bytes: number,
  records: readonly ViewRecord[],
  { tab, limit }: { readonly tab: string; readonly limit: number },
): readonly ViewRecord[] | undefined {
  let used = records.reduce((sum, record) => sum + record.bytes, 0);
  const gone: ViewRecord[] = [];
  for (const record of records.filter((one) => one.tab !== tab).toSorted((left, right) => left.at - right.at)) {
    if (used + bytes <= limit) break;
    gone.push(record);
    used -= record.bytes;
  }
  return used + bytes <= limit ? gone : undefined;
}
