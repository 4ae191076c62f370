import { FunnelX, Table2 } from "lucide-react";
import { useCallback, useState, useSyncExternalStore, type ReactNode, type RefObject } from "react";
import { Button } from "../../ui/button.tsx";
import type { Bits } from "../data/bits.ts";
import type { FilterSpec } from "../data/filter.ts";
import type { Table } from "../data/table.ts";
import { useTable } from "../data/use-table.ts";
import { ColumnMenu, type ColumnWindowKind } from "./column-menu.tsx";
import { ColumnWindow } from "./column-window.tsx";
import type { PlacedColumn } from "./columns.ts";
import { GridFooter } from "./footer.tsx";
import "./grid.css";
import { GridHead } from "./header.tsx";
import type { GridLook } from "./look.ts";
import type { GridModel } from "./model.ts";
import { useDriver, useModel } from "./use-grid.ts";

interface GridProps {
  readonly table: Table;
  /** Sets or, absent, takes away the filter of a key; the grid's own are `column:<name>`. */
  readonly onFilter: (key: string, spec: FilterSpec | undefined) => void;
  /** Absent: the table's selection is set directly. */
  readonly onSelect?: ((rows: Bits) => void) | undefined;
  /** How the grid was arranged before; read once for each table. */
  readonly look?: Partial<GridLook> | undefined;
  /** Columns were sorted, hidden, pinned or made wider. */
  readonly onLook?: ((look: GridLook) => void) | undefined;
  /** Asked to change a column's name or type. Absent: it cannot be changed here. */
  readonly onChangeColumn?: ((name: string) => void) | undefined;
  /** `quiet`: only while there is something to say. Absent: always. */
  readonly footer?: "quiet" | undefined;
  /** Absent: the table's name. */
  readonly label?: string | undefined;
}

/** All rows of a table, however many. Fills its parent, which must have a height. */
export function Grid(props: GridProps): ReactNode {
  // Another table is another grid: nothing of the one before it stays.
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
  const { refs, columns, driver } = useDriver(model, { select, openMenu, tell: setNote });
  const { plan, shown } = model;
  const clearFilters = (): void => {
    for (const key of table.filters.keys()) onFilter(key, undefined);
  };
  const close = (): void => {
    setOpened(undefined);
    // After the window has gone, which had the focus.
    setTimeout(() => driver.current?.focus(), 0);
  };
  return (
    <section className="wb-grid" aria-label={label ?? table.name}>
      <div
        role="grid"
        aria-label={label ?? table.name}
        aria-rowcount={shown.count + 1}
        aria-colcount={plan.all.length + 1}
        aria-multiselectable
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
          </div>
        </div>
      </div>
      <GridFooter
        isQuiet={props.footer === "quiet"}
        table={table}
        shown={shown.count}
        isSorting={model.isSorting}
        note={model.trouble ?? note}
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
