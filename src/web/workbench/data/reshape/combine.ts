import type { Column } from "../column.ts";
import { newTable } from "../make.ts";
import type { Table } from "../table.ts";
import { checkRowCount, keyAt, stacked, takeRows, uniquelyNamed, withName } from "./rows.ts";

/** `matching`: only rows that have a partner. `all`: all rows of the first table. `without`: its rows that have none. */
export type JoinKind = "matching" | "all" | "without";

interface TableJoin {
  readonly left: Table;
  readonly right: Table;
  /** Names of columns that must be alike, of the first and of the second table. */
  readonly keys: readonly { readonly left: string; readonly right: string }[];
  readonly kind: JoinKind;
}

/** The rows of the first table that are shown, each with the rows of the second that have the same keys. Missing keys match nothing. */
export function joinTables({ left, right, keys, kind }: TableJoin): Table {
  if (keys.length === 0) throw new Error("Choose at least one pair of columns to match.");
  const leftKeys = keys.map((key) => needed(left, key.left));
  const rightKeys = keys.map((key) => needed(right, key.right));
  const { leftRows, rightRows } = pairs({
    leftRows: left.filtered.toArray(),
    leftKeys,
    partners: partnersOf(right, rightKeys),
    kind,
  });
  const own = left.columns.map((column) => takeRows(column, leftRows));
  if (kind === "without") return newTable(`${left.name} without ${right.name}`, own);
  const taken = new Set(own.map(({ name }) => name));
  const added = right.columns
    .filter((column) => !rightKeys.includes(column))
    .map((column) => {
      const name = taken.has(column.name) ? `${column.name} (${right.name})` : column.name;
      return withName(takeRows(column, rightRows), name);
    });
  return newTable(`${left.name} with ${right.name}`, uniquelyNamed([...own, ...added]));
}

function partnersOf(table: Table, keys: readonly Column[]): ReadonlyMap<string, readonly number[]> {
  const partners = new Map<string, number[]>();
  for (const row of table.filtered.toArray()) {
    const key = keyAt(keys, row);
    if (key === undefined) continue;
    const rows = partners.get(key);
    if (rows === undefined) partners.set(key, [row]);
    else rows.push(row);
  }
  return partners;
}

function pairs({
  leftRows,
  leftKeys,
  partners,
  kind,
}: {
  readonly leftRows: Int32Array;
  readonly leftKeys: readonly Column[];
  readonly partners: ReadonlyMap<string, readonly number[]>;
  readonly kind: JoinKind;
}): { readonly leftRows: Int32Array; readonly rightRows: Int32Array } {
  const lefts: number[] = [];
  const rights: number[] = [];
  for (const row of leftRows) {
    const key = keyAt(leftKeys, row);
    const found = key === undefined ? undefined : partners.get(key);
    if (found === undefined && kind !== "matching") {
      lefts.push(row);
      rights.push(-1);
    }
    if (found === undefined || kind === "without") continue;
    for (const partner of found) {
      lefts.push(row);
      rights.push(partner);
    }
    checkRowCount(lefts.length);
  }
  return { leftRows: Int32Array.from(lefts), rightRows: Int32Array.from(rights) };
}

/** The shown rows of one table below those of another. Columns of the same name become one; a column that one lacks is missing there. */
export function appendTables(top: Table, bottom: Table): Table {
  const [above, below] = [top.filtered.toArray(), bottom.filtered.toArray()];
  checkRowCount(above.length + below.length);
  const nothing = { above: new Int32Array(above.length).fill(-1), below: new Int32Array(below.length).fill(-1) };
  const find = (table: Table, name: string): Column | undefined => table.columns.find((one) => one.name === name);
  const shared = top.columns.map((column) => {
    const other = find(bottom, column.name);
    return stacked([
      takeRows(column, above),
      other === undefined ? takeRows(column, nothing.below) : takeRows(other, below),
    ]);
  });
  const more = bottom.columns
    .filter(({ name }) => find(top, name) === undefined)
    .map((column) => stacked([takeRows(column, nothing.above), takeRows(column, below)]));
  return newTable(`${top.name} and ${bottom.name}`, [...shared, ...more]);
}

export function needed(table: Table, name: string): Column {
  const column = table.column(name);
  if (column === undefined) throw new Error(`The table ${table.name} has no column ${name}.`);
  return column;
}
