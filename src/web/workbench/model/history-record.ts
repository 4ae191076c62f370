import { Bits } from "../data/bits.ts";
import type { Column } from "../data/column.ts";
import type { FilterSpec } from "../data/filter.ts";
import { WORKBENCH_LIMITS } from "../limits.ts";
import { bytesOf } from "./session-record.ts";
import type { PathValue, ViewMoment } from "./path-values.ts";
import type { LoggedAction } from "./undo-log.ts";

/** Rows as the browser can store them. */
interface StoredRows {
  readonly length: number;
  readonly words: Bits["words"];
}

/** A filter whose rows are `Rows`. */
type FilterOf<Rows> = Exclude<FilterSpec, { kind: "rows" }> | { readonly kind: "rows"; readonly rows: Rows };

/** As `ViewMoment`, with other columns and rows. */
interface MomentOf<Key, Rows> extends Omit<ViewMoment, "columns" | "filters" | "selected"> {
  readonly columns: readonly Key[];
  readonly filters: ReadonlyMap<string, FilterOf<Rows>>;
  readonly selected: Rows;
}

/** As `PathValue`, with other columns and rows. */
type ValueOf<Key, Rows> =
  | Exclude<PathValue, { kind: "view" | "columns" | "column" | "filters" | "filter" | "selection" }>
  | (Omit<Extract<PathValue, { kind: "view" }>, "view"> & { readonly view: MomentOf<Key, Rows> | undefined })
  | { readonly kind: "columns"; readonly columns: readonly Key[] }
  | (Omit<Extract<PathValue, { kind: "column" }>, "column"> & { readonly column: Key | undefined })
  | { readonly kind: "filters"; readonly filters: ReadonlyMap<string, FilterOf<Rows>> }
  | { readonly kind: "filter"; readonly key: string; readonly filter: FilterOf<Rows> | undefined }
  | { readonly kind: "selection"; readonly rows: Rows };

/** As `PathValue`; columns by their keys. */
type StoredValue = ValueOf<string, StoredRows>;

interface StoredAction extends Omit<LoggedAction, "before" | "after"> {
  readonly before: readonly StoredValue[];
  readonly after: readonly StoredValue[];
}

/** What was done in a tab, as the browser stores it. Its columns are stored beside it. */
export interface HistoryRecord {
  readonly tab: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly actions: readonly StoredAction[];
  /** Ids of actions that were taken back, the last one last. */
  readonly takenBack: readonly string[];
  /** Keys of all columns that the actions name. */
  readonly columnKeys: readonly string[];
}

interface RecordedHistory {
  readonly record: HistoryRecord;
  /** By key. */
  readonly columns: ReadonlyMap<string, Column>;
}

/** The newest actions that there is room for. `isOpen`: whether the column is stored anyway. */
export function historyRecordOf(
  entries: readonly LoggedAction[],
  options: Pick<HistoryRecord, "tab" | "at" | "takenBack"> & {
    readonly keyOf: (column: Column) => string;
    readonly isOpen: (column: Column) => boolean;
  },
): RecordedHistory {
  const { keyOf, isOpen, tab, at, takenBack } = options;
  const columns = new Map<string, Column>();
  const rows = new Set<Uint32Array>();
  let columnBytes = 0;
  let rowBytes = 0;
  const actions: StoredAction[] = [];
  for (const entry of entries.toReversed()) {
    const values = [...entry.before, ...entry.after];
    for (const column of values.flatMap((value) => columnsIn(value))) {
      const key = keyOf(column);
      if (columns.has(key)) continue;
      columns.set(key, column);
      if (!isOpen(column)) columnBytes += bytesOf([column]);
    }
    for (const words of values.flatMap(rowsIn)) {
      if (!rows.has(words)) rowBytes += words.byteLength;
      rows.add(words);
    }
    if (columnBytes > WORKBENCH_LIMITS.keptHistoryBytes || rowBytes > WORKBENCH_LIMITS.keptHistoryRowBytes) break;
    const pack = (value: PathValue): StoredValue => converted(value, { column: keyOf, rows: packRows });
    actions.unshift({
      action: entry.action,
      act: plainAct(entry.act),
      before: entry.before.map(pack),
      after: entry.after.map(pack),
    });
  }
  const known = new Set(actions.map(({ action }) => action.id));
  const columnKeys = [
    ...new Set(actions.flatMap(({ before, after }) => [...before, ...after].flatMap((value) => columnsIn(value)))),
  ];
  return {
    record: { tab, at, actions, takenBack: takenBack.filter((id) => known.has(id)), columnKeys },
    columns: new Map(columnKeys.flatMap((key) => (columns.has(key) ? [[key, columns.get(key) as Column]] : []))),
  };
}

