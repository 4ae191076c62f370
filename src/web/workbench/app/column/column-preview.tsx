import { useMemo, type ReactNode } from "react";
import { textAt } from "../../data/format.ts";
import type { Table } from "../../data/table.ts";
import { WORKBENCH_LIMITS } from "../../limits.ts";
import type { TriedFormula } from "./try-formula.ts";

/** The first values; where the formula is wrong, the place in it. Keeps its height, so that nothing jumps while somebody writes. */
export function ColumnPreview({
  tried,
  table,
  expression,
}: {
  readonly tried: TriedFormula;
  readonly table: Table;
  readonly expression: string;
}): ReactNode {
  return (
    <div className="h-48 overflow-auto rounded-lg border bg-panel p-3 text-sm" aria-live="polite">
      {tried.kind === "empty" && <p className="text-faint">The first values are shown here.</p>}
      {tried.kind === "wrong" && <Place expression={expression} position={tried.position} />}
      {tried.kind === "ready" && <Values tried={tried} table={table} />}
    </div>
  );
}

function Place({
  expression,
  position,
}: {
  readonly expression: string;
  readonly position: number | undefined;
}): ReactNode {
  if (position === undefined) return undefined;
  return (
    <p className="font-mono text-sm break-words whitespace-pre-wrap">
      {expression.slice(0, position)}
      <mark className="rounded-sm bg-bad-soft text-bad underline decoration-wavy">
        {expression.slice(position, position + 1) || " "}
      </mark>
      {expression.slice(position + 1)}
    </p>
  );
}

function Values({
  tried,
  table,
}: {
  readonly tried: Extract<TriedFormula, { kind: "ready" }>;
  readonly table: Table;
}): ReactNode {
  const { formula } = tried;
  const column = useMemo(() => formula.column("preview"), [formula]);
  const shown = Math.min(WORKBENCH_LIMITS.previewRows, table.rowCount);
  return (
    <>
      <p className="mb-1.5 text-xs text-faint">
        {formula.type} · first {shown} of {table.rowCount.toLocaleString("en-US")} rows
      </p>
      <ol className="font-mono">
        {Array.from({ length: shown }, (_, row) => (
          <li key={row} className="flex gap-3">
            <span className="w-6 text-right text-faint">{row + 1}</span>
            <span className="min-w-0 truncate">
              {textAt(column, row) || <span className="text-faint">missing</span>}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
