import { FunnelX, Table2 } from "lucide-react";
import { useCallback, useState, useSyncExternalStore, type ReactNode, type RefObject } from "react";
import { Button } from "../../ui/button.tsx";
import type { CellEdit } from "../model/workbench.ts";
import type { Bits } from "../data/bits.ts";
import type { FilterSpec } from "../data/filter.ts";
import type { Table } from "../data/table.ts";
import { useTable } from "../data/use-table.ts";
import { CellEditor } from "./cell-editor.tsx";
import { ColumnMenu, type ColumnWindowKind } from "./column/column-menu.tsx";
import { ColumnWindow } from "./column/column-window.tsx";
import type { PlacedColumn } from "./columns.ts";
import type { GridDriver } from "./driver.ts";
import { GridFooter } from "./footer.tsx";
import "./grid.css";
import { GridHead } from "./header.tsx";
import type { ActiveCell } from "./keys.ts";
import type { GridLook } from "./look.ts";
import type { GridModel } from "./model.ts";
import { SearchBar } from "./search/search-bar.tsx";
import { useAsked, useEditing, type GridEditing } from "./use-editing.ts";
import { useDriver, useModel } from "./use-grid.ts";

interface GridProps {
  readonly table: Table;
  /** Sets the filter of a key; absent: removes it. The grid's own keys are `column:<name>`. */
  readonly onFilter: (key: string, spec: FilterSpec | undefined) => void;
  /** Absent: the table's selection is set directly. */
  readonly onSelect?: ((rows: Bits) => void) | undefined;
  /** How the grid was arranged before; read once for each table. */
  readonly look?: Partial<GridLook> | undefined;
  /** Columns were sorted, hidden, pinned or made wider. */
  readonly onLook?: ((look: GridLook) => void) | undefined;
  /** Asked to change a column's name or type. Absent: it cannot be changed here. */
  readonly onChangeColumn?: ((name: string) => void) | undefined;
  /** Sets a cell to what a person typed. Returns words if it is refused. Absent: cells cannot be changed here. */
  readonly onEdit?: ((edit: CellEdit) => string | undefined) | undefined;
  /** Grows each time that the search is asked for from outside. */
  readonly findAsked?: number | undefined;
  /** `quiet`: only while there is something to say. Absent: always. */
  readonly footer?: "quiet" | undefined;
  /** Absent: the table's name. */
  readonly label?: string | undefined;
}

/** All rows of a table, however many. Fills its parent, which must have a height. */
export function Grid(props: GridProps): ReactNode {
  // Each table gets its own grid: nothing of the previous one stays.
  return <TableGrid key={props.table.id} {...props} />;
}

interface OpenedWindow {
  readonly kind: "menu" | ColumnWindowKind;
  readonly name: string;
}

function TableGrid(props: GridProps): ReactNode {
  const { table, onFilter, label } = props;
  useTable(table, "columns", "filter");
  const { model, select } = useModel(props);
  useSyncExternalStore(model.subscribe, () => model.version);
  const [opened, setOpened] = useState<OpenedWindow | undefined>(undefined);
  const [note, setNote] = useState<string | undefined>(undefined);
  const openMenu = useCallback(
    ({ column, place }: PlacedColumn) => {
      model.setActive({ position: -1, place });
      setOpened({ kind: "menu", name: column.name });
    },
    [model],
  );
  const search = useAsked(props.findAsked);
  const editing = useEditing(model, { onEdit: props.onEdit, tell: setNote });
  const { refs, columns, driver } = useDriver(model, { select, openMenu, tell: setNote, find: search.ask, ...editing });
  const { plan, shown, active } = model;
  const clearFilters = (): void => {
    for (const key of table.filters.keys()) onFilter(key, undefined);
  };
  const close = (): void => {
    setOpened(undefined);
    // After the window, which had the focus, has closed.
    setTimeout(() => driver.current?.focus(), 0);
  };
  const isEditable = props.onEdit !== undefined && active.position >= 0 && active.position < shown.count;
  return (
    <section className="wb-grid" aria-label={label ?? table.name}>
      <GridSearch search={search} model={model} driver={driver} />
      <div
        role="grid"
        aria-label={label ?? table.name}
        aria-rowcount={shown.count + 1}
        aria-colcount={plan.all.length + 1}
        aria-multiselectable
        aria-readonly={props.onEdit === undefined}
        aria-busy={model.isSorting}
        className="wb-scroll"
        ref={refs.scroll}
      >
        <div role="none" ref={refs.space}>
          <div role="none" className="wb-view" ref={refs.view}>
            <div role="rowgroup" className="wb-head" ref={refs.head}>
              <GridHead
                model={model}
                plan={plan}
                window={columns}
                sort={model.look.sort}
                filtered={filteredColumns(table)}
                active={model.active}
                openMenu={openMenu}
                freeRef={refs.headFree}
              />
            </div>
            <div role="rowgroup" className="wb-body" tabIndex={-1} ref={refs.body} />
            {shown.count === 0 && <NoRows table={table} clear={clearFilters} />}
            <EditedCell editing={editing} model={model} driver={driver} />
          </div>
        </div>
      </div>
      <GridFooter
        isQuiet={props.footer === "quiet"}
        table={table}
        shown={shown.count}
        isSorting={model.isSorting}
        note={model.trouble ?? note}
        edit={isEditable ? () => editing.edit(active) : undefined}
        find={search.ask}
        select={select}
        clearFilters={clearFilters}
      />
      {opened !== undefined && (
        <Opened
          opened={opened}
          open={setOpened}
          model={model}
          head={refs.head}
          onFilter={onFilter}
          onChangeColumn={props.onChangeColumn}
          close={close}
        />
      )}
    </section>
  );
}

