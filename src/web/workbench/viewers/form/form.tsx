import { ChevronLeft, ChevronRight } from "lucide-react";
import { useState, type KeyboardEvent, type ReactNode } from "react";
import { Bits } from "../../data/bits.ts";
import type { Table } from "../../data/table.ts";
import { useTable } from "../../data/use-table.ts";
import { Figure } from "../drawing/figure.tsx";
import { textOf } from "../look.ts";
import { LookColumns } from "../parts/column-picker.tsx";
import { Notice } from "../parts/notice.tsx";
import type { ViewerProps } from "../viewer.ts";
import { rowBeside } from "../drawing/stage.tsx";
import { formOf, type FormModel } from "./model.ts";

export function Form(props: ViewerProps): ReactNode {
  const { table, look } = props;
  useTable(table, "columns", "filter", "selection", "rows");
  const [own, setOwn] = useState(-1);
  const model = formOf(table, look, own);
  const go = (row: number): void => {
    if (row < 0) return;
    if (textOf(look, "syncMode") === "None") setOwn(row);
    else table.setCurrentRow(row);
  };
  const bar = model.bar.previous || model.bar.next || model.bar.selector;
  return (
    <Figure
      viewer={props}
      sentence={
        model.row < 0 ? "A form without a row." : `Row ${words(model.row + 1)} of ${words(table.rowCount)} as a form.`
      }
      top={
        bar || model.bar.columns ? (
          <>
            <Navigation table={table} model={model} go={go} />
            {model.bar.columns && <LookColumns label="Fields" viewer={props} name="columnNames" />}
          </>
        ) : undefined
      }
    >
      {() => <Fields model={model} onKeyDown={(event) => byKey(event, table, model.row, go)} />}
    </Figure>
  );
}

const words = (count: number): string => count.toLocaleString("en-US");

function byKey(event: KeyboardEvent, table: Table, row: number, go: (row: number) => void): void {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const next = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (next !== 1 && next !== -1) return;
  event.preventDefault();
  go(rowBeside(table.filtered, row, next));
}

interface NavigationProps {
  readonly table: Table;
  readonly model: FormModel;
  readonly go: (row: number) => void;
}

function Navigation({ table, model, go }: NavigationProps): ReactNode {
  const { row, bar } = model;
  const [before, after] = [rowBeside(table.filtered, row, -1), rowBeside(table.filtered, row, 1)];
  const arrow =
    "flex size-6 items-center justify-center rounded text-soft hover:bg-sunken hover:text-ink disabled:opacity-40";
  return (
    <>
      {bar.previous && (
        <button
          type="button"
          aria-label="Row before"
          className={arrow}
          disabled={before < 0}
          onClick={() => go(before)}
        >
          <ChevronLeft aria-hidden className="size-4" />
        </button>
      )}
      {bar.next && (
        <button type="button" aria-label="Next row" className={arrow} disabled={after < 0} onClick={() => go(after)}>
          <ChevronRight aria-hidden className="size-4" />
        </button>
      )}
      <span aria-live="polite" className="min-w-0 truncate px-1 text-xs text-soft tabular-nums">
        {row < 0 ? "No row" : `Row ${words(row + 1)} of ${words(table.rowCount)}`}
      </span>
      {bar.selector && row >= 0 && (
        <label className="flex h-6 min-w-6 shrink cursor-pointer items-center gap-1 overflow-hidden px-1 text-xs whitespace-nowrap text-soft">
          <input
            type="checkbox"
            checked={table.selected.has(row)}
            onChange={() => table.select(table.selected.xor(Bits.of(table.rowCount, [row])))}
          />
          Selected
        </label>
      )}
    </>
  );
}

function Fields({
  model,
  onKeyDown,
}: {
  readonly model: FormModel;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}): ReactNode {
  if (model.fields.length === 0) return <Notice>Choose the columns that have a field.</Notice>;
  if (model.row < 0) return <Notice>There is no row to show.</Notice>;
  return (
    <div
      role="region"
      aria-label="Fields of the row. Left and right arrow go to another row"
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="size-full overflow-auto"
    >
      <dl className="grid max-w-3xl grid-cols-[minmax(4.5rem,min(38%,14rem))_1fr] gap-y-px p-1 text-sm">
        {model.fields.map((field) => (
          <div key={field.name} className="contents">
            <dt className="truncate py-1 pr-2 pl-1 text-right text-xs leading-5 text-soft" title={field.name}>
              {field.name}
              {field.units !== undefined && <span className="text-faint"> ({field.units})</span>}
            </dt>
            <dd className="min-w-0 rounded border border-line bg-panel px-2 py-1 leading-5 break-words tabular-nums">
              {field.missing ? <span className="text-faint italic">no value</span> : field.text}
            </dd>
          </div>
        ))}
      </dl>
      {model.hidden > 0 && (
        <p className="px-2 pb-2 text-xs text-soft">{words(model.hidden)} more columns have no room here.</p>
      )}
    </div>
  );
}
