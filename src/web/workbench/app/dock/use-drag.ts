import { useEffect, useRef, useState, type PointerEvent as ReactPointerEvent, type RefObject } from "react";
import { dropTarget, type DropTarget } from "../../model/drop-target.ts";
import { moveTo, moveToEdge } from "../../model/dock.ts";
import type { Rect, StackRect } from "../../model/rects.ts";
import type { View } from "../../model/workbench.ts";
import { useBench } from "../context.tsx";

/** A pointer that moves less than this has only clicked. */
const SLACK = 6;

interface DraggedTab {
  readonly id: string;
  readonly x: number;
  readonly y: number;
}

export interface TabDrag {
  /** Where it would fall now; absent: nothing is dragged, or it is over no place. */
  readonly target: DropTarget | undefined;
  readonly grab: (id: string, event: ReactPointerEvent) => void;
}

/** A viewer is taken by its head and let go over another place. Escape leaves it where it was. */
export function useDrag(options: {
  readonly view: View;
  readonly area: RefObject<HTMLElement | null>;
  readonly stacks: readonly StackRect[];
  readonly space: Rect;
}): TabDrag {
  const { workbench } = useBench();
  const [held, setHeld] = useState<DraggedTab | undefined>(undefined);
  const [target, setTarget] = useState<DropTarget | undefined>(undefined);
  const newest = useRef(options);
  newest.current = options;
  useEffect(() => {
    if (held === undefined) return;
    let moving = false;
    let over: DropTarget | undefined;
    const end = (): void => {
      delete document.documentElement.dataset["dragging"];
      setHeld(undefined);
      setTarget(undefined);
    };
    const onMove = (event: PointerEvent): void => {
      if (!moving && Math.hypot(event.clientX - held.x, event.clientY - held.y) < SLACK) return;
      moving = true;
      document.documentElement.dataset["dragging"] = "pane";
      const corner = newest.current.area.current?.getBoundingClientRect();
      const point = { x: event.clientX - (corner?.left ?? 0), y: event.clientY - (corner?.top ?? 0) };
      over = dropTarget(newest.current.stacks, newest.current.space, { id: held.id, ...point });
      setTarget(over);
    };
    const onUp = (): void => {
      const { view } = newest.current;
      if (moving && over !== undefined) {
        const { id } = held;
        const { place } = over;
        if (over.target !== undefined)
          workbench.setDock(view.id, moveTo(view.dock, { id, target: over.target, place }));
        else if (place !== "centre") workbench.setDock(view.id, moveToEdge(view.dock, { id, side: place }));
      }
      end();
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      end();
    };
    globalThis.addEventListener("pointermove", onMove);
    globalThis.addEventListener("pointerup", onUp);
    globalThis.addEventListener("pointercancel", end);
    globalThis.addEventListener("keydown", onKey, true);
    return () => {
      globalThis.removeEventListener("pointermove", onMove);
      globalThis.removeEventListener("pointerup", onUp);
      globalThis.removeEventListener("pointercancel", end);
      globalThis.removeEventListener("keydown", onKey, true);
      delete document.documentElement.dataset["dragging"];
    };
  }, [held, workbench]);
  return {
    target,
    grab: (id, event) => {
      if (event.button === 0) setHeld({ id, x: event.clientX, y: event.clientY });
    },
  };
}
