import { useRef, useState, type ReactNode } from "react";
import { isMissing } from "../../data/column.ts";
import { textAt } from "../../data/format.ts";
import { useTable } from "../../data/use-table.ts";
import { usePalette } from "../drawing/use-palette.ts";
import { NO_VALUE } from "../drawing/categories.ts";
import { SmallButton } from "../parts/column-picker.tsx";
import { useLines } from "../parts/use-lines.ts";
import type { FiltersCardProps } from "./card.tsx";
import { passing, searched, ticked, tickedAll, type CategoryCount } from "./model.ts";

const LINE = 24;
/** Lines in sight. */
const MOST_LINES = 7;
/** Shorter lists need no search. */
const LEAST_FOR_SEARCH = 8;

export function CategoryCard(props: FiltersCardProps): ReactNode {
  const { card, show, filter, content, set } = props;
  const { name } = card.column;
  const [query, setQuery] = useState("");
  const counts = content?.kind === "categories" ? content.counts : [];
  const listed = searched(counts, query);
  const all = counts.map(({ value }) => value);
  const many = counts.length >= LEAST_FOR_SEARCH;
  const change = (on: boolean): void =>
    set(name, tickedAll({ column: name, filter, all, listed: listed.map(({ value }) => value), on }));
  if (content === undefined) return <p className="px-1 text-xs text-faint">…</p>;
  return (
    <div className="px-1">
      {(many || counts.length > 2) && (
        <div className="flex items-center gap-1 pb-0.5">
          {show.search && many && (
            <input
              type="search"
              aria-label={`Find a value of ${name}`}
              placeholder={`Find in ${counts.length.toLocaleString("en-US")} values`}
              value={query}
              onChange={(event) => setQuery(event.target.value)}
              className="h-6 w-0 min-w-0 flex-1 rounded border border-line-strong/60 bg-paper px-1.5 text-xs"
            />
          )}
          <SmallButton words="All" onClick={() => change(true)} />
          <SmallButton words="None" onClick={() => change(false)} />
        </div>
      )}
      {listed.length === 0 ? (
        <p className="px-1 text-xs text-soft">No such value.</p>
      ) : (
        <Values {...props} counts={counts} listed={listed} all={all} />
      )}
    </div>
  );
}

interface ValuesProps extends FiltersCardProps {
  readonly counts: readonly CategoryCount[];
  readonly listed: readonly CategoryCount[];
  readonly all: readonly (string | null)[];
}

function Values({ table, card, show, filter, set, counts, listed, all }: ValuesProps): ReactNode {
  useTable(table, "rows");
  const palette = usePalette();
  const scroller = useRef<HTMLDivElement>(null);
  const lines = useLines(scroller, { count: listed.length, size: LINE, overscan: 6 });
  const { column } = card;
  const pass = passing(filter);
  const most = counts.reduce((most, { count }) => Math.max(most, count), 1);
  const valueIn = (row: number): string | null | undefined => {
    if (row < 0) return undefined;
    return isMissing(column, row) ? null : textAt(column, row);
  };
  const current = show.current ? valueIn(table.currentRow) : undefined;
  const hover = show.hover ? valueIn(table.hoverRow) : undefined;
  return (
    <div
      ref={scroller}
      role="group"
      aria-label={`Values of ${column.name}`}
      className="overflow-y-auto"
      style={{ maxHeight: LINE * MOST_LINES }}
    >
      <div className="relative" style={{ height: lines.getTotalSize() }}>
        {lines.getVirtualItems().map((item) => {
          const one = listed[item.index];
          if (one === undefined) return undefined;
          return (
            <label
              key={one.value ?? "\0"}
              className={`absolute inset-x-0 flex cursor-pointer items-center gap-1.5 rounded px-1 text-xs hover:bg-sunken ${one.count === 0 ? "text-faint" : ""}`}
              style={{ top: item.start, height: LINE }}
            >
              <input
                type="checkbox"
                checked={pass === undefined || pass.has(one.value)}
                onChange={() => set(column.name, ticked({ column: column.name, filter, all, value: one.value }))}
              />
              {one.value === current && <Dot color={palette.current} />}
              {one.value === hover && one.value !== current && <Dot color={palette.hover} />}
              <span
                className={`min-w-0 flex-1 truncate ${one.value === null ? "text-soft italic" : ""}`}
                title={one.value ?? NO_VALUE}
              >
                {one.value ?? NO_VALUE}
              </span>
              {show.counts && (
                <Count one={one} most={most} isSelection={show.selection} colors={[palette.mark, palette.selected]} />
              )}
            </label>
          );
        })}
      </div>
    </div>
  );
}

function Dot({ color }: { readonly color: string }): ReactNode {
  return <span aria-hidden className="size-1.5 shrink-0 rounded-full" style={{ background: color }} />;
}

function Count({
  one,
  most,
  isSelection,
  colors,
}: {
  readonly one: CategoryCount;
  readonly most: number;
  readonly isSelection: boolean;
  readonly colors: readonly [string, string];
}): ReactNode {
  const wide = (count: number): string => `${String((count / most) * 100)}%`;
  return (
    <>
      <span aria-hidden className="relative h-1.5 w-10 shrink-0 overflow-hidden rounded-full bg-sunken">
        <span className="absolute inset-y-0 left-0" style={{ width: wide(one.count), background: colors[0] }} />
        {isSelection && (
          <span className="absolute inset-y-0 left-0" style={{ width: wide(one.selected), background: colors[1] }} />
        )}
      </span>
      <span className="w-11 shrink-0 text-right text-soft tabular-nums">{one.count.toLocaleString("en-US")}</span>
    </>
  );
}
