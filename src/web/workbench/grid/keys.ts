export interface ActiveCell {
  /** Of the shown rows; -1: the heads. */
  readonly position: number;
  /** Among the shown columns, the pinned ones first. */
  readonly place: number;
}

interface KeyPress {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** What a key means in the grid. */
export type KeyAction =
  | { readonly kind: "move"; readonly to: ActiveCell; readonly extend: boolean }
  | { readonly kind: "toggle" }
  | { readonly kind: "select-all" }
  | { readonly kind: "clear" }
  | { readonly kind: "sort"; readonly more: boolean }
  | { readonly kind: "menu" }
  | { readonly kind: "resize"; readonly wider: boolean }
  | { readonly kind: "edit" }
  /** Clears the cell. */
  | { readonly kind: "erase" }
  | { readonly kind: "find" };

interface KeyPlace {
  readonly active: ActiveCell;
  readonly rows: number;
  readonly columns: number;
  /** Rows in sight. */
  readonly page: number;
}

/** Absent: the key is not the grid's. */
export function keyAction(press: KeyPress, place: KeyPlace): KeyAction | undefined {
  const control = press.ctrlKey || press.metaKey;
  if (press.altKey) return press.key === "ArrowDown" ? { kind: "menu" } : undefined;
  if (control && press.key.toLowerCase() === "a") return { kind: "select-all" };
  if (control && press.key.toLowerCase() === "f") return { kind: "find" };
  if (press.key === "Escape") return { kind: "clear" };
  if (press.key === "ContextMenu" || (press.shiftKey && press.key === "F10")) return { kind: "menu" };
  if (place.active.position < 0) {
    const action = headAction(press);
    if (action !== undefined) return action;
  } else {
    const action = cellAction(press, control);
    if (action !== undefined) return action;
  }
  const to = moved(press.key, control, place);
  return to === undefined ? undefined : { kind: "move", to, extend: press.shiftKey && to.position >= 0 };
}

function cellAction({ key }: KeyPress, control: boolean): KeyAction | undefined {
  if (key === " ") return { kind: "toggle" };
  if (control) return undefined;
  if (key === "Enter" || key === "F2") return { kind: "edit" };
  return key === "Delete" || key === "Backspace" ? { kind: "erase" } : undefined;
}

function headAction(press: KeyPress): KeyAction | undefined {
  if (press.key === "Enter" || press.key === " ") return { kind: "sort", more: press.shiftKey };
  if (press.shiftKey && (press.key === "ArrowLeft" || press.key === "ArrowRight"))
    return { kind: "resize", wider: press.key === "ArrowRight" };
  return undefined;
}

function moved(key: string, control: boolean, { active, rows, columns, page }: KeyPlace): ActiveCell | undefined {
  const { position, place } = active;
  const row = (next: number): ActiveCell => ({ place, position: Math.max(-1, Math.min(rows - 1, next)) });
  const bodyRow = (next: number): ActiveCell => row(rows === 0 ? -1 : Math.max(0, next));
  const column = (next: number): ActiveCell => ({ position, place: Math.max(0, Math.min(columns - 1, next)) });
  switch (key) {
    case "ArrowDown":
      return control ? row(rows - 1) : row(position + 1);
    case "ArrowUp":
      return control ? bodyRow(0) : row(position - 1);
    case "ArrowRight":
      return column(control ? columns - 1 : place + 1);
    case "ArrowLeft":
      return column(control ? 0 : place - 1);
    case "PageDown":
      return bodyRow(position + page);
    case "PageUp":
      return bodyRow(position - page);
    case "Home":
      return control ? { position: rows === 0 ? -1 : 0, place: 0 } : column(0);
    case "End":
      return control ? { position: rows - 1, place: Math.max(0, columns - 1) } : column(columns - 1);
    default:
      return undefined;
  }
}
