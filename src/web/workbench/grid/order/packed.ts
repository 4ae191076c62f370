import { isText, type Column } from "../../data/column.ts";
import { GRID_LIMITS } from "../sizes.ts";

/** A column as it is sent to a worker. Many short texts are slow to send, a few long ones are fast. */
export interface SentColumn {
  /** Without its categories. */
  readonly column: Column;
  /** The categories one after the other. */
  readonly texts: readonly string[];
  /** Of each category, in UTF-16 units. */
  readonly lengths: Int32Array;
}

export interface SortQuestion {
  readonly rowCount: number;
  readonly columns: readonly SentColumn[];
  readonly keys: readonly { readonly column: string; readonly descending: boolean }[];
}

/** `rest` lets the page do something else between two portions. */
export async function packColumn(column: Column, rest: () => Promise<void>): Promise<SentColumn> {
  if (!isText(column)) return { column, texts: [], lengths: new Int32Array(0) };
  const { categories } = column;
  const texts: string[] = [];
  const lengths = new Int32Array(categories.length);
  for (let from = 0; from < categories.length; from += GRID_LIMITS.packedTexts) {
    const portion = categories.slice(from, from + GRID_LIMITS.packedTexts);
    for (const [index, text] of portion.entries()) lengths[from + index] = text.length;
    texts.push(portion.join(""));
    if (from > 0) await rest();
  }
  return { column: { ...column, categories: [] }, texts, lengths };
}

export function unpackColumn({ column, texts, lengths }: SentColumn): Column {
  if (!isText(column)) return column;
  const categories: string[] = [];
  for (const [portion, text] of texts.entries()) {
    const from = portion * GRID_LIMITS.packedTexts;
    let at = 0;
    for (const length of lengths.subarray(from, from + GRID_LIMITS.packedTexts)) {
      categories.push(text.slice(at, at + length));
      at += length;
    }
  }
  return { ...column, categories };
}
