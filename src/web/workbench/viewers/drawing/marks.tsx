import { useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { ARROW_STEPS } from "./keys.ts";
import type { ModifierKeys } from "./rows.ts";
import { hideTooltip, showTooltip, showTooltipAt, type TooltipLine } from "./tooltip.ts";

/** One thing in a picture that stands for rows: a bar, a slice, a bin. */
export interface Mark {
  readonly key: string;
  /** What it is and how much, in words. */
  readonly label: string;
  readonly lines: readonly TooltipLine[];
  readonly selected: boolean;
  readonly shape: ReactNode;
  readonly choose: (keys: ModifierKeys) => void;
}

interface MarksProps {
  readonly label: string;
  readonly marks: readonly Mark[];
  readonly color: string;
  /** The Tab key passes it by. */
  readonly inner?: boolean | undefined;
}

/** The marks of a picture as a list to choose from: one stop of the Tab key, arrows inside, Enter or Space chooses. */
export function Marks({ label, marks, color, inner }: MarksProps) {
  const [at, setAt] = useState(0);
  const group = useRef<SVGGElement>(null);
  const here = Math.min(at, marks.length - 1);
  const go = (index: number): void => {
    const next = Math.max(0, Math.min(marks.length - 1, index));
    setAt(next);
    group.current?.querySelectorAll<SVGGElement>("[role=option]")[next]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = ARROW_STEPS[event.key];
    if (step !== undefined) go(here + step);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(marks.length - 1);
    else if (event.key === "Enter" || event.key === " ") marks[here]?.choose(event);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  if (marks.length === 0) return null;
  return (
    <g ref={group} role="listbox" aria-multiselectable="true" aria-label={label} onKeyDown={onKeyDown}>
      {marks.map((mark, index) => (
        <OneMark
          key={mark.key}
          mark={mark}
          color={color}
          reachable={index === here && inner !== true}
          reached={() => setAt(index)}
        />
      ))}
    </g>
  );
}

interface OneMarkProps {
  readonly mark: Mark;
  readonly color: string;
  readonly reachable: boolean;
  readonly reached: () => void;
}

function OneMark({ mark, color, reachable, reached }: OneMarkProps) {
  return (
    <g
      role="option"
      aria-selected={mark.selected}
      aria-label={mark.label}
      tabIndex={reachable ? 0 : -1}
      className="cursor-pointer outline-none [&:focus-visible>.focus-ring]:opacity-100"
      style={{ color }}
      onClick={(event) => {
        reached();
        mark.choose(event);
      }}
      onFocus={(event) => {
        reached();
        if (event.currentTarget.matches(":focus-visible")) showTooltipAt(event.currentTarget, mark.lines);
      }}
      onBlur={hideTooltip}
      onPointerMove={(event) => {
        if (event.buttons === 0) showTooltip({ x: event.clientX, y: event.clientY }, mark.lines);
      }}
      onPointerLeave={hideTooltip}
    >
      {mark.shape}
    </g>
  );
}
