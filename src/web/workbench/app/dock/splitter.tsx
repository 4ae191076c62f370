import type { KeyboardEvent, PointerEvent, ReactNode } from "react";
import { classes } from "../../../ui/classes.ts";
import { resize } from "../../model/dock.ts";
import type { SplitterRect } from "../../model/rects.ts";
import type { View } from "../../model/workbench.ts";
import { WORKBENCH_LIMITS } from "../../limits.ts";
import { useBench } from "../context.tsx";
import { followPointer } from "../follow-pointer.ts";

const STEP = 0.02;
const LARGE_STEP = 0.1;

/** The border between two parts: moved by the pointer, or with the arrow keys; Enter makes both alike. */
export function Splitter({ view, splitter }: { readonly view: View; readonly splitter: SplitterRect }): ReactNode {
  const { workbench } = useBench();
  const { direction, share, both, path, index, length } = splitter;
  const isRow = direction === "row";
  const move = (to: number): void => {
    const { dock } = workbench.views.find(({ id }) => id === view.id) ?? view;
    workbench.setDock(view.id, resize(dock, { path, index, share: to }));
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>): void =>
    followPointer(event, ({ x, y }) => move(share + (isRow ? x : y) / length));
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = keyShare(event, { isRow, share, both });
    if (to === undefined) return;
    event.preventDefault();
    move(to);
  };
  return (
    <div
      role="separator"
      tabIndex={0}
      aria-label={isRow ? "Width of what lies left and right" : "Height of what lies above and below"}
      aria-orientation={isRow ? "vertical" : "horizontal"}
      aria-valuenow={Math.round((share / both) * 100)}
      aria-valuemin={0}
      aria-valuemax={100}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
      className={classes(
        "absolute z-10 touch-none rounded-full hover:bg-accent/50 focus-visible:bg-accent active:bg-accent",
        isRow ? "cursor-col-resize" : "cursor-row-resize",
      )}
      style={{ left: splitter.x, top: splitter.y, width: splitter.width, height: splitter.height }}
    />
  );
}

function keyShare(
  event: KeyboardEvent,
  { isRow, share, both }: { readonly isRow: boolean; readonly share: number; readonly both: number },
): number | undefined {
  const step = event.shiftKey ? LARGE_STEP : STEP;
  switch (event.key) {
    case isRow ? "ArrowLeft" : "ArrowUp":
      return share - step;
    case isRow ? "ArrowRight" : "ArrowDown":
      return share + step;
    case "Home":
      return WORKBENCH_LIMITS.dockShareMin;
    case "End":
      return both - WORKBENCH_LIMITS.dockShareMin;
    case "Enter":
      return both / 2;
    default:
      return undefined;
  }
}