/** Without what cannot be stored. */
function plainAct({ by, words, viewId, writes, reads, makes, merge }: LoggedAction["act"]): LoggedAction["act"] {
  return {
    by,
    words,
    viewId,
    writes,
    ...(reads === undefined ? {} : { reads }),
    ...(makes === undefined ? {} : { makes }),
    ...(merge === undefined ? {} : { merge }),
  };
}

export function loggedActionsOf(
  { actions }: HistoryRecord,
  columnOf: (key: string) => Column,
): readonly LoggedAction[] {
  const unpack = (value: StoredValue): PathValue => converted(value, { column: columnOf, rows: unpackRows });
  return actions.map((entry) => ({ ...entry, before: entry.before.map(unpack), after: entry.after.map(unpack) }));
}

function columnsIn<Key>(value: ValueOf<Key, unknown>): readonly Key[] {
  if (value.kind === "view") return value.view?.columns ?? [];
  if (value.kind === "columns") return value.columns;
  return value.kind === "column" && value.column !== undefined ? [value.column] : [];
}

function rowsIn(value: PathValue): readonly Uint32Array[] {
  const ofFilters = (filters: Iterable<FilterSpec>): readonly Uint32Array[] =>
    [...filters].flatMap((filter) => (filter.kind === "rows" ? [filter.rows.words] : []));
  switch (value.kind) {
    case "selection":
      return [value.rows.words];
    case "filter":
      return value.filter === undefined ? [] : ofFilters([value.filter]);
    case "filters":
      return ofFilters(value.filters.values());
    case "view":
      return value.view === undefined ? [] : [value.view.selected.words, ...ofFilters(value.view.filters.values())];
    default:
      return [];
  }
}

const packRows = ({ length, words }: Bits): StoredRows => ({ length, words });
const unpackRows = ({ length, words }: StoredRows): Bits => new Bits(length, new Uint32Array(words));

interface Conversion<Key, Rows, ToKey, ToRows> {
  readonly column: (column: Key) => ToKey;
  readonly rows: (rows: Rows) => ToRows;
}

function converted<Key, Rows, ToKey, ToRows>(
  value: ValueOf<Key, Rows>,
  to: Conversion<Key, Rows, ToKey, ToRows>,
): ValueOf<ToKey, ToRows> {
  const filterOf = (filter: FilterOf<Rows>): FilterOf<ToRows> =>
    filter.kind === "rows" ? { kind: "rows", rows: to.rows(filter.rows) } : filter;
  const filtersOf = (filters: ReadonlyMap<string, FilterOf<Rows>>): ReadonlyMap<string, FilterOf<ToRows>> =>
    new Map([...filters].map(([key, filter]) => [key, filterOf(filter)]));
  switch (value.kind) {
    case "view": {
      const { view } = value;
      if (view === undefined) return { ...value, view };
      const columns = view.columns.map(to.column);
      return {
        ...value,
        view: { ...view, columns, filters: filtersOf(view.filters), selected: to.rows(view.selected) },
      };
    }
    case "columns":
      return { ...value, columns: value.columns.map(to.column) };
    case "column":
      return { ...value, column: value.column === undefined ? undefined : to.column(value.column) };
    case "filters":
      return { ...value, filters: filtersOf(value.filters) };
    case "filter":
      return { ...value, filter: value.filter === undefined ? undefined : filterOf(value.filter) };
    case "selection":
      return { ...value, rows: to.rows(value.rows) };
    case "shown":
    case "cell":
    case "viewers":
    case "viewer":
    case "grid":
      return value;
  }
}
