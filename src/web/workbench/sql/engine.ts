import type { AsyncDuckDBConnection } from "@duckdb/duckdb-wasm";
import type { RecordBatch } from "apache-arrow";
import type { Column } from "../data/column.ts";
import type { Table } from "../data/table.ts";
import { openDuckDb, type LoadProgress, type OpenedDuckDb } from "./duckdb.ts";
import { tableFrom } from "./from-arrow.ts";
import { SQL_LIMITS } from "./limits.ts";
import { quoted } from "./names.ts";
import { duckDbWords } from "./sql-error.ts";
import { arrowStreams } from "./to-arrow.ts";

export interface SqlOptions {
  readonly signal?: AbortSignal | undefined;
  /** Absent: SQL_LIMITS.rows. */
  readonly maxRows?: number | undefined;
}

export interface SqlTable {
  readonly table: Table;
  /** There were more rows than these. */
  readonly isCut: boolean;
  /** How long it took, without the loading of the engine; with the copying of tables. */
  readonly ms: number;
}

/** SQL over tables of the page. The engine works on copies: nothing that a query does changes a table. */
export interface SqlEngine {
  /** Makes a table known under an identifier and under its own name in quotes; instead of one that had the identifier. Copied when a query first names it. */
  register(identifier: string, table: Table): void;
  forget(identifier: string): void;
  tables(): readonly { readonly name: string; readonly table: Table }[];
  /** One after the other. Throws with DuckDB's own words; an abort ends the query at once. */
  query(sql: string, options?: SqlOptions): Promise<SqlTable>;
  close(): void;
}

interface KnownTable {
  readonly table: Table;
  /** The columns that the engine has a copy of; absent: none. */
  copied: readonly Column[] | undefined;
}

/** Loads the engine: 33 MB, which the browser keeps. */
export async function openSql(progress: (progress: LoadProgress) => void = () => {}): Promise<SqlEngine> {
  return new DuckDbEngine(await openDuckDb(progress));
}

class DuckDbEngine implements SqlEngine {
  readonly #known = new Map<string, KnownTable>();
  /** Absent after a query had to be ended by force: opened again for the next. */
  #opened: OpenedDuckDb | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;
  #isClosed = false;

  constructor(opened: OpenedDuckDb) {
    this.#opened = opened;
  }

  register(identifier: string, table: Table): void {
    const known = this.#known.get(identifier);
    if (known?.table !== table) this.#known.set(identifier, { table, copied: undefined });
  }

  forget(identifier: string): void {
    this.#known.delete(identifier);
  }

  tables(): readonly { readonly name: string; readonly table: Table }[] {
    return [...this.#known].map(([name, { table }]) => ({ name, table }));
  }

  query(sql: string, options: SqlOptions = {}): Promise<SqlTable> {
    const answer = this.#last.then(() => this.#answer(sql, options));
    this.#last = answer.catch(() => {});
    return answer;
  }

  close(): void {
    this.#isClosed = true;
    this.#kill();
  }

  async #answer(sql: string, { signal, maxRows = SQL_LIMITS.rows }: SqlOptions): Promise<SqlTable> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new Error("The SQL engine was closed.");
    this.#opened ??= await openDuckDb(() => {});
    const { connection } = this.#opened;
    const begun = performance.now();
    return this.#heeding(signal, connection, async () => {
      await this.#copyTables(connection, sql, signal);
      const answer = await read(connection, sql, maxRows, signal);
      this.#count += 1;
      // What the statement has done to the copies is not kept.
      if (!READS.test(sql)) for (const known of this.#known.values()) known.copied = undefined;
      const table = await tableFrom(answer.schema, answer.batches, { name: `Query ${this.#count}`, rows: answer.rows });
      return { table, isCut: answer.isCut, ms: performance.now() - begun };
    });
  }

  /** An abort asks the query to end; one that does not is ended with its engine. */
  #heeding<Answer>(
    signal: AbortSignal | undefined,
    connection: AsyncDuckDBConnection,
    work: () => Promise<Answer>,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        const timer = setTimeout(() => {
          this.#kill();
          reject(signal?.reason);
        }, SQL_LIMITS.cancelGraceMs);
        connection.cancelSent().then(
          () => {},
          () => {},
        );
        working.finally(() => clearTimeout(timer)).catch(() => {});
      };
      const working = work();
      signal?.addEventListener("abort", stop, { once: true });
      working
        .then(resolve, (error: unknown) => reject(signal?.aborted === true ? signal.reason : this.#told(error)))
        .finally(() => signal?.removeEventListener("abort", stop))
        .catch(() => {});
    });
  }

  /** An engine that has crashed would fail for ever: the next query gets another one. */
  #told(error: unknown): Error {
    if (isCrash(error)) {
      this.#kill();
      return new Error("The SQL engine ran out of memory or broke down. It starts again with the next query.");
    }
    return new Error(duckDbWords(error instanceof Error ? error.message : String(error)));
  }

  #kill(): void {
    this.#opened?.kill();
    this.#opened = undefined;
    for (const known of this.#known.values()) known.copied = undefined;
  }

  /** Those that the query names and that are not in the engine as they are now. */
  async #copyTables(connection: AsyncDuckDBConnection, sql: string, signal: AbortSignal | undefined): Promise<void> {
    for (const [identifier, known] of this.#known) {
      if (known.copied === known.table.columns || !isNamed(sql, identifier, known.table.name)) continue;
      await copyTable(connection, identifier, known.table, signal);
      known.copied = known.table.columns;
    }
  }
}

