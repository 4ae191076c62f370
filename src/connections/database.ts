import type { CatalogView, QueryAnswer, SqlClass } from "../protocol/index.ts";

/** Who asks a database. */
export interface DatabaseCaller {
  /** The id of the token. */
  readonly principal: string;
  /** Aborted when the caller disconnects: running statements are ended. */
  readonly signal: AbortSignal;
}

export interface SqlStatement {
  readonly sql: string;
  readonly maxRows: number;
}

export type Rows = Omit<QueryAnswer, "elapsed_ms">;

/** One read-only database. Every error is a Failure. */
export interface NamedDatabase {
  readonly catalog: string;
  /** Returns the version of the database; a Failure says what to do. */
  test(signal: AbortSignal): Promise<string>;
  describe(asking: DatabaseCaller): Promise<CatalogView>;
  /** By parsing alone; a Failure when it is not SQL. */
  classify(asking: DatabaseCaller, sql: string): Promise<SqlClass>;
  query(asking: DatabaseCaller, statement: SqlStatement): Promise<Rows>;
  /** Ends running statements; resolves when nothing is left. */
  close(): Promise<void>;
}
