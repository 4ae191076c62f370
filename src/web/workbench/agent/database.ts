import type { SallyportClient, CatalogView, ConnectionView } from "../../../client/index.ts";
import { classifySql } from "../../../contexts/index.ts";
import type { DatabaseInfo, DatabaseSchema, SimilarQuery, SqlConnection } from "../../../contexts/hosts.ts";
import { textAt } from "../data/format.ts";
import { isMissing, isNumeric, isText, valueAt, type Column } from "../data/column.ts";
import { statsOf } from "../data/stats.ts";
import type { Table } from "../data/table.ts";
import { tableOfAnswer } from "../sql/from-answer.ts";

/** What of the client is used here. */
export type ToolSqlClient = Pick<SallyportClient, "connections" | "catalogs" | "catalog" | "classifySql" | "querySql">;

/** What document 000's SQL tools need of one database. */
export interface ToolDatabase {
  readonly defaultCatalog: string;
  readonly catalogs: readonly DatabaseInfo[];
  readonly connection: SqlConnection;
  /** Runs a query that only reads; its whole answer, up to OPENED_ROWS rows. */
  readonly ask: (sql: string, options: AskOptions) => Promise<AskedTable>;
}

interface AskOptions {
  readonly signal: AbortSignal;
  /** Of the table. */
  readonly name: string;
}

interface AskedTable {
  readonly table: Table;
  /** There were more rows. */
  readonly isCut: boolean;
}

/** Where the tables of the page are found in SQL. */
export const PAGE_DATABASE = { id: "page", catalog: "page", schema: "main" } as const;
/** Rows that a query of the page's database gives at most: try_sql shows ten. */
const TRIED_ROWS = 1_000;
/** Rows of a query's answer that becomes a table; the server sends no more either. */
export const OPENED_ROWS = 100_000;
/** So many values of a column are told. */
const TOLD_VALUES = 15;

type Similar = (connectionId: string, prompt: string) => readonly SimilarQuery[];

/** A database behind the server. It is read with the rights of the person's token, and never written to: the server sees to that. */
export async function serverDatabase(
  client: ToolSqlClient,
  view: ConnectionView,
  similar: Similar,
): Promise<ToolDatabase> {
  const { catalogs } = await client.catalogs(view.id);
  const running = new Set<AbortController>();
  return {
    defaultCatalog: view.default_catalog,
    catalogs: catalogs.map((catalog) => serverCatalog(client, view, catalog)),
    connection: {
      id: view.id,
      classify: async (sql) => (await client.classifySql(view.id, sql)).does,
      run: async (sql) => {
        const controller = new AbortController();
        running.add(controller);
        try {
          return await client.querySql(view.id, { sql, max_rows: TRIED_ROWS }, controller.signal);
        } finally {
          running.delete(controller);
        }
      },
      cancel: () => {
        for (const controller of running) controller.abort();
      },
      similarQueries: (prompt) => similar(view.id, prompt),
    },
    ask: async (sql, { signal, name }) => {
      const answer = await client.querySql(view.id, { sql, max_rows: OPENED_ROWS }, signal);
      return { table: tableOfAnswer(name, answer), isCut: answer.truncated };
    },
  };
}

function serverCatalog(client: ToolSqlClient, view: ConnectionView, catalog: string): DatabaseInfo {
  let read: Promise<CatalogView> | undefined;
  const whole = (): Promise<CatalogView> => {
    // One that failed is asked for again with the next call.
    read ??= client.catalog(view.id, catalog).catch((error: unknown) => {
      read = undefined;
      throw error;
    });
    return read;
  };
  const schemas = async (): Promise<readonly DatabaseSchema[]> =>
    (await whole()).schemas.map((schema) => ({
      name: schema.name,
      tables: schema.tables.map(({ row_count, columns, ...table }) => ({
        ...table,
        rowCount: row_count,
        columns: columns.map(({ is_unique, unique_count, ...column }) => ({
          ...column,
          isUnique: is_unique,
          uniqueCount: unique_count,
        })),
      })),
    }));
  return {
    catalog,
    ...(view.kind === "sqlite" ? single(schemas) : { schemas }),
    joins: async () =>
      (await whole()).joins.map((join) => ({
        fromSchema: join.from_schema,
        fromTable: join.from_table,
        fromColumns: join.from_columns,
        toSchema: join.to_schema,
        toTable: join.to_table,
        toColumns: join.to_columns,
        cardinality: join.cardinality,
        comment: join.comment,
      })),
  };
}

