import type { KeyboardEvent, ReactNode, Ref } from "react";
import { Bits } from "../../data/bits.ts";
import type { Table } from "../../data/table.ts";
import { ARROW_STEPS } from "./keys.ts";
import { selectRows } from "./rows.ts";

interface StageProps {
  readonly table: Table;
  /** What is drawn, in a few words. */
  readonly label: string;
  /** The rows that are drawn. */
  readonly rows: Bits;
  /** A row in words. */
  readonly describe: (row: number) => string;
  /** Other keys; true: done. */
  readonly onKey?: ((event: KeyboardEvent) => boolean) | undefined;
  readonly children: ReactNode;
  readonly stage?: Ref<HTMLDivElement> | undefined;
  /** The Tab key passes it by. */
  readonly inner?: boolean | undefined;
}

/** The next row of a set before or after one; -1: none. */
export function rowBeside(rows: Bits, row: number, step: number): number {
  for (let next = row + step; next >= 0 && next < rows.length; next += step) if (rows.has(next)) return next;
  return -1;
}

/** A drawn picture for the keyboard: arrows go from row to row, Enter selects the current one, and it is said what it is. */
export function Stage({ table, label, rows, describe, onKey, children, stage, inner }: StageProps) {
  const current = table.currentRow;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return;
    const step = ARROW_STEPS[event.key];
    if (step !== undefined) {
      const from = current < 0 && step < 0 ? rows.length : current;
      const next = rowBeside(rows, from, step);
      if (next >= 0) table.setCurrentRow(next);
    } else if (event.key === "Home") table.setCurrentRow(rowBeside(rows, -1, 1));
    else if (event.key === "End") table.setCurrentRow(rowBeside(rows, rows.length, -1));
    else if ((event.key === "Enter" || event.key === " ") && current >= 0)
      selectRows(table, Bits.of(table.rowCount, [current]), event);
    else if (onKey?.(event) !== true) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={stage}
      role="application"
      aria-label={`${label}. Arrow keys move between rows, Enter selects.`}
      tabIndex={inner === true ? -1 : 0}
      onKeyDown={onKeyDown}
      className="absolute inset-0 focus-visible:outline-offset-[-2px]"
    >
      {children}
      <span className="sr-only" aria-live="polite">
        {inner !== true && current >= 0 && rows.has(current)
          ? `Row ${(current + 1).toLocaleString("en")}: ${describe(current)}`
          : ""}
      </span>
    </div>
  );
}
