import { visible } from "./visible.ts";

const GAP = "  ";

/** Columns as wide as their widest cell. The last one is cut to the remaining width. */
export function table(rows: readonly (readonly string[])[], width: number): readonly string[] {
  const cells = rows.map((row) => row.map((cell) => visible(cell).replaceAll("\n", " ")));
  const widths: number[] = [];
  for (const row of cells)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return cells.map((row) => {
    const line = row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join(GAP);
    return line.length <= width ? line.trimEnd() : `${line.slice(0, Math.max(1, width - 1))}…`;
  });
}
