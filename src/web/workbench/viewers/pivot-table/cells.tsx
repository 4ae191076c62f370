import { ArrowDown, ArrowUp } from "lucide-react";
import { useMemo, useRef, useState, type ReactNode } from "react";
import { Bits } from "../../data/bits.ts";
import { useTable } from "../../data/use-table.ts";
import type { Area } from "../drawing/figure.tsx";
import { chooseGroup, type ModifierKeys } from "../drawing/rows.ts";
import { flagOf } from "../look.ts";
import { useLines } from "../parts/use-lines.ts";
import type { ViewerProps } from "../viewer.ts";
import { cellText, orderedRows, type PivotColumn, type PivotModel, type PivotOrder } from "./model.ts";

const ROW = 26;
/** Widths of columns, px: of labels and of cells. */
const LABEL = 130;
const CELL = 116;

interface PivotTableCellsProps extends ViewerProps {
  readonly area: Area;
  readonly model: PivotModel;
}

/** A table of which only what is in sight is made, in both directions. */
export function Cells(props: PivotTableCellsProps): ReactNode {
  const { table, look, id, area, model } = props;
  useTable(table, "selection");
  const [order, setOrder] = useState<PivotOrder>();
  const scroller = useRef<HTMLDivElement>(null);
  const places = useMemo(() => orderedRows(model, order), [model, order]);
  const labels = Math.max(1, model.groupNames.length);
  const labelWidth = Math.min(LABEL, (area.width * 0.4) / labels);
  const left = labelWidth * labels;
  const cellWidth = Math.max(CELL, (area.width - left - 14) / model.columns.length);
  const rows = useLines(scroller, { count: places.length, size: ROW, overscan: 8 });
  const columns = useLines(scroller, { count: model.columns.length, size: cellWidth, overscan: 3, horizontal: true });
  const choose = (picked: Int32Array, keys: ModifierKeys): void =>
    chooseGroup({
      table,
      id,
      action: flagOf(look, "filteringEnabled") ? "Filter" : "Select",
      rows: Bits.of(table.rowCount, picked),
      keys,
    });
  const shown = columns
    .getVirtualItems()
    .map((item) => ({ at: item.index, start: item.start, column: model.columns[item.index] }));
  const head = ROW * (model.columns.some(({ path }) => path.length > 0) ? 2 : 1);
  return (
    <div
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label="Pivot table"
      className="size-full overflow-auto text-xs focus-visible:-outline-offset-2"
    >
      <div
        role="table"
        aria-rowcount={places.length + 1}
        aria-colcount={labels + model.columns.length}
        style={{ width: left + cellWidth * model.columns.length, height: head + rows.getTotalSize() }}
        className="relative"
      >
        <div role="row" className="sticky top-0 z-20 flex bg-panel" style={{ height: head }}>
          {(model.groupNames.length === 0 ? ["All rows"] : model.groupNames).map((name, at) => (
            <Head
              key={name}
              at={at}
              left={at * labelWidth}
              width={labelWidth}
              height={head}
              sticky
              label={name}
              order={order}
              onOrder={setOrder}
            />
          ))}
          {shown.map(({ at, start, column }) => (
            <Head
              key={at}
              at={model.groupNames.length + at}
              left={left + start}
              width={cellWidth}
              height={head}
              label={column?.measure.label ?? ""}
              path={column?.path}
              order={order}
              onOrder={setOrder}
            />
          ))}
        </div>
        {rows.getVirtualItems().map((item) => (
          <Line
            key={item.key}
            {...{ table, model, choose, labelWidth, cellWidth, left, shown }}
            place={places[item.index] ?? 0}
            top={head + item.start}
          />
        ))}
      </div>
    </div>
  );
}

interface PivotTableHeadProps {
  readonly at: number;
  readonly left: number;
  readonly width: number;
  readonly height: number;
  readonly sticky?: boolean;
  readonly label: string;
  readonly path?: readonly string[] | undefined;
  readonly order: PivotOrder | undefined;
  readonly onOrder: (order: PivotOrder | undefined) => void;
}

function Head({
  at,
  left,
  width,
  height,
  sticky = false,
  label,
  path,
  order,
  onOrder,
}: PivotTableHeadProps): ReactNode {
  const mine = order?.at === at;
  const next = !mine
    ? { at, descending: !sticky }
    : order.descending === !sticky
      ? { at, descending: sticky }
      : undefined;
  const above = path?.join(" › ") ?? "";
  return (
    <div
      role="columnheader"
      aria-sort={mine ? (order.descending ? "descending" : "ascending") : undefined}
      className={`border-b font-medium text-soft ${sticky ? "sticky z-10 bg-panel" : "absolute"}`}
      style={{ left, width, height }}
    >
      <button
        type="button"
        title={above === "" ? label : `${above}: ${label}`}
        onClick={() => onOrder(next)}
        className={`flex size-full flex-col justify-center px-2 hover:text-ink ${sticky ? "items-start" : "items-end"}`}
      >
        {above !== "" && <span className="max-w-full truncate text-ink">{above}</span>}
        <span className="flex max-w-full items-center gap-1">
          <span className="truncate">{label}</span>
          {mine &&
            (order.descending ? (
              <ArrowDown aria-hidden className="size-3 shrink-0" />
            ) : (
              <ArrowUp aria-hidden className="size-3 shrink-0" />
            ))}
        </span>
      </button>
    </div>
  );
}

interface LineProps extends Pick<ViewerProps, "table"> {
  readonly model: PivotModel;
  readonly place: number;
  readonly top: number;
  readonly left: number;
  readonly labelWidth: number;
  readonly cellWidth: number;
  readonly shown: readonly { readonly at: number; readonly start: number; readonly column: PivotColumn | undefined }[];
  readonly choose: (rows: Int32Array, keys: ModifierKeys) => void;
}

function Line({ table, model, place, top, left, labelWidth, cellWidth, shown, choose }: LineProps): ReactNode {
  const row = model.rows[place];
  if (row === undefined) return undefined;
  const { selected, filtered } = table;
  const faint = filtered.count < table.rowCount && !row.rows.some((one) => filtered.has(one));
  const marked = row.rows.some((one) => selected.has(one));
  const labels = row.labels.length === 0 ? ["All rows"] : row.labels;
  return (
    <div
      role="row"
      className={`group absolute inset-x-0 flex ${marked ? "bg-accent-soft" : ""} ${faint ? "text-faint" : ""}`}
      style={{ top, height: ROW }}
    >
      {labels.map((label, at) => (
        <div
          key={`${String(at)} ${label}`}
          role="rowheader"
          className={`sticky z-10 border-b ${marked ? "bg-accent-soft" : "bg-paper group-hover:bg-sunken"}`}
          style={{ left: at * labelWidth, width: labelWidth }}
        >
          <button
            type="button"
            title={label}
            onClick={(event) => choose(row.rows, event)}
            className="size-full truncate px-2 text-left font-medium"
          >
            {label}
          </button>
        </div>
      ))}
      {shown.map(({ at, start, column }) => (
        <div
          key={at}
          role="cell"
          className="absolute h-full cursor-pointer truncate border-b px-2 text-right leading-[25px] tabular-nums group-hover:bg-sunken"
          style={{ left: left + start, width: cellWidth }}
          title={column === undefined ? undefined : cellText(column.measure, row.cells[at] ?? Number.NaN)}
          onClick={(event) => choose(model.cellRows(place, at), event)}
        >
          {column === undefined ? "" : cellText(column.measure, row.cells[at] ?? Number.NaN)}
        </div>
      ))}
    </div>
  );
}
