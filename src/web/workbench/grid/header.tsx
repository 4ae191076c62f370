import { ArrowDown, ArrowUp, EllipsisVertical, Funnel } from "lucide-react";
import { memo, type MouseEvent, type PointerEvent, type ReactNode, type RefObject } from "react";
import type { SortKey } from "../data/sort.ts";
import { clampWidth, type ColumnPlan, type ColumnWindow, type PlacedColumn } from "./columns.ts";
import type { ActiveCell } from "./keys.ts";
import { sortedBy } from "./look.ts";
import type { GridModel } from "./model.ts";
import { TypeIcon, typeWord } from "./column/type-icon.tsx";

interface HeaderHeadProps {
  readonly model: GridModel;
  readonly plan: ColumnPlan;
  readonly window: ColumnWindow;
  readonly sort: readonly SortKey[];
  readonly filtered: ReadonlySet<string>;
  readonly active: ActiveCell;
  readonly openMenu: (column: PlacedColumn) => void;
  /** The part that slides with the columns. */
  readonly freeRef: RefObject<HTMLDivElement | null>;
}

/** The heads of the columns in sight. */
export function GridHead(props: HeaderHeadProps): ReactNode {
  const { model, plan, window, freeRef } = props;
  const cell = (placed: PlacedColumn): ReactNode => (
    <HeadCell
      key={placed.column.name}
      model={model}
      placed={placed}
      left={placed.pinned ? placed.left : plan.pinnedWidth + placed.left}
      sort={props.sort}
      isFiltered={props.filtered.has(placed.column.name)}
      // Until the focus has been in the rows, Tab enters the grid at a head.
      isActive={props.active.position < 0 && props.active.place === placed.place}
      openMenu={props.openMenu}
    />
  );
  return (
    <div role="row" aria-rowindex={1} tabIndex={-1} className="h-full outline-none">
      <div role="none" className="wb-head-fixed" style={{ width: plan.pinnedWidth }}>
        <div role="columnheader" aria-colindex={1} className="wb-number" style={{ width: plan.numberWidth }}>
          <span className="sr-only">Row</span>
          <span aria-hidden>#</span>
        </div>
        {plan.pinned.map(cell)}
      </div>
      <div role="none" ref={freeRef} className="wb-head-free">
        {plan.free.slice(window.first, window.end).map(cell)}
      </div>
    </div>
  );
}

interface HeadCellProps {
  readonly model: GridModel;
  readonly placed: PlacedColumn;
  readonly left: number;
  readonly sort: readonly SortKey[];
  readonly isFiltered: boolean;
  readonly isActive: boolean;
  readonly openMenu: (column: PlacedColumn) => void;
}

const HeadCell = memo(function HeadCell(props: HeadCellProps): ReactNode {
  const { model, placed, left, sort, isFiltered, isActive, openMenu } = props;
  const { name, type, units } = placed.column;
  const order = sort.findIndex(({ column }) => column === name);
  const key = sort[order];
  const click = (event: MouseEvent): void => {
    model.setActive({ position: -1, place: placed.place });
    model.setSort(sortedBy(model.look.sort, name, event.shiftKey));
  };
  return (
    <div
      role="columnheader"
      data-place={placed.place}
      aria-colindex={placed.place + 2}
      aria-sort={key === undefined ? "none" : key.descending ? "descending" : "ascending"}
      aria-label={`${name}${units === undefined ? "" : ` (${units})`}, ${typeWord(type)}${isFiltered ? ", filtered" : ""}`}
      aria-keyshortcuts="Enter Alt+ArrowDown Shift+ArrowLeft Shift+ArrowRight"
      tabIndex={isActive ? 0 : -1}
      title={`${name}${units === undefined ? "" : ` (${units})`} · ${typeWord(type)}`}
      className="wb-head-cell group"
      style={{ left, width: placed.width }}
      onClick={click}
      onContextMenu={(event) => {
        event.preventDefault();
        openMenu(placed);
      }}
    >
      <TypeIcon type={type} />
      <span className="min-w-0 flex-1 truncate">{name}</span>
      {isFiltered && <Funnel aria-hidden className="size-3.5 shrink-0 text-accent" />}
      {key !== undefined && <SortMark descending={key.descending} place={sort.length > 1 ? order + 1 : undefined} />}
      <button
        type="button"
        tabIndex={-1}
        aria-label={`Menu of ${name}`}
        className="grid size-6 shrink-0 place-items-center rounded text-faint hover:bg-raised hover:text-ink"
        onClick={(event) => {
          event.stopPropagation();
          openMenu(placed);
        }}
      >
        <EllipsisVertical aria-hidden className="size-4" />
      </button>
      <ResizeEdge model={model} placed={placed} />
    </div>
  );
});

function SortMark({
  descending,
  place,
}: {
  readonly descending: boolean;
  readonly place: number | undefined;
}): ReactNode {
  const Icon = descending ? ArrowDown : ArrowUp;
  return (
    <span aria-hidden className="flex shrink-0 items-center text-accent">
      <Icon className="size-3.5" />
      {place !== undefined && <span className="text-[10px] leading-none">{place}</span>}
    </span>
  );
}

/** Dragged for another width; a double click fits it to the texts. By the keyboard: Shift and an arrow on the head. */
function ResizeEdge({ model, placed }: { readonly model: GridModel; readonly placed: PlacedColumn }): ReactNode {
  const { name } = placed.column;
  const start = (event: PointerEvent<HTMLElement>): void => {
    event.preventDefault();
    event.stopPropagation();
    const edge = event.currentTarget;
    const from = event.clientX;
    edge.setPointerCapture(event.pointerId);
    edge.dataset["dragged"] = "";
    const drag = (move: globalThis.PointerEvent): void =>
      model.setWidth(name, clampWidth(placed.width + move.clientX - from));
    const end = (): void => {
      delete edge.dataset["dragged"];
      edge.removeEventListener("pointermove", drag);
    };
    edge.addEventListener("pointermove", drag);
    edge.addEventListener("lostpointercapture", end, { once: true });
  };
  return (
    <div
      aria-hidden
      className="wb-resize"
      onPointerDown={start}
      onClick={(event) => event.stopPropagation()}
      onDoubleClick={(event) => {
        event.stopPropagation();
        model.setWidth(name, undefined);
      }}
    />
  );
}
