import { useMemo, useRef, type KeyboardEvent, type MouseEvent, type ReactNode } from "react";
import { Bits } from "../../data/bits.ts";
import type { Table } from "../../data/table.ts";
import { useTable } from "../../data/use-table.ts";
import { Figure } from "../drawing/figure.tsx";
import { selectRows } from "../drawing/rows.ts";
import { countWords, noRowsWords, rowsWords } from "../drawing/words.ts";
import { textOf } from "../look.ts";
import { ColumnSelect } from "../drawing/column-select.tsx";
import { ColumnPicker } from "../parts/column-picker.tsx";
import { Notice } from "../parts/notice.tsx";
import { useLines } from "../parts/use-lines.ts";
import type { ViewerProps } from "../viewer.ts";
import { cardLines, cardText, tilesOf, type TileLane, type TileModel } from "./model.ts";

/** Of one lane, and of one card where there are none, px. */
const LANE_WIDTH = 220;
const GAP = 8;

export function TileViewer(props: ViewerProps): ReactNode {
  const { table, look, change } = props;
  const key = useTable(table, "columns", "filter");
  const model = useMemo(() => tilesOf(table, look), [table, look, key]);
  const hidden = typeof model === "string" ? 0 : model.hidden;
  return (
    <Figure
      viewer={props}
      sentence={`Cards of ${rowsWords(table.filtered.count)}.`}
      top={
        <>
          <ColumnSelect
            label="Lanes"
            table={table}
            value={textOf(look, "lanesColumnName")}
            columns="categorical"
            optional
            onChange={(lanesColumnName) => change({ lanesColumnName, lanes: undefined })}
          />
          {typeof model !== "string" && model.markup === undefined && (
            <ColumnPicker
              label="Card"
              table={table}
              value={model.columns.map(({ name }) => name)}
              onChange={(names) => change({ columnsJson: names.length === 0 ? undefined : JSON.stringify(names) })}
            />
          )}
          {hidden > 0 && <span className="truncate px-1 text-xs text-soft">{countWords(hidden, "lane")} left out</span>}
        </>
      }
    >
      {(area) => {
        if (typeof model === "string") return <Notice>{model}</Notice>;
        if (table.filtered.isEmpty) return <Notice>{noRowsWords(table)}</Notice>;
        return (
          <div className="flex size-full gap-2 overflow-x-auto overflow-y-hidden px-1">
            {model.lanes.map((lane) => (
              <LaneView
                key={lane.label ?? ""}
                id={props.id}
                table={table}
                model={model}
                lane={lane}
                width={lane.label === undefined ? area.width - GAP : LANE_WIDTH}
              />
            ))}
          </div>
        );
      }}
    </Figure>
  );
}

interface LaneProps {
  /** Of the viewer. */
  readonly id: string;
  readonly table: Table;
  readonly model: TileModel;
  readonly lane: TileLane;
  readonly width: number;
}

function heightOf({ columns, markup }: TileModel): number {
  const lines = markup === undefined ? columns.length : markup.split("\n").length;
  return 18 + Math.max(1, lines) * 18 + GAP;
}