/** A database without schemas has one, which people may also call the public one. */
function single(schemas: DatabaseInfo["schemas"]): Pick<DatabaseInfo, "schemas" | "schema"> {
  return {
    schemas,
    schema: async (name) => (await schemas()).find((schema) => schema.name === name || name === "public"),
  };
}

/** The SQL engine of the page, as far as the agent's tools use it. */
export interface ToolPageSql {
  /** Throws with the engine's words. */
  ask(sql: string, options: { readonly signal: AbortSignal; readonly maxRows: number }): Promise<AskedTable>;
  /** The open tables by the names that queries know them by. */
  tables(): readonly { readonly name: string; readonly table: Table }[];
}

/** The tables that are open in the page. Nothing there can be changed by SQL: the engine works on copies. */
export function pageDatabase(sql: ToolPageSql, similar: Similar): ToolDatabase {
  let running: AbortController | undefined;
  return {
    defaultCatalog: PAGE_DATABASE.catalog,
    catalogs: [
      {
        catalog: PAGE_DATABASE.catalog,
        ...single(() => Promise.resolve([{ name: PAGE_DATABASE.schema, tables: sql.tables().map(describe) }])),
        joins: () => Promise.resolve([]),
      },
    ],
    connection: {
      id: PAGE_DATABASE.id,
      classify: classifySql,
      run: async (statement) => {
        running = new AbortController();
        const { table } = await sql.ask(statement, { signal: running.signal, maxRows: TRIED_ROWS });
        const rows = Array.from({ length: table.rowCount }, (_, row) =>
          table.columns.map((column) => sentValue(column, row)),
        );
        return { columns: table.columns.map(({ name, type }) => ({ name, type })), rows };
      },
      cancel: () => running?.abort(),
      similarQueries: (prompt) => similar(PAGE_DATABASE.id, prompt),
    },
    ask: async (statement, { signal, name }) => {
      const { table, isCut } = await sql.ask(statement, { signal, maxRows: OPENED_ROWS });
      table.rename(name);
      return { table, isCut };
    },
  };
}

/** Numbers as they are, where a double holds them. */
function sentValue(column: Column, row: number): unknown {
  if (isMissing(column, row)) return null;
  const isPlain = isText(column) || (column.type !== "datetime" && column.exact === undefined);
  return isPlain ? valueAt(column, row) : textAt(column, row);
}

function describe({ name, table }: { readonly name: string; readonly table: Table }): {
  readonly name: string;
  readonly rowCount: number;
  readonly columns: readonly ReturnType<typeof describeColumn>[];
} {
  return { name, rowCount: table.rowCount, columns: table.columns.map((column) => describeColumn(column)) };
}

function describeColumn(column: Column): {
  readonly name: string;
  readonly type: string;
  readonly min?: string | number;
  readonly max?: string | number;
  readonly values?: readonly string[];
  readonly uniqueCount?: number;
} {
  const { name, type } = column;
  if (isText(column)) {
    const { categories } = column;
    return {
      name,
      type,
      uniqueCount: categories.length,
      ...(categories.length <= TOLD_VALUES ? { values: categories } : {}),
    };
  }
  if (!isNumeric(column)) return { name, type };
  const { min, max } = statsOf(column);
  if (Number.isNaN(min)) return { name, type };
  const shown = (value: number): string | number => (type === "datetime" ? new Date(value).toISOString() : value);
  return { name, type, min: shown(min), max: shown(max) };
}
