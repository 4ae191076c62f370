import type { ReactNode } from "react";
import { classes } from "./classes.ts";

export interface TableColumn<Row> {
  readonly label: string;
  readonly cell: (row: Row) => ReactNode;
  /** Figures stand at the right. */
  readonly figure?: boolean;
  /** On a phone the first line of the card, without its label. */
  readonly heading?: boolean;
  readonly className?: string;
}

/** A table that becomes a list of cards on a phone. The roles keep it a table for screen readers in both shapes. */
export function DataTable<Row>({
  label,
  columns,
  rows,
  keyOf,
  foot,
}: {
  readonly label: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** One row of sums under the others. */
  readonly foot?: Row;
}): ReactNode {
  return (
    <table role="table" aria-label={label} className="w-full text-sm max-md:block">
      <thead role="rowgroup" className="max-md:sr-only">
        <tr role="row" className="border-b">
          {columns.map((column) => (
            <th
              key={column.label}
              role="columnheader"
              scope="col"
              className={classes("px-3 py-2 font-medium text-soft", column.figure === true ? "text-end" : "text-start")}
            >
              {column.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup" className="max-md:block max-md:space-y-3">
        {rows.map((row) => (
          <DataRow key={keyOf(row)} row={row} columns={columns} className="border-b last:border-b-0" />
        ))}
      </tbody>
      {foot !== undefined && (
        <tfoot role="rowgroup" className="max-md:mt-3 max-md:block">
          <DataRow row={foot} columns={columns} className="border-t font-medium" />
        </tfoot>
      )}
    </table>
  );
}

function DataRow<Row>({
  row,
  columns,
  className,
}: {
  readonly row: Row;
  readonly columns: readonly TableColumn<Row>[];
  readonly className: string;
}): ReactNode {
  return (
    <tr
      role="row"
      className={classes(
        className,
        "max-md:block max-md:rounded-lg max-md:border! max-md:bg-raised max-md:px-3 max-md:py-2",
      )}
    >
      {columns.map((column) => (
        <td
          key={column.label}
          role="cell"
          className={classes(
            "px-3 py-2 align-top max-md:flex max-md:min-w-0 max-md:gap-3 max-md:px-0 max-md:py-1",
            column.figure === true && "text-end tabular-nums",
            column.heading === true ? "max-md:justify-start max-md:font-medium" : "max-md:justify-between",
            column.className,
          )}
        >
          {column.heading !== true && (
            <span aria-hidden className="shrink-0 text-soft md:hidden">
              {column.label}
            </span>
          )}
          <span className="min-w-0 break-words max-md:max-w-full">{column.cell(row)}</span>
        </td>
      ))}
    </tr>
  );
}
