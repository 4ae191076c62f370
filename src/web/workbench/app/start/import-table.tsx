import type { ReactNode } from "react";
import type { ColumnType } from "../../data/column.ts";
import { textAt } from "../../data/format.ts";
import type { ImportPreview } from "../../data/read/import.ts";
import { WORKBENCH_LIMITS } from "../../limits.ts";
import { COLUMN_TYPE_WORDS } from "../column/type-words.ts";

interface ImportTableProps {
  readonly preview: ImportPreview;
  readonly types: Readonly<Record<string, ColumnType>>;
  /** Absent type: found out. */
  readonly choose: (name: string, type: ColumnType | undefined) => void;
}

/** The first rows, with a choice of type above each column. */
export function ImportTable({ preview, types, choose }: ImportTableProps): ReactNode {
  const { rowCount, columns } = preview.table;
  const shown = columns.slice(0, WORKBENCH_LIMITS.importColumns);
  const rows = Array.from({ length: Math.min(rowCount, WORKBENCH_LIMITS.previewRows) }, (_, row) => row);
  const more = columns.length - shown.length;
  return (
    <section aria-label="Preview" tabIndex={0} className="overflow-x-auto rounded-lg border">
      <table className="text-sm">
        <thead className="bg-panel text-left">
          <tr>
            {shown.map(({ name, type }) => (
              <th key={name} scope="col" className="border-b px-2.5 py-2 align-top font-medium">
                <span className="block max-w-48 truncate" title={name}>
                  {name}
                </span>
                <select
                  aria-label={`Type of ${name}`}
                  value={types[name] ?? ""}
                  className="mt-1 h-8 max-w-48 rounded border border-line-strong/60 bg-raised px-1 text-xs font-normal"
                  onChange={({ target }) => choose(name, COLUMN_TYPE_WORDS.find(([one]) => one === target.value)?.[0])}
                >
                  <option value="">Automatic{types[name] === undefined ? ` (${wordOf(type)})` : ""}</option>
                  {COLUMN_TYPE_WORDS.map(([one, words]) => (
                    <option key={one} value={one}>
                      {words}
                    </option>
                  ))}
                </select>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row} className="border-b last:border-b-0">
              {shown.map((column) => (
                <td key={column.name} className="max-w-48 truncate px-2.5 py-1 tabular-nums">
                  {textAt(column, row) || <span className="text-faint">—</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && <p className="border-t px-2.5 py-1.5 text-xs text-faint">{more} more columns are not shown here.</p>}
    </section>
  );
}

function wordOf(type: ColumnType): string {
  return COLUMN_TYPE_WORDS.find(([one]) => one === type)?.[1] ?? type;
}
