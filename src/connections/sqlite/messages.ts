import type { CatalogView, ErrorCode, SqlClass } from "../../protocol/index.ts";
import type { Rows, SqlStatement } from "../database.ts";

/** Questions to the process that reads a file. One at a time. */
export type SqliteQuestion =
  | { readonly kind: "test"; readonly path: string }
  | { readonly kind: "describe"; readonly path: string }
  | { readonly kind: "classify"; readonly path: string; readonly sql: string }
  | ({ readonly kind: "query"; readonly path: string } & SqlStatement);

export interface Answers {
  readonly test: string;
  readonly describe: CatalogView;
  readonly classify: SqlClass;
  readonly query: Rows;
}

export type SqliteAnswer =
  | { readonly ok: true; readonly answer: Answers[keyof Answers] }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string; readonly details?: unknown };
