import type { CatalogView, ConnectionView, SallyportClient } from "../../../client/index.ts";
import { Failure } from "../../../client/index.ts";
import { tableOfAnswer } from "./from-answer.ts";
import { writtenName } from "./names.ts";
import type { SqlTable } from "./engine.ts";
import type { PageSql } from "./page-sql.ts";

/** The open tables, as a source of queries. */
export const PAGE_SOURCE = "page";

export type SqlClient = Pick<SallyportClient, "connections" | "catalogs" | "catalog" | "querySql">;

/** What is asked: the open tables or a database behind the server. */
export interface SqlSource {
  readonly id: string;
  readonly name: string;
  readonly kind: "page" | ConnectionView["kind"];
}

export interface ListedTable {
  /** As it is shown: with its schema where that is not the usual one. */
  readonly name: string;
  /** As it is written into a query. */
  readonly written: string;
  readonly rows?: number | undefined;
  readonly comment?: string | undefined;
  readonly columns: readonly { readonly name: string; readonly written: string; readonly type: string }[];
}

export interface SourceTables {
  readonly tables: readonly ListedTable[];
  /** There are more than are listed. */
  readonly isCut: boolean;
}

/** Those of the server. Who may not know has none. */
export async function serverSources(client: SqlClient): Promise<readonly SqlSource[]> {
  try {
    const { connections } = await client.connections();
    return connections.map(({ id, name, kind }) => ({ id, name, kind }));
  } catch (error) {
    if (error instanceof Failure && error.code === "forbidden") return [];
    throw error;
  }
}

export function pageTables(sql: Pick<PageSql, "tables">): SourceTables {
  const tables = sql.tables().map(({ name, table }) => ({
    name,
    written: writtenName(name),
    rows: table.rowCount,
    comment: table.name === name ? undefined : table.name,
    columns: table.columns.map((column) => ({
      name: column.name,
      written: writtenName(column.name),
      type: column.type,
    })),
  }));
  return { tables, isCut: false };
}

export async function serverTables(client: SqlClient, id: string): Promise<SourceTables> {
  const { catalogs } = await client.catalogs(id);
  const views = await Promise.all(catalogs.map((catalog) => client.catalog(id, catalog)));
  return { tables: views.flatMap(listed), isCut: views.some(({ truncated }) => truncated) };
}

/** Schemas that need not be written. */
const USUAL = new Set(["public", "main"]);

function listed({ schemas }: CatalogView): readonly ListedTable[] {
  return schemas.flatMap((schema) =>
    schema.tables.map(({ name, comment, row_count, columns }) => ({
      name: USUAL.has(schema.name) ? name : `${schema.name}.${name}`,
      written: USUAL.has(schema.name) ? writtenName(name) : `${writtenName(schema.name)}.${writtenName(name)}`,
      rows: row_count,
      comment,
      columns: columns.map((column) => ({ name: column.name, written: writtenName(column.name), type: column.type })),
    })),
  );
}

/** Runs a query where it belongs. `now`: milliseconds of any clock. */
export async function askSource(
  source: SqlSource,
  sql: string,
  where: {
    readonly page: PageSql;
    readonly client: SqlClient | undefined;
    readonly signal: AbortSignal;
    readonly now: () => number;
    /** Of the table that it becomes. */
    readonly name: string;
  },
): Promise<SqlTable> {
  if (source.kind === "page") {
    return where.page.ask(sql, { signal: where.signal });
  }
  if (where.client === undefined) throw new Error("The server cannot be reached.");
  const begun = where.now();
  const answer = await where.client.querySql(source.id, { sql }, where.signal);
  return { table: tableOfAnswer(where.name, answer), isCut: answer.truncated, ms: where.now() - begun };
}
