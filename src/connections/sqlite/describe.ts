import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { LIMITS } from "../../protocol/limits.ts";
import type { CatalogColumn, CatalogJoin, CatalogTable, CatalogView } from "../../protocol/index.ts";
import { jsonOf } from "./read.ts";

const MAIN = "main";
const TABLES = `SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'view', 'virtual')
  AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name LIMIT ?`;
const COLUMNS = "SELECT name, type, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid";
const UNIQUE = `SELECT list.name AS name, info.name AS "column" FROM pragma_index_list(?) AS list, pragma_index_info(list.name) AS info
  WHERE list."unique" = 1 AND list.partial = 0`;
const KEYS = 'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq';

type SqliteRow = Readonly<Record<string, string | number | bigint | Uint8Array | null>>;

/** The contents of a file. Small tables are scanned for their values, as long as there is time. */
export function describe(database: DatabaseSyncInstance): CatalogView {
  const bound = LIMITS.connectionTables;
  // The file is opened with parameters disabled; names are written into statements, quoted.
  const listed = all(database, TABLES.replace("?", String(bound + 1)));
  const until = performance.now() + LIMITS.connectionSampleMs;
  const tables: CatalogTable[] = [];
  const joins: CatalogJoin[] = [];
  let truncated = listed.length > bound;
  let left = LIMITS.connectionColumns;
  for (const { name, type } of listed.slice(0, bound)) {
    const table = String(name);
    const columns = columnsOf(database, table);
    if (columns.length > left) {
      truncated = true;
      break;
    }
    left -= columns.length;
    tables.push(sampled(database, { table, isView: type === "view", columns, until }));
    joins.push(...joinsOf(database, table));
  }
  truncated ||= joins.length > LIMITS.connectionJoins;
  return { catalog: MAIN, schemas: [{ name: MAIN, tables }], joins: joins.slice(0, LIMITS.connectionJoins), truncated };
}

function all(database: DatabaseSyncInstance, sql: string): readonly SqliteRow[] {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  return statement.all() as readonly SqliteRow[];
}

const about = (sql: string, table: string): string => sql.replace("?", () => literal(table));

function columnsOf(database: DatabaseSyncInstance, table: string): readonly CatalogColumn[] {
  const rows = attempt(() => all(database, about(COLUMNS, table))) ?? [];
  const unique = uniqueColumns(database, table);
  const keys = rows.filter(({ pk }) => pk !== 0n);
  return rows.map(({ name, type, pk }) => {
    const column = String(name);
    const isUnique = unique.has(column) || (pk !== 0n && keys.length === 1);
    return isUnique ? { name: column, type: String(type), is_unique: true } : { name: column, type: String(type) };
  });
}

/** Columns that are unique by themselves. */
function uniqueColumns(database: DatabaseSyncInstance, table: string): ReadonlySet<string> {
  const indices = new Map<unknown, string[]>();
  for (const { name, column } of attempt(() => all(database, about(UNIQUE, table))) ?? [])
    indices.set(name, [...(indices.get(name) ?? []), String(column)]);
  return new Set([...indices.values()].flatMap((columns) => (columns.length === 1 ? columns : [])));
}

interface Sampling {
  readonly table: string;
  readonly isView: boolean;
  readonly columns: readonly CatalogColumn[];
  /** On the clock of performance.now(). */
  readonly until: number;
}

function sampled(database: DatabaseSyncInstance, { table, isView, columns, until }: Sampling): CatalogTable {
  const plain = { name: table, columns: [...columns] };
  // A view may be any computation.
  if (isView || performance.now() > until) return plain;
  const most = LIMITS.connectionCountedRows;
  const counted = attempt(() =>
    all(database, `SELECT count(*) AS n FROM (SELECT 1 FROM ${quoted(table)} LIMIT ${most + 1})`),
  );
  const count = Number(counted?.[0]?.["n"] ?? most + 1);
  if (count > most) return plain;
  const known = { ...plain, row_count: count };
  if (count === 0 || count > LIMITS.connectionSampledRows) return known;
  return {
    ...known,
    columns: columns.map((column) =>
      performance.now() > until ? column : { ...column, ...attempt(() => valuesOf(database, table, column.name)) },
    ),
  };
}

function valuesOf(database: DatabaseSyncInstance, table: string, name: string): Partial<CatalogColumn> {
  const column = quoted(name);
  const from = `FROM ${quoted(table)}`;
  const [facts] = all(
    database,
    `SELECT count(DISTINCT ${column}) AS n, min(${column}) AS low, max(${column}) AS high, max(typeof(${column}) = 'text') AS words,
       max(typeof(${column}) = 'blob') AS bytes ${from}`,
  );
  if (facts === undefined || facts["bytes"] === 1n || facts["n"] === 0n) return {};
  const few = Number(facts["n"]);
  const isText = facts["words"] === 1n;
  const listed = isText && few <= LIMITS.connectionValues;
  const values = listed
    ? all(database, `SELECT DISTINCT ${column} AS v ${from} WHERE ${column} IS NOT NULL ORDER BY 1`).map(({ v }) =>
        String(jsonOf(v)).slice(0, LIMITS.connectionTextChars),
      )
    : undefined;
  return {
    unique_count: few,
    ...(isText ? {} : { min: jsonOf(facts["low"]) ?? "", max: jsonOf(facts["high"]) ?? "" }),
    ...(values === undefined ? {} : { values }),
  };
}

function joinsOf(database: DatabaseSyncInstance, table: string): readonly CatalogJoin[] {
  const rows = attempt(() => all(database, about(KEYS, table))) ?? [];
  const unique = uniqueColumns(database, table);
  const keys = new Map<SqliteRow[string] | undefined, SqliteRow[]>();
  for (const row of rows) keys.set(row["id"], [...(keys.get(row["id"]) ?? []), row]);
  return [...keys.values()].map((parts) => {
    const target = String(parts[0]?.["table"]);
    const from = parts.map((part) => String(part["from"]));
    // Without a name the primary key is meant.
    const named = parts.flatMap((part) => (part["to"] === null ? [] : [String(part["to"])]));
    const to = named.length > 0 ? named : primaryKey(database, target);
    const isOne = from.length === 1 && unique.has(from[0] ?? "");
    return {
      from_schema: MAIN,
      from_table: table,
      from_columns: from,
      to_schema: MAIN,
      to_table: target,
      to_columns: to,
      cardinality: isOne ? "one-to-one" : "many-to-one",
    };
  });
}

function primaryKey(database: DatabaseSyncInstance, table: string): string[] {
  const rows = attempt(() => all(database, about(COLUMNS, table))) ?? [];
  return rows
    .filter(({ pk }) => pk !== 0n)
    .sort((one, other) => Number(one["pk"]) - Number(other["pk"]))
    .map(({ name }) => String(name));
}

/** Undefined: SQLite failed, as for a view on a missing table or a virtual table without its module. The rest is listed all the same. */
function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