/** What WebAssembly itself throws. */
function isCrash(error: unknown): boolean {
  const words = error instanceof Error ? `${error.name} ${error.message}` : String(error);
  return /RuntimeError|memory access out of bounds|unreachable|function signature mismatch|Cannot enlarge memory/.test(
    words,
  );
}

/** Statements that leave the copies as they are. */
const READS =
  /^\s*(?:--[^\n]*\n\s*)*\(?\s*(?:select|with|from|values|show|describe|summarize|explain|pivot|unpivot)\b[^;]*;?\s*$/i;

/** Statements that ask which tables there are. */
const LISTS = /\b(?:show|information_schema|duckdb_\w+|pg_catalog|sqlite_master)\b/i;

/** Whether a query may mean a table. One too many costs only its copying. */
function isNamed(sql: string, identifier: string, name: string): boolean {
  const small = sql.toLowerCase();
  return small.includes(identifier) || small.includes(name.toLowerCase()) || LISTS.test(sql);
}

async function copyTable(
  connection: AsyncDuckDBConnection,
  identifier: string,
  table: Table,
  signal: AbortSignal | undefined,
): Promise<void> {
  await connection.query(`DROP VIEW IF EXISTS ${quoted(table.name)}`).catch(() => {});
  await connection.query(`DROP TABLE IF EXISTS ${quoted(identifier)}`);
  let isFirst = true;
  for await (const bytes of arrowStreams(table)) {
    signal?.throwIfAborted();
    await connection.insertArrowFromIPCStream(bytes, { name: identifier, create: isFirst });
    isFirst = false;
  }
  if (table.name.toLowerCase() !== identifier)
    await connection.query(`CREATE OR REPLACE VIEW ${quoted(table.name)} AS SELECT * FROM ${quoted(identifier)}`);
}

async function read(
  connection: AsyncDuckDBConnection,
  sql: string,
  maxRows: number,
  signal: AbortSignal | undefined,
): Promise<{
  readonly schema: RecordBatch["schema"];
  readonly batches: readonly RecordBatch[];
  readonly rows: number;
  readonly isCut: boolean;
}> {
  const reader = await connection.send(sql, true);
  await reader.open();
  // At its end the reader has forgotten it.
  const { schema } = reader;
  const batches: RecordBatch[] = [];
  let rows = 0;
  for await (const batch of reader) {
    signal?.throwIfAborted();
    batches.push(batch);
    rows += batch.numRows;
    if (rows > maxRows) {
      await connection.cancelSent();
      break;
    }
  }
  return { schema, batches, rows: Math.min(rows, maxRows), isCut: rows > maxRows };
}
