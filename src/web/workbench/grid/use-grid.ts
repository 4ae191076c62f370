import { useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from "react";
import type { Bits } from "../data/bits.ts";
import type { Table } from "../data/table.ts";
import type { ColumnWindow } from "./columns.ts";
import { GridDriver, type GridHandlers } from "./driver.ts";
import type { GridLook } from "./look.ts";
import { GridModel } from "./model.ts";
import type { Letters } from "./sizes.ts";
import { sortRows } from "./order/sorter.ts";

/** The newest of something for those who ask later. */
function useNewest<Value>(value: Value): RefObject<Value> {
  const newest = useRef(value);
  useLayoutEffect(() => {
    newest.current = value;
  });
  return newest;
}

export function useModel(options: {
  readonly table: Table;
  readonly look?: Partial<GridLook> | undefined;
  readonly onLook?: ((look: GridLook) => void) | undefined;
  readonly onSelect?: ((rows: Bits) => void) | undefined;
}): { readonly model: GridModel; readonly select: (rows: Bits) => void } {
  const newest = useNewest(options);
  const [made] = useState(() => {
    const { table, look } = options;
    const onLook = (changed: GridLook): void => newest.current.onLook?.(changed);
    const select = (rows: Bits): void => {
      const { onSelect } = newest.current;
      if (onSelect === undefined) table.select(rows);
      else onSelect(rows);
    };
    return { model: new GridModel({ table, sorter: sortRows, letters: measuredLetters(), look, onLook }), select };
  });
  useEffect(() => made.model.start(), [made]);
  return made;
}

interface GridRefs {
  readonly scroll: RefObject<HTMLDivElement | null>;
  readonly space: RefObject<HTMLDivElement | null>;
  readonly view: RefObject<HTMLDivElement | null>;
  readonly head: RefObject<HTMLDivElement | null>;
  readonly headFree: RefObject<HTMLDivElement | null>;
  readonly body: RefObject<HTMLDivElement | null>;
}

/** The driver lives as long as the elements do. */
export function useDriver(
  model: GridModel,
  handlers: Omit<GridHandlers, "onWindow">,
): { readonly refs: GridRefs; readonly columns: ColumnWindow; readonly driver: RefObject<GridDriver | undefined> } {
  const refs = useRefs();
  const [columns, setColumns] = useState<ColumnWindow>({ first: 0, end: 0 });
  const driver = useRef<GridDriver | undefined>(undefined);
  const newest = useNewest(handlers);
  useLayoutEffect(() => {
    const [scroll, space, view] = [refs.scroll.current, refs.space.current, refs.view.current];
    const [head, headFree, body] = [refs.head.current, refs.headFree.current, refs.body.current];
    if (scroll === null || space === null || view === null || head === null || headFree === null || body === null)
      return;
    const made = new GridDriver({
      model,
      elements: { scroll, space, view, head, headFree, body },
      handlers: {
        onWindow: setColumns,
        select: (rows) => newest.current.select(rows),
        openMenu: (column) => newest.current.openMenu(column),
        edit: (cell) => newest.current.edit(cell),
        erase: (cell) => newest.current.erase(cell),
        find: () => newest.current.find(),
        tell: (words) => newest.current.tell(words),
      },
    });
    driver.current = made;
    const stop = made.start();
    return () => {
      driver.current = undefined;
      stop();
    };
  }, [model, refs, newest]);
  return { refs, columns, driver };
}

function useRefs(): GridRefs {
  const scroll = useRef<HTMLDivElement>(null);
  const space = useRef<HTMLDivElement>(null);
  const view = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLDivElement>(null);
  const headFree = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  return useMemo(() => ({ scroll, space, view, head, headFree, body }), []);
}

/** Of the page's own font in the grid's size. */
function measuredLetters(): Letters {
  const canvas = document.createElement("canvas").getContext("2d");
  const { fontFamily } = getComputedStyle(document.documentElement);
  const widthOf = (text: string, weight: number): number => {
    // Where nothing can be measured, a guess.
    if (canvas === null) return text.length * 8.3;
    canvas.font = `${weight} 13px ${fontFamily}`;
    return Math.ceil(canvas.measureText(text).width) + 1;
  };
  return {
    digit: widthOf("0000000000", 400) / 10,
    textWidth: (text) => widthOf(text, 400),
    nameWidth: (name) => widthOf(name, 600),
  };
}
