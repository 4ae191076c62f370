import { ChevronDown, ChevronUp, LoaderCircle, Search, X } from "lucide-react";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from "react";
import type { GridDriver } from "../driver.ts";
import type { ActiveCell } from "../keys.ts";
import type { GridModel } from "../model.ts";
import { cellTests, nextFound, searchCells, type FoundCells } from "./search.ts";
import { GRID_LIMITS } from "../sizes.ts";

interface SearchBarProps {
  readonly model: GridModel;
  readonly driver: RefObject<GridDriver | undefined>;
  /** Grows each time that the search is asked for: the field gets the focus. */
  readonly asked: number;
  readonly close: () => void;
}

/** Finds text in the rows and columns that are shown. Enter goes to the next one, Shift+Enter to the one before. */
export function SearchBar({ model, driver, asked, close }: SearchBarProps): ReactNode {
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), [asked]);
  const { found, isDone } = useFound(model, text);
  const [from] = useState(() => model.active);
  useFirst(found, { from, text, driver });
  const go = (direction: "forward" | "back"): void => {
    const cell = found.cells[nextFound(found.cells, model.active, direction)];
    if (cell !== undefined) driver.current?.show(cell);
  };
  const press = (event: KeyboardEvent): void => {
    event.stopPropagation();
    if (event.key === "Escape") close();
    else if (event.key === "Enter" || event.key === "F3") go(event.shiftKey ? "back" : "forward");
    else return;
    event.preventDefault();
  };
  return (
    <div
      role="search"
      aria-label="Find in the table"
      className="flex shrink-0 items-center gap-1 border-b bg-panel px-2 py-1"
    >
      <Search aria-hidden className="size-4 shrink-0 text-faint" />
      <input
        ref={field}
        type="text"
        value={text}
        autoFocus
        spellCheck={false}
        maxLength={GRID_LIMITS.searchCharacters}
        placeholder="Find in the table"
        aria-label="Find in the table"
        className="h-8 max-w-md min-w-0 flex-1 rounded bg-transparent px-1.5 text-sm text-ink placeholder:text-faint"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={press}
      />
      <p role="status" className="flex shrink-0 items-center gap-1.5 px-1 text-xs text-soft tabular-nums">
        {text !== "" && foundWords(found, { isDone, at: model.active })}
        {text !== "" && !isDone && <LoaderCircle aria-hidden className="size-3.5 animate-spin" />}
      </p>
      <SearchButton label="Previous" icon={ChevronUp} press={() => go("back")} isOff={found.cells.length === 0} />
      <SearchButton label="Next" icon={ChevronDown} press={() => go("forward")} isOff={found.cells.length === 0} />
      <SearchButton label="Close the search" icon={X} press={close} isOff={false} />
    </div>
  );
}

function SearchButton(props: {
  readonly label: string;
  readonly icon: typeof X;
  readonly press: () => void;
  readonly isOff: boolean;
}): ReactNode {
  const { label, icon: Icon, press, isOff } = props;
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      disabled={isOff}
      className="grid size-8 shrink-0 place-items-center rounded text-soft hover:bg-sunken hover:text-ink disabled:opacity-50"
      onClick={press}
    >
      <Icon aria-hidden className="size-4" />
    </button>
  );
}

function foundWords(
  { cells, isCut }: FoundCells,
  { isDone, at }: { readonly isDone: boolean; readonly at: ActiveCell },
): string {
  if (cells.length === 0) return isDone ? "Not found" : "";
  const all = `${cells.length.toLocaleString("en")}${isCut ? "+" : ""}`;
  const index = cells.findIndex(({ position, place }) => position === at.position && place === at.place);
  return index < 0 ? `${all} found` : `${(index + 1).toLocaleString("en")} of ${all}`;
}

const NONE: FoundCells = { cells: [], isCut: false };

/** Searches the table in slices, and again when the text, the rows or the columns change. */
function useFound(model: GridModel, text: string): { readonly found: FoundCells; readonly isDone: boolean } {
  const [state, setState] = useState({ found: NONE, isDone: true });
  const { shown, plan } = model;
  const columns = useMemo(() => plan.all.map(({ column }) => column), [plan]);
  useEffect(() => {
    if (text === "") {
      model.setFound(undefined);
      setState({ found: NONE, isDone: true });
      return undefined;
    }
    const tests = cellTests(columns, text);
    model.setFound(new Map(columns.flatMap((column, at) => (tests[at] === undefined ? [] : [[column, tests[at]]]))));
    const steps = searchCells(shown, tests);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const step = (): void => {
      const { value, done = false } = steps.next();
      setState({ found: { ...value, cells: done ? value.cells : value.cells.slice() }, isDone: done });
      if (!done) timer = setTimeout(step);
    };
    step();
    return () => clearTimeout(timer);
  }, [model, columns, shown, text]);
  useEffect(() => () => model.setFound(undefined), [model]);
  return state;
}

/** While a person still types, the first match after the active cell is shown. */
function useFirst(
  { cells }: FoundCells,
  options: { readonly from: ActiveCell; readonly text: string; readonly driver: SearchBarProps["driver"] },
): void {
  const { from, text, driver } = options;
  const shownFor = useRef("");
  useEffect(() => {
    if (text === shownFor.current || cells.length === 0) return;
    shownFor.current = text;
    const before = { position: Math.max(0, from.position), place: from.position < 0 ? -1 : from.place - 1 };
    const cell = cells[nextFound(cells, before, "forward")];
    if (cell !== undefined) driver.current?.show(cell);
  }, [cells, from, text, driver]);
}
