/** A line of a tooltip: what, and how much. Without a name it is a heading. */
export type TooltipLine = readonly [name: string, value: string];

const GAP = 14;
const MOST_LINES = 16;

/** One element for all viewers of the page. */
const kept: { element?: HTMLElement } = {};

function element(): HTMLElement {
  if (kept.element?.isConnected === true) return kept.element;
  const made = document.createElement("div");
  made.setAttribute("role", "presentation");
  made.setAttribute("aria-hidden", "true");
  made.className =
    "pointer-events-none fixed left-0 top-0 z-50 max-w-80 rounded-md border border-line-strong bg-raised px-2 py-1 text-xs text-ink shadow-md";
  made.hidden = true;
  document.body.append(made);
  kept.element = made;
  return made;
}

/** Beside a point of the window, on the side where there is room. Marks say the same to screen readers by their own names. */
export function showTooltip(at: { readonly x: number; readonly y: number }, lines: readonly TooltipLine[]): void {
  const box = element();
  box.replaceChildren(...lines.slice(0, MOST_LINES).map(([name, value]) => line(name, value)));
  box.hidden = false;
  const { offsetWidth: width, offsetHeight: height } = box;
  const left = at.x + GAP + width > innerWidth ? at.x - GAP - width : at.x + GAP;
  const top = at.y + GAP + height > innerHeight ? at.y - GAP - height : at.y + GAP;
  box.style.transform = `translate(${Math.max(2, left)}px, ${Math.max(2, top)}px)`;
}

export function hideTooltip(): void {
  if (kept.element !== undefined) kept.element.hidden = true;
}

/** Above the middle of an element, for marks that have the keyboard's focus. */
export function showTooltipAt(mark: Element, lines: readonly TooltipLine[]): void {
  const box = mark.getBoundingClientRect();
  showTooltip({ x: box.left + box.width / 2, y: box.top + box.height / 2 }, lines);
}

function line(name: string, value: string): HTMLElement {
  const made = document.createElement("div");
  made.className = "flex justify-between gap-3";
  if (name !== "") {
    const first = document.createElement("span");
    first.className = "text-soft";
    first.textContent = name;
    made.append(first);
  }
  const second = document.createElement("span");
  second.className = name === "" ? "font-medium" : "tabular-nums";
  second.textContent = value;
  made.append(second);
  return made;
}
