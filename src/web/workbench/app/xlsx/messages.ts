import type { SentColumn } from "../../grid/order/packed.ts";

/** A table that becomes an Excel file in a worker. */
export interface XlsxQuestion {
  readonly name: string;
  readonly rowCount: number;
  readonly columns: readonly SentColumn[];
  /** The rows that are saved, a bit for each. Absent: all. */
  readonly words: Uint32Array | undefined;
}

export type XlsxAnswer =
  | { readonly kind: "saved"; readonly file: Blob; readonly notes: readonly string[] }
  /** In words for a person. */
  | { readonly kind: "failed"; readonly words: string };
