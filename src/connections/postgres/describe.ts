import type { ClientBase } from "pg";
import {
  LIMITS,
  type CatalogColumn,
  type CatalogJoin,
  type CatalogTable,
  type CatalogView,
} from "../../protocol/index.ts";

/** What the current role may read, in its own transaction. Estimates and values are PostgreSQL's own statistics: no table is scanned. */
const SCHEMAS = "n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'";
const MAY_READ = `pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND (pg_catalog.has_table_privilege(c.oid, 'SELECT')
  OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT'))`;

const NAMES = `SELECT n.nspname AS schema FROM pg_catalog.pg_namespace n
  WHERE ${SCHEMAS} AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') ORDER BY 1 LIMIT $1`;

const TABLES = `SELECT c.oid::text AS oid, n.nspname AS schema, c.relname AS name, c.reltuples::float8 AS rows,
    left(pg_catalog.obj_description(c.oid, 'pg_class'), $2) AS comment
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE ${SCHEMAS} AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND ${MAY_READ} ORDER BY 2, 3 LIMIT $1`;

const COLUMNS = `SELECT a.attrelid::text AS oid, a.attname AS name, pg_catalog.format_type(a.atttypid, a.atttypmod) AS type,
    left(pg_catalog.col_description(a.attrelid, a.attnum), $3) AS comment,
    EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique AND i.indpred IS NULL
      AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum) AS is_unique,
    s.n_distinct::float8 AS distinct, t.typcategory AS category,
    CASE WHEN t.typcategory IN ('N', 'D') THEN s.histogram_bounds::text::text[] END AS bounds,
    CASE WHEN t.typcategory IN ('N', 'D') OR (s.histogram_bounds IS NULL AND cardinality(s.most_common_freqs) <= $4)
      THEN s.most_common_vals::text::text[] END AS common
  FROM pg_catalog.pg_attribute a
  JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
  LEFT JOIN pg_catalog.pg_stats s ON s.schemaname = n.nspname AND s.tablename = c.relname AND s.attname = a.attname AND NOT s.inherited
  WHERE a.attrelid = ANY ($1::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
    AND pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
  ORDER BY n.nspname, c.relname, a.attnum LIMIT $2`;

const JOINS = `SELECT fn.nspname AS from_schema, fc.relname AS from_table, tn.nspname AS to_schema, tc.relname AS to_table,
    (SELECT array_agg(a.attname::text ORDER BY k.at) FROM unnest(f.conkey) WITH ORDINALITY AS k(number, at)
      JOIN pg_catalog.pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.number) AS from_columns,
    (SELECT array_agg(a.attname::text ORDER BY k.at) FROM unnest(f.confkey) WITH ORDINALITY AS k(number, at)
      JOIN pg_catalog.pg_attribute a ON a.attrelid = f.confrelid AND a.attnum = k.number) AS to_columns,
    EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = f.conrelid AND i.indisunique AND i.indpred IS NULL
      AND i.indnkeyatts = cardinality(f.conkey)
      AND (i.indkey::int2[])[0:i.indnkeyatts - 1] @> f.conkey) AS is_one,
    left(pg_catalog.obj_description(f.oid, 'pg_constraint'), $3) AS comment
  FROM pg_catalog.pg_constraint f
  JOIN pg_catalog.pg_class fc ON fc.oid = f.conrelid JOIN pg_catalog.pg_namespace fn ON fn.oid = fc.relnamespace
  JOIN pg_catalog.pg_class tc ON tc.oid = f.confrelid JOIN pg_catalog.pg_namespace tn ON tn.oid = tc.relnamespace
  WHERE f.contype = 'f' AND f.conrelid = ANY ($1::oid[]) AND f.confrelid = ANY ($1::oid[])
  ORDER BY 1, 2, f.conname LIMIT $2`;

interface TableRow {
  readonly oid: string;
  readonly schema: string;
  readonly name: string;
  readonly rows: number;
  readonly comment: string | null;
}

interface ColumnRow {
  readonly oid: string;
  readonly name: string;
  readonly type: string;
  readonly comment: string | null;
  readonly is_unique: boolean;
  /** Negative: a fraction of all rows. */
  readonly distinct: number | null;
  /** `N`: numbers; `D`: times. */
  readonly category: string;
  /** Only for numbers and times: statistics of long texts are large, and their range means nothing. */
  readonly bounds: readonly string[] | null;
  /** The same, and for others if they are few and complete according to PostgreSQL. */
  readonly common: readonly string[] | null;
}

