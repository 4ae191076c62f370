import { useId, useState, type KeyboardEvent, type MouseEvent, type ReactNode } from "react";
import { spotOf } from "../drawing/drag.ts";
import { ARROW_STEPS } from "../drawing/keys.ts";
import type { ModifierKeys } from "../drawing/rows.ts";
import { hideTooltip, showTooltip, type TooltipLine } from "../drawing/tooltip.ts";

/** One thing of a picture on a canvas that stands for rows. */
export interface Spot {
  /** What it is and how much, in words. */
  readonly label: string;
  readonly lines: readonly TooltipLine[];
  readonly selected: boolean;
  /** Around it, px of the picture. */
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

interface SpotsProps {
  readonly label: string;
  readonly width: number;
  readonly height: number;
  readonly count: number;
  readonly spot: (index: number) => Spot | undefined;
  /** Which lies at a place; -1: none. */
  readonly at: (x: number, y: number) => number;
  readonly choose: (index: number, keys: ModifierKeys) => void;
  /** Goes into one: a double click, or the plus key. */
  readonly open?: ((index: number) => void) | undefined;
  /** Comes back out: the minus key, Backspace or Escape. */
  readonly back?: (() => void) | undefined;
}

/**
 * Over a canvas: what is drawn there as a list to choose from. One stop of the Tab key, arrows inside, Enter or Space chooses. Only the
 * one that is reached is an element, so that thousands cost nothing.
 */
export function Spots(props: SpotsProps): ReactNode {
  const { label, width, height, count } = props;
  const id = useId();
  const [reached, setReached] = useState(0);
  const [ring, setRing] = useState<"none" | "focus" | "hover">("none");
  const here = Math.max(0, Math.min(reached, count - 1));
  const spot = count === 0 ? undefined : props.spot(here);
  const onKeyDown = keysOf(props, here, (index) => {
    setReached(index);
    setRing("focus");
  });
  const placeOf = (event: MouseEvent): number => {
    const { x, y } = spotOf(event);
    return props.at(x, y);
  };
  const leave = (): void => {
    setRing("none");
    hideTooltip();
  };
  return (
    <div
      role="listbox"
      aria-label={label}
      aria-multiselectable="true"
      aria-activedescendant={spot === undefined ? undefined : id}
      tabIndex={0}
      className="absolute inset-0 cursor-pointer outline-none focus-visible:outline-2 focus-visible:-outline-offset-2"
      style={{ width, height }}
      onKeyDown={onKeyDown}
      onFocus={(event) => {
        if (event.currentTarget.matches(":focus-visible")) setRing("focus");
      }}
      onBlur={leave}
      onPointerMove={(event) => {
        const index = placeOf(event);
        const found = props.spot(index);
        if (found === undefined) {
          leave();
          return;
        }
        setReached(index);
        setRing("hover");
        if (event.buttons === 0) showTooltip({ x: event.clientX, y: event.clientY }, found.lines);
      }}
      onPointerLeave={leave}
      onClick={(event) => {
        const index = placeOf(event);
        if (index >= 0) props.choose(index, event);
      }}
      onDoubleClick={(event) => {
        const index = placeOf(event);
        if (index >= 0) props.open?.(index);
      }}
    >
      {spot !== undefined && (
        <div
          id={id}
          role="option"
          aria-selected={spot.selected}
          aria-label={spot.label}
          aria-posinset={here + 1}
          aria-setsize={count}
          className={`pointer-events-none absolute rounded-[2px] ${RINGS[ring]}`}
          style={{ left: spot.box.x, top: spot.box.y, width: spot.box.width, height: spot.box.height }}
        />
      )}
    </div>
  );
}

const RINGS = {
  none: "opacity-0",
  hover: "border border-ink",
  focus: "outline-2 outline-[var(--focus)] ring-2 ring-paper",
} as const;

function keysOf(props: SpotsProps, here: number, go: (index: number) => void): (event: KeyboardEvent) => void {
  const last = props.count - 1;
  return (event) => {
    const step = ARROW_STEPS[event.key];
    if (step !== undefined) go(Math.max(0, Math.min(last, here + step)));
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(last);
    else if (event.key === "Enter" || event.key === " ") props.choose(here, event);
    else if ((event.key === "+" || event.key === "=") && props.open !== undefined) props.open(here);
    else if (["-", "Backspace", "Escape"].includes(event.key) && props.back !== undefined) props.back();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}
