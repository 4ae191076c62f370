import { Plus, Sigma, X } from "lucide-react";
import * as Popover from "@radix-ui/react-popover";
import type { ReactNode } from "react";
import { AGGREGATES } from "../../data/aggregate.ts";
import { ColumnSelect, WordSelect } from "../drawing/column-select.tsx";
import { listOf } from "../look.ts";
import type { LookEditor } from "../viewer.ts";

interface MeasureEntry {
  readonly column: string;
  readonly kind: string;
}

/** Which figures stand in the cells: a column and how its values become one, as often as one likes. */
export function MeasurePicker({ viewer }: { readonly viewer: LookEditor }): ReactNode {
  const { table, look, change } = viewer;
  const kinds = listOf(look, "aggregateAggTypes");
  const entries = listOf(look, "aggregateColumnNames").map((column, at): MeasureEntry => ({
    column,
    kind: kinds[at] ?? "avg",
  }));
  const put = (next: readonly MeasureEntry[]): void =>
    change({
      aggregateColumnNames: next.map(({ column }) => column),
      aggregateAggTypes: next.map(({ kind }) => kind),
    });
  const words = entries.length === 0 ? "count" : entries.map(({ column, kind }) => `${kind}(${column})`).join(", ");
  const free = table.columns.find(({ type }) => type === "double" || type === "int") ?? table.columns[0];
  return (
    <Popover.Root>
      <Popover.Trigger
        className="flex h-6 max-w-56 min-w-0 items-center gap-1 rounded border border-transparent px-1 text-xs text-soft hover:border-line-strong hover:text-ink"
        title={`Figures: ${words}`}
      >
        <Sigma aria-hidden className="size-3.5 shrink-0" />
        <span className="truncate">{words}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          collisionPadding={8}
          aria-label="Figures"
          className="z-40 flex max-h-80 w-72 flex-col gap-1 overflow-auto rounded-lg border bg-raised p-2 text-sm shadow-lg"
        >
          {entries.length === 0 && <p className="px-1 text-xs text-soft">How many rows. Add a figure of a column:</p>}
          {entries.map((entry, at) => (
            <div key={`${String(at)} ${entry.column} ${entry.kind}`} className="flex items-center gap-1">
              <WordSelect
                label="How values become one"
                value={entry.kind}
                choices={AGGREGATES}
                onChange={(kind) => put(entries.with(at, { ...entry, kind }))}
              />
              <ColumnSelect
                label="Figure of"
                table={table}
                value={entry.column}
                onChange={(column) => column !== undefined && put(entries.with(at, { ...entry, column }))}
              />
              <button
                type="button"
                aria-label={`Remove ${entry.kind} of ${entry.column}`}
                className="ml-auto flex size-6 shrink-0 items-center justify-center rounded text-soft hover:bg-sunken hover:text-ink"
                onClick={() => put(entries.toSpliced(at, 1))}
              >
                <X aria-hidden className="size-3.5" />
              </button>
            </div>
          ))}
          {free !== undefined && (
            <button
              type="button"
              className="flex h-7 items-center gap-1 rounded px-1 text-xs text-soft hover:bg-sunken hover:text-ink"
              onClick={() => put([...entries, { column: free.name, kind: "avg" }])}
            >
              <Plus aria-hidden className="size-3.5" /> Add a figure
            </button>
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
