import {
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from "react";
import { textAt } from "../data/format.ts";
import type { PlacedColumn } from "./columns.ts";
import type { GridDriver } from "./driver.ts";
import type { ActiveCell } from "./keys.ts";
import { SIZES } from "./sizes.ts";

/** Where the focus goes after a value was accepted. */
type EditorExit = "stay" | "down" | "up" | "right" | "left";

interface CellEditorProps {
  readonly cell: ActiveCell;
  /** Of the table. */
  readonly row: number;
  readonly placed: PlacedColumn;
  readonly driver: RefObject<GridDriver | undefined>;
  /** Returns words if the value is refused. */
  readonly commit: (text: string) => string | undefined;
  /** Absent: the focus is already elsewhere. */
  readonly close: (to: ActiveCell | undefined) => void;
}

const LEAST_WIDTH = 140;
/** Height of the message about a refused value, CSS pixels. */
const WORDS_ROOM = 60;

/** A field over a cell. Enter and Tab accept the value and go on, Escape discards it. */
export function CellEditor({ cell, row, placed, driver, commit, close }: CellEditorProps): ReactNode {
  const { column } = placed;
  const [before] = useState(() => textAt(column, row));
  const [text, setText] = useState(before);
  const [refused, setRefused] = useState<string>();
  const words = useId();
  const { box, isLow } = usePlace(cell, driver);
  const isEnded = useRef(false);
  const leave = (exit: EditorExit | undefined): void => {
    isEnded.current = true;
    close(exit === undefined ? undefined : moved(cell, exit));
  };
  const take = (exit: EditorExit | undefined): void => {
    if (isEnded.current) return;
    const trouble = text === before ? undefined : commit(text);
    setRefused(trouble);
    if (trouble === undefined) leave(exit);
  };
  const press = (event: KeyboardEvent): void => {
    event.stopPropagation();
    const exit = exitOf(event);
    if (event.key === "Escape") leave("stay");
    else if (exit !== undefined) {
      event.preventDefault();
      take(exit);
    }
  };
  return (
    <div role="row">
      <div
        role="gridcell"
        className={`wb-editor${placed.atRight ? " at-right" : ""}`}
        ref={box}
        style={{ minWidth: LEAST_WIDTH }}
      >
        <input
          value={text}
          autoFocus
          spellCheck={false}
          aria-label={`${column.name}, row ${row + 1}`}
          aria-invalid={refused !== undefined}
          aria-describedby={words}
          onFocus={(event) => event.target.select()}
          onChange={(event) => {
            setText(event.target.value);
            setRefused(undefined);
          }}
          onKeyDown={press}
          onBlur={() => take(undefined)}
        />
        <div id={words} role="alert" className="relative">
          {refused !== undefined && (
            <p
              className={`absolute left-0 z-10 w-max max-w-72 rounded-md border border-bad/40 bg-bad-soft px-2 py-1 text-xs text-bad shadow-lg ${isLow ? "bottom-8" : "top-1"}`}
            >
              {refused}
            </p>
          )}
        </div>
      </div>
    </div>
  );
}

function exitOf({ key, shiftKey }: KeyboardEvent): EditorExit | undefined {
  if (key === "Enter") return shiftKey ? "up" : "down";
  if (key === "Tab") return shiftKey ? "left" : "right";
  return undefined;
}

function moved({ position, place }: ActiveCell, exit: EditorExit): ActiveCell {
  switch (exit) {
    case "stay":
      return { position, place };
    case "down":
      return { position: position + 1, place };
    case "up":
      return { position: position - 1, place };
    case "right":
      return { position, place: place + 1 };
    case "left":
      return { position, place: place - 1 };
  }
}

/** Lies over its cell, also while the grid is scrolled. */
function usePlace(
  cell: ActiveCell,
  driver: RefObject<GridDriver | undefined>,
): { readonly box: RefObject<HTMLDivElement | null>; readonly isLow: boolean } {
  const box = useRef<HTMLDivElement>(null);
  const [isLow, setIsLow] = useState(false);
  const put = useRef(() => {});
  useLayoutEffect(() => {
    put.current = () => {
      const element = box.current;
      const found = driver.current?.boxOf(cell);
      if (element === null || found === undefined) return;
      const view = element.closest(".wb-view");
      const room = view?.clientHeight ?? 0;
      const wide = view?.clientWidth ?? 0;
      const width = Math.max(found.width, LEAST_WIDTH);
      element.style.left = `${Math.max(0, Math.min(found.left, wide - width))}px`;
      element.style.top = `${found.top}px`;
      element.style.width = `${width}px`;
      setIsLow(found.top + SIZES.row + WORDS_ROOM > room);
    };
    put.current();
  }, [cell, driver]);
  useEffect(() => driver.current?.onPaint(() => put.current()), [driver]);
  return { box, isLow };
}