interface GridParts {
  readonly model: GridModel;
  readonly driver: RefObject<GridDriver | undefined>;
}

function GridSearch({
  search,
  model,
  driver,
}: GridParts & { readonly search: ReturnType<typeof useAsked> }): ReactNode {
  if (search.asked === 0) return undefined;
  const close = (): void => {
    search.end();
    // After the field, which had the focus, has closed.
    setTimeout(() => driver.current?.focus(), 0);
  };
  return <SearchBar model={model} driver={driver} asked={search.asked} close={close} />;
}

function EditedCell({ editing, model, driver }: GridParts & { readonly editing: GridEditing }): ReactNode {
  const { cell, row, commit, end } = editing;
  const { plan, shown } = model;
  const placed = cell === undefined ? undefined : plan.all[cell.place];
  if (cell === undefined || placed === undefined) return undefined;
  const close = (to: ActiveCell | undefined): void => {
    end();
    if (to === undefined) return;
    const position = Math.max(0, Math.min(to.position, shown.count - 1));
    driver.current?.moveTo({ position, place: Math.max(0, Math.min(to.place, plan.all.length - 1)) });
  };
  return (
    <CellEditor
      key={`${cell.position}.${cell.place}`}
      cell={cell}
      row={row}
      placed={placed}
      driver={driver}
      commit={commit}
      close={close}
    />
  );
}

function filteredColumns(table: Table): ReadonlySet<string> {
  return new Set([...table.filters.values()].flatMap((spec) => ("column" in spec ? [spec.column] : [])));
}

/** What is open at a column's head. */
function Opened(props: {
  readonly opened: OpenedWindow;
  readonly open: (opened: OpenedWindow) => void;
  readonly model: GridModel;
  readonly head: RefObject<HTMLDivElement | null>;
  readonly onFilter: GridProps["onFilter"];
  readonly onChangeColumn: GridProps["onChangeColumn"];
  readonly close: () => void;
}): ReactNode {
  const { opened, open, model, head, onFilter, onChangeColumn, close } = props;
  const { name } = opened;
  const { table, plan } = model;
  const placed = plan.all.find(({ column }) => column.name === name);
  const box = head.current?.querySelector(`[data-place="${placed?.place}"]`)?.getBoundingClientRect();
  // Only its place is needed; what is read out is the menu or the window.
  const anchor = (
    <span
      aria-hidden
      className="pointer-events-none fixed"
      style={{ left: box?.left ?? 0, top: box?.top ?? 0, width: box?.width ?? 0, height: box?.height ?? 0 }}
    />
  );
  const column = table.column(name);
  if (column === undefined) return undefined;
  const filterKey = `column:${name}`;
  const apply = (spec: FilterSpec | undefined): void => onFilter(filterKey, spec);
  if (opened.kind !== "menu")
    return <ColumnWindow {...{ kind: opened.kind, table, column, filterKey, anchor, apply, close }} />;
  return (
    <ColumnMenu
      model={model}
      name={name}
      anchor={anchor}
      isFiltered={table.filters.has(filterKey)}
      clearFilter={() => apply(undefined)}
      open={(kind) => open({ kind, name })}
      change={onChangeColumn && (() => onChangeColumn(name))}
      close={close}
    />
  );
}

function NoRows({ table, clear }: { readonly table: Table; readonly clear: () => void }): ReactNode {
  const filtered = table.rowCount > 0;
  const Icon = filtered ? FunnelX : Table2;
  return (
    <div role="row" className="absolute inset-x-0 top-[34px] bottom-0 grid place-items-center">
      <div role="gridcell" aria-colspan={1} className="flex flex-col items-center gap-2 p-4 text-center text-sm">
        <Icon aria-hidden className="size-7 text-faint" />
        <p className="font-medium">{filtered ? "No row passes the filters" : "The table has no rows"}</p>
        {filtered && (
          <Button size="small" onClick={clear}>
            Clear filters
          </Button>
        )}
      </div>
    </div>
  );
}