function LaneView({ id, table, model, lane, width }: LaneProps): ReactNode {
  useTable(table, "selection", "rows");
  const scroller = useRef<HTMLDivElement>(null);
  const across = lane.label === undefined ? Math.max(1, Math.floor((width + GAP) / (LANE_WIDTH + GAP))) : 1;
  const size = heightOf(model);
  const lines = useLines(scroller, { count: Math.ceil(lane.rows.length / across), size, overscan: 4 });
  const move = (event: KeyboardEvent): void => {
    const by = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: across,
      ArrowUp: -across,
      PageDown: across * 5,
      PageUp: -across * 5,
    }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const at = lane.rows.indexOf(table.currentRow);
    const next = Math.max(0, Math.min(lane.rows.length - 1, at < 0 ? 0 : at + by));
    table.setCurrentRow(lane.rows[next] ?? -1);
    lines.scrollToIndex(Math.floor(next / across));
  };
  const rowsOn = (line: number): Int32Array => lane.rows.subarray(line * across, (line + 1) * across);
  // A card that is scrolled away is not in the document, and nothing may point at it.
  const isDrawn = lines.getVirtualItems().some(({ index }) => rowsOn(index).includes(table.currentRow));
  return (
    <section aria-label={lane.label ?? "Cards"} className="flex h-full shrink-0 flex-col" style={{ width }}>
      {lane.label !== undefined && (
        <p className="flex h-7 shrink-0 items-center justify-between gap-2 border-b px-1 text-sm font-medium">
          <span className="truncate" title={lane.label}>
            {lane.label}
          </span>
          <span className="text-xs font-normal text-soft tabular-nums">{lane.rows.length.toLocaleString("en-US")}</span>
        </p>
      )}
      <div
        ref={scroller}
        role="listbox"
        aria-label={`${lane.label ?? "All rows"}: ${rowsWords(lane.rows.length)}. Arrows move, Enter selects`}
        aria-multiselectable="true"
        aria-activedescendant={isDrawn ? cardId(id, table.currentRow) : undefined}
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto py-1 focus-visible:-outline-offset-2"
        onKeyDown={(event) => {
          move(event);
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          if (lane.rows.includes(table.currentRow)) choose(table, table.currentRow, event);
        }}
      >
        <div role="presentation" className="relative" style={{ height: lines.getTotalSize() }}>
          {lines.getVirtualItems().map((line) => (
            <div
              key={line.key}
              role="presentation"
              className="absolute inset-x-0 flex gap-2 px-0.5 pb-2"
              style={{ top: line.start, height: size }}
            >
              {Array.from(rowsOn(line.index), (row) => (
                <Card key={row} id={cardId(id, row)} table={table} model={model} row={row} share={across} />
              ))}
            </div>
          ))}
        </div>
      </div>
    </section>
  );
}

function cardId(viewer: string, row: number): string {
  return `${viewer}-card-${String(row)}`;
}

function choose(table: Table, row: number, keys: MouseEvent | KeyboardEvent): void {
  table.setCurrentRow(row);
  selectRows(table, Bits.of(table.rowCount, [row]), keys);
}

interface TileViewerCardProps {
  readonly id: string;
  readonly table: Table;
  readonly model: TileModel;
  readonly row: number;
  /** Cards beside each other. */
  readonly share: number;
}

function Card({ id, table, model, row, share }: TileViewerCardProps): ReactNode {
  const selected = table.selected.has(row);
  const marked = selected && model.showSelected;
  const current = table.currentRow === row;
  return (
    <div
      id={id}
      role="option"
      aria-selected={selected}
      aria-current={current ? "true" : undefined}
      onClick={(event) => choose(table, row, event)}
      onPointerEnter={() => table.setHoverRow(row)}
      onPointerLeave={() => table.setHoverRow(-1)}
      style={{ width: `calc(${String(100 / share)}% - ${String((GAP * (share - 1)) / share)}px)` }}
      className={`min-w-0 cursor-pointer overflow-hidden rounded-md border px-2 py-1.5 text-xs leading-[18px] ${marked ? "bg-accent-soft" : "bg-raised"} ${current ? "border-accent ring-1 ring-accent" : marked ? "border-accent/60" : "hover:border-line-strong"}`}
    >
      {model.markup === undefined ? (
        <CardFields model={model} row={row} />
      ) : (
        <p className="break-words whitespace-pre-wrap">{cardText(table, model.markup, row)}</p>
      )}
    </div>
  );
}

function CardFields({ model, row }: { readonly model: TileModel; readonly row: number }): ReactNode {
  const [first, ...others] = cardLines(model, row);
  return (
    <>
      <p className="truncate text-sm font-medium" title={`${first?.name ?? ""}: ${first?.text ?? ""}`}>
        {first === undefined || first.text === "" ? (
          <span className="text-faint italic">no {first?.name}</span>
        ) : (
          first.text
        )}
      </p>
      {others.map(({ name, text }) => (
        <p key={name} className="flex gap-2">
          <span className="min-w-0 shrink truncate text-soft" title={name}>
            {name}
          </span>
          <span className="ml-auto max-w-[65%] truncate tabular-nums" title={text}>
            {text === "" ? <span className="text-faint">—</span> : text}
          </span>
        </p>
      ))}
    </>
  );
}
