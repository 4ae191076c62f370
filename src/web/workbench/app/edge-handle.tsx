import type { KeyboardEvent, PointerEvent, ReactNode } from "react";
import { classes } from "../../ui/classes.ts";
import { followPointer } from "./follow-pointer.ts";

const STEP = 24;

/** The inner edge of a part at an edge of the page. Dragging it changes the part's size. */
export function EdgeHandle({
  label,
  edge,
  value,
  least,
  most,
  onChange,
}: {
  readonly label: string;
  readonly edge: "right" | "bottom";
  /** CSS pixels, as are its bounds. */
  readonly value: number;
  readonly least: number;
  readonly most: number;
  readonly onChange: (value: number) => void;
}): ReactNode {
  const isRight = edge === "right";
  const set = (next: number): void => onChange(Math.min(most, Math.max(least, Math.round(next))));
  const onPointerDown = (event: PointerEvent<HTMLDivElement>): void =>
    followPointer(event, ({ x, y }) => set(value - (isRight ? x : y)));
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = isRight
      ? { ArrowLeft: STEP, ArrowRight: -STEP }
      : { ArrowUp: STEP, ArrowDown: -STEP };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    set(value + step);
  };
  return (
    <div
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={isRight ? "vertical" : "horizontal"}
      aria-valuenow={value}
      aria-valuemin={least}
      aria-valuemax={most}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
      className={classes(
        "z-20 shrink-0 touch-none hover:bg-accent/50 focus-visible:bg-accent",
        isRight ? "-mr-1.5 w-1.5 cursor-col-resize" : "-mb-1.5 h-1.5 cursor-row-resize",
      )}
    />
  );
}
