import type { CatalogView, QueryAnswer, SqlClass } from "../protocol/index.ts";

/** Who asks a database. */
export interface Asking {
  /** The id of the token. */
  readonly principal: string;
  /** The caller went away: what runs is ended. */
  readonly signal: AbortSignal;
}

export interface Statement {
  readonly sql: string;
  readonly maxRows: number;
}

export type Rows = Omit<QueryAnswer, "elapsed_ms">;

/** One database, for reading. Whatever goes wrong is a Failure. */
export interface Database {
  readonly catalog: string;
  /** Answers the version of the database; a Failure says what to do. */
  test(signal: AbortSignal): Promise<string>;
  describe(asking: Asking): Promise<CatalogView>;
  /** By parsing alone; a Failure where it is no SQL. */
  classify(asking: Asking, sql: string): Promise<SqlClass>;
  query(asking: Asking, statement: Statement): Promise<Rows>;
  /** Ends what runs; resolves when nothing is left. */
  close(): Promise<void>;
}