interface JoinRow extends Omit<CatalogJoin, "comment" | "cardinality"> {
  readonly is_one: boolean;
  readonly comment: string | null;
}

export async function describe(client: ClientBase, catalog: string): Promise<CatalogView> {
  const chars = LIMITS.connectionTextChars;
  const { rows: names } = await client.query<{ schema: string }>(NAMES, [LIMITS.connectionTables + 1]);
  const { rows: tables } = await client.query<TableRow>(TABLES, [LIMITS.connectionTables + 1, chars]);
  const listed = tables.slice(0, LIMITS.connectionTables);
  const oids = listed.map(({ oid }) => oid);
  const { rows: columns } = await client.query<ColumnRow>(COLUMNS, [
    oids,
    LIMITS.connectionColumns + 1,
    chars,
    LIMITS.connectionValues,
  ]);
  const { rows: joins } = await client.query<JoinRow>(JOINS, [oids, LIMITS.connectionJoins + 1, chars]);
  const byTable = new Map<string, ColumnRow[]>();
  for (const column of columns.slice(0, LIMITS.connectionColumns)) {
    const known = byTable.get(column.oid);
    if (known === undefined) byTable.set(column.oid, [column]);
    else known.push(column);
  }
  const schemas = new Map<string, CatalogTable[]>(
    names.slice(0, LIMITS.connectionTables).map(({ schema }) => [schema, []]),
  );
  for (const table of listed) schemas.get(table.schema)?.push(tableOf(table, byTable.get(table.oid) ?? []));
  return {
    catalog,
    schemas: [...schemas].map(([name, inside]) => ({ name, tables: inside })),
    joins: joins.slice(0, LIMITS.connectionJoins).map(joinOf),
    truncated:
      names.length > LIMITS.connectionTables ||
      tables.length > LIMITS.connectionTables ||
      columns.length > LIMITS.connectionColumns ||
      joins.length > LIMITS.connectionJoins,
  };
}

function tableOf({ name, rows, comment }: TableRow, columns: readonly ColumnRow[]): CatalogTable {
  // Below 0: never analysed by PostgreSQL.
  const isKnown = rows >= 0 && columns.length > 0;
  return {
    name,
    ...(comment === null ? {} : { comment }),
    ...(isKnown ? { row_count: Math.round(rows) } : {}),
    columns: columns.map((column) => columnOf(column, Math.max(rows, 0))),
  };
}

function columnOf(
  { name, type, comment, is_unique, distinct, bounds, common, category }: ColumnRow,
  rows: number,
): CatalogColumn {
  const count = distinct === null ? 0 : Math.round(distinct < 0 ? -distinct * rows : distinct);
  const known = [...(bounds ?? []), ...(common ?? [])];
  const isOrdered = category === "N" || category === "D";
  // All of them, or none: a part would look like the whole.
  const isWhole = !isOrdered && common !== null && common.length >= count;
  return {
    name,
    type,
    ...(comment === null ? {} : { comment }),
    ...(is_unique ? { is_unique } : {}),
    ...(isOrdered && known.length > 0 ? rangeOf(known, category === "N") : {}),
    ...(isWhole ? { values: common.map((value) => value.slice(0, LIMITS.connectionTextChars)).sort() } : {}),
    ...(count > 0 ? { unique_count: count } : {}),
  };
}

function rangeOf(known: readonly string[], isNumber: boolean): Pick<CatalogColumn, "min" | "max"> {
  const numbers = known.map(Number);
  if (isNumber && numbers.every((value) => Number.isFinite(value)))
    return { min: Math.min(...numbers), max: Math.max(...numbers) };
  const sorted = known.toSorted();
  return { min: sorted[0] ?? "", max: sorted.at(-1) ?? "" };
}

function joinOf({ is_one, comment, ...join }: JoinRow): CatalogJoin {
  return {
    ...join,
    cardinality: is_one ? "one-to-one" : "many-to-one",
    ...(comment === null ? {} : { comment }),
  };
}
