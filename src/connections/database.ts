import type { CatalogView, QueryAnswer, SqlClass } from "../protocol/index.ts";

/** Who asks a database. */
export interface DatabaseCaller {
  /** The id of the token. */
  readonly principal: string;
  /** The caller went away: what runs is ended. */
  readonly signal: AbortSignal;
}

export interface SqlStatement {
  readonly sql: string;
  readonly maxRows: number;
}

export type Rows = Omit<QueryAnswer, "elapsed_ms">;

/** One database, for reading. Whatever goes wrong is a Failure. */
export interface NamedDatabase {
  readonly catalog: string;
  /** Answers the version of the database; a Failure says what to do. */
  test(signal: AbortSignal): Promise<string>;
  describe(asking: DatabaseCaller): Promise<CatalogView>;
  /** By parsing alone; a Failure where it is no SQL. */
  classify(asking: DatabaseCaller, sql: string): Promise<SqlClass>;
  query(asking: DatabaseCaller, statement: SqlStatement): Promise<Rows>;
  /** Ends what runs; resolves when nothing is left. */
  close(): Promise<void>;
}
