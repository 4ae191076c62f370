import { valueAt } from "../../../../src/web/workbench/data/column.ts";
import type { CellValue, Column } from "../../../../src/web/workbench/data/column.ts";
import type { FormatOptions } from "../../../../src/web/workbench/data/read/options.ts";
import { unpackTable } from "../../../../src/web/workbench/data/read/packed.ts";
import { parseFile } from "../../../../src/web/workbench/data/read/parse.ts";

/** What the worker and the page do with a file, in one process. */
export async function readColumns(
  name: string,
  content: string | ArrayBuffer | Uint8Array<ArrayBuffer>,
  options: FormatOptions = {},
): Promise<readonly Column[]> {
  const packed = await parseFile(new Blob([content]), { ...options, name });
  return unpackTable(
    packed,
    () => 0,
    () => Promise.resolve(),
  );
}

/** Name, type and values of each column. */
export function shown(columns: readonly Column[]): readonly (readonly [string, string, readonly CellValue[]])[] {
  return columns.map((column) => {
    const length = "codes" in column ? column.codes.length : column.numbers.length;
    return [column.name, column.type, Array.from({ length }, (_, row) => valueAt(column, row))];
  });
}
