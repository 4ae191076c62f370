import * as Popover from "@radix-ui/react-popover";
import { useMemo, type ReactNode } from "react";
import { isNumeric, isText, type Column } from "../../data/column.ts";
import type { FilterSpec } from "../../data/filter.ts";
import { dateText, figure } from "../../data/format.ts";
import { statsOf } from "../../data/stats.ts";
import type { Table } from "../../data/table.ts";
import type { ColumnWindowKind } from "./column-menu.tsx";
import { RangeFilter } from "./range-filter.tsx";
import { typeWord } from "./type-icon.tsx";
import { ValueFilter } from "./value-filter.tsx";

interface ColumnWindowProps {
  readonly kind: ColumnWindowKind;
  readonly table: Table;
  readonly column: Column;
  readonly filterKey: string;
  readonly anchor: ReactNode;
  readonly apply: (spec: FilterSpec | undefined) => void;
  /** The focus goes back to the head. */
  readonly close: () => void;
}

/** A small window at a column's head: its filter or its statistics. */
export function ColumnWindow(props: ColumnWindowProps): ReactNode {
  const { kind, table, column, anchor, filterKey, close } = props;
  const apply = (spec: FilterSpec | undefined): void => {
    props.apply(spec);
    close();
  };
  return (
    <Popover.Root open onOpenChange={(open) => !open && close()}>
      <Popover.Anchor asChild>{anchor}</Popover.Anchor>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={2}
          collisionPadding={8}
          aria-label={`${kind === "filter" ? "Filter of" : "Statistics of"} ${column.name}`}
          className="z-50 w-[min(19rem,calc(100vw-1rem))] rounded-lg border bg-raised p-3.5 shadow-lg"
          onCloseAutoFocus={(event) => event.preventDefault()}
        >
          <h2 className="mb-2.5 truncate text-sm font-semibold">
            {kind === "filter" ? "Filter" : "Statistics"} · {column.name}
          </h2>
          {kind === "statistics" ? (
            <Statistics table={table} column={column} />
          ) : isNumeric(column) ? (
            <RangeFilter table={table} column={column} filterKey={filterKey} apply={apply} />
          ) : (
            <ValueFilter table={table} column={column} filterKey={filterKey} apply={apply} />
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Statistics({ table, column }: { readonly table: Table; readonly column: Column }): ReactNode {
  const stats = useMemo(() => statsOf(column, table.filtered), [column, table.filtered]);
  // Statistics of exact numbers are computed with the nearest doubles.
  const isNear = column.type === "bigint" || (!isText(column) && column.exact !== undefined);
  const show = (value: number): string => {
    if (column.type === "datetime") return dateText(value);
    const text = figure(value);
    return isNear && !text.startsWith("≈") ? `≈${text}` : text;
  };
  const lines: readonly (readonly [string, string])[] = [
    ["Type", typeWord(column.type)],
    ["Values", stats.count.toLocaleString("en")],
    ["Without a value", stats.missing.toLocaleString("en")],
    ["Different values", stats.unique.toLocaleString("en")],
    ...(isText(column) && column.type === "string" ? [] : numbers(column, stats, show)),
  ];
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
      {lines.map(([term, value]) => (
        <div key={term} className="contents">
          <dt className="text-soft">{term}</dt>
          <dd className="text-right break-words tabular-nums">{value}</dd>
        </div>
      ))}
      {column.formula !== undefined && (
        <div className="col-span-2 mt-1 border-t pt-2 font-mono text-xs break-words text-soft">{column.formula}</div>
      )}
    </dl>
  );
}

function numbers(
  column: Column,
  stats: ReturnType<typeof statsOf>,
  show: (value: number) => string,
): readonly (readonly [string, string])[] {
  const lines: readonly (readonly [string, number])[] = [
    ["Least", stats.min],
    ["First quarter", stats.q1],
    ["Median", stats.median],
    ["Third quarter", stats.q3],
    ["Most", stats.max],
    ["Mean", stats.avg],
    ...(column.type === "datetime"
      ? []
      : ([
          ["Standard deviation", stats.stdev],
          ["Sum", stats.sum],
        ] as const)),
  ];
  return lines.filter(([, value]) => !Number.isNaN(value)).map(([term, value]) => [term, show(value)]);
}
