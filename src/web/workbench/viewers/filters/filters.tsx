import { useCallback, useEffect, useRef, useState, type ReactNode } from "react";
import type { FilterSpec } from "../../data/filter.ts";
import type { Table } from "../../data/table.ts";
import { useTable } from "../../data/use-table.ts";
import { Figure } from "../drawing/figure.tsx";
import { rowsWords } from "../drawing/words.ts";
import { listOf } from "../look.ts";
import { LookColumns, SmallButton } from "../parts/column-picker.tsx";
import { Notice } from "../parts/notice.tsx";
import { useLater } from "../parts/use-later.ts";
import type { ViewerProps } from "../viewer.ts";
import { BoolCard } from "./bool-card.tsx";
import { FilterCard } from "./card.tsx";
import { contentOf, filterKeyOf, filtersOf, type CardContent, type FiltersModel } from "./model.ts";

export function Filters(props: ViewerProps): ReactNode {
  const { table, look, change } = props;
  const key = useTable(table, "columns", "filter", "selection");
  const model = filtersOf(table, look);
  const names = listOf(look, "columnNames");
  const off = useSwitchedOff(table, model.active);
  const made = useLater(`${table.id} ${key} ${names.join("\n")}`, () => contents(table, model));
  const filters = off ?? table.filters;
  const set = useCallback(
    (column: string, filter: FilterSpec | undefined): void => table.setFilter(filterKeyOf(column), filter),
    [table],
  );
  return (
    <Figure
      viewer={props}
      sentence={`Filters: ${rowsWords(table.filtered.count)} of ${rowsWords(table.rowCount)} are shown.`}
      top={model.show.header ? <Header {...props} model={model} /> : undefined}
    >
      {() =>
        model.cards.length + model.combined.length === 0 ? (
          <Notice>Choose the columns to filter by.</Notice>
        ) : (
          <fieldset disabled={!model.active} className="size-full overflow-y-auto px-1 disabled:opacity-60">
            <legend className="sr-only">Filters by column</legend>
            {model.combined.length > 0 && (
              <BoolCard table={table} columns={model.combined} filters={filters} set={set} />
            )}
            {model.cards.map((card) => (
              <FilterCard
                key={card.column.name}
                table={table}
                card={card}
                show={model.show}
                filter={filters.get(filterKeyOf(card.column.name))}
                content={made.find(({ name }) => name === card.column.name)?.content}
                set={set}
                remove={() => {
                  set(card.column.name, undefined);
                  change({ columnNames: names.filter((name) => name !== card.column.name) });
                }}
              />
            ))}
            {model.hidden > 0 && <p className="p-2 text-xs text-soft">{model.hidden} more columns have no card.</p>}
          </fieldset>
        )
      }
    </Figure>
  );
}

function* contents(
  table: Table,
  model: FiltersModel,
): Generator<{ readonly name: string; readonly content: CardContent }, void> {
  for (const card of model.cards) yield { name: card.column.name, content: contentOf(table, card) };
}

function Header({ model, ...viewer }: ViewerProps & { readonly model: FiltersModel }): ReactNode {
  const { table, change } = viewer;
  return (
    <>
      <label className="flex h-6 shrink-0 cursor-pointer items-center gap-1 px-1 text-xs">
        <input
          type="checkbox"
          role="switch"
          checked={model.active}
          onChange={() => change({ active: !model.active })}
        />
        On
      </label>
      <span aria-live="polite" className="min-w-0 shrink truncate text-xs text-soft tabular-nums">
        {table.filtered.count.toLocaleString("en-US")} of {rowsWords(table.rowCount)}
      </span>
      <span className="ml-auto flex min-w-0 shrink-[3] items-center">
        {table.filters.size > 0 && <SmallButton words="Reset all" onClick={() => table.setFilters(new Map())} />}
        <LookColumns label="Cards" viewer={viewer} name="columnNames" />
      </span>
    </>
  );
}

/** Takes the filters of all columns off while they are switched off, and puts them back after. Absent: they are on. */
function useSwitchedOff(table: Table, active: boolean): ReadonlyMap<string, FilterSpec> | undefined {
  const [off, setOff] = useState<ReadonlyMap<string, FilterSpec>>();
  const kept = useRef<ReadonlyMap<string, FilterSpec>>(undefined);
  useEffect(() => {
    if (!active && kept.current === undefined) {
      const all = [...table.filters];
      kept.current = new Map(all.filter(([key]) => key.startsWith(filterKeyOf(""))));
      setOff(kept.current);
      table.setFilters(new Map(all.filter(([key]) => !key.startsWith(filterKeyOf("")))));
    } else if (active && kept.current !== undefined) {
      table.setFilters(new Map([...kept.current, ...table.filters]));
      kept.current = undefined;
      setOff(undefined);
    }
  }, [table, active]);
  return off;
}
