import { Bits } from "../../data/bits.ts";
import type { Table } from "../../data/table.ts";
import { useTable } from "../../data/use-table.ts";
import { textOf } from "../look.ts";
import type { Look } from "../viewer.ts";

/** What of a mouse or key event says how a choice joins the rows that are selected. */
export interface ModifierKeys {
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/** Which rows a viewer shows. Its own filter does not count: what it filters out stays in sight, faint. */
export function rowsOf(table: Table, look: Look, id: string): Bits {
  const one = (row: number): Bits => Bits.of(table.rowCount, row < 0 ? [] : [row]);
  switch (textOf(look, "rowSource")) {
    case "All":
      return Bits.all(table.rowCount);
    case "Selected":
      return table.selected;
    case "SelectedOrCurrent":
      return table.selected.isEmpty ? one(table.currentRow) : table.selected;
    case "FilteredSelected":
      return table.filtered.and(table.selected);
    case "CurrentRow":
      return one(table.currentRow);
    case "MouseOverRow":
      return one(table.hoverRow);
    default:
      return table.filters.has(filterKey(id)) ? table.filteredWithout(filterKey(id)) : table.filtered;
  }
}

/** What a viewer depends on, besides its look: its columns, and which rows it shows. Ask again when the key changes. */
export function useRowsKey(table: Table, look: Look): string {
  const source = textOf(look, "rowSource");
  const byRow = source === "CurrentRow" || source === "MouseOverRow" || source === "SelectedOrCurrent";
  const bySelection = source === "Selected" || source === "FilteredSelected" || source === "SelectedOrCurrent";
  const base = useTable(table, "columns", "filter");
  const selection = useTable(table, "selection");
  const rows = useTable(table, "rows");
  return `${table.id} ${base} ${bySelection ? selection : ""} ${byRow ? rows : ""}`;
}

export function filterKey(id: string): string {
  return `viewer:${id}`;
}

/** A person chose rows: alone they replace what was selected, with Shift they join it, with Ctrl or Cmd they change over. */
export function selectRows(table: Table, rows: Bits, keys: ModifierKeys): void {
  if (keys.ctrlKey || keys.metaKey) table.select(table.selected.xor(rows));
  else table.select(keys.shiftKey ? table.selected.or(rows) : rows);
}

/** The same for the rows that fit. */
export function selectWhere(table: Table, fits: (row: number) => boolean, keys: ModifierKeys): void {
  selectRows(table, Bits.where(table.rowCount, fits), keys);
}

export interface GroupChoice {
  readonly table: Table;
  readonly id: string;
  /** `onClick`: Select, Filter, None. Absent: Select. */
  readonly action?: string | undefined;
  readonly rows: Bits;
  readonly keys: ModifierKeys;
}

/** A person chose a bar, slice, cell. To filter by the same once more takes the filter away. */
export function chooseGroup({ table, id, action = "Select", rows, keys }: GroupChoice): void {
  if (action === "None") return;
  if (action === "Select") {
    selectRows(table, rows, keys);
    return;
  }
  const before = table.filters.get(filterKey(id));
  const had = before?.kind === "rows" ? before.rows : undefined;
  const joined = had !== undefined && (keys.shiftKey || keys.ctrlKey || keys.metaKey) ? had.xor(rows) : rows;
  const same = had !== undefined && had.xor(joined).isEmpty;
  table.setFilter(filterKey(id), same || joined.isEmpty ? undefined : { kind: "rows", rows: joined });
}
