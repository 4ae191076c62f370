import { useEffect, useRef, type ReactNode } from "react";
import { useIsDesktop } from "../../../ui/media.ts";
import { dockIds, GRID, showIn, stackOf } from "../../model/dock.ts";
import { rectsOf, type Rect, type StackRect } from "../../model/rects.ts";
import type { View } from "../../model/workbench.ts";
import { useBench } from "../context.tsx";
import { useSurface } from "../surface.ts";
import { DropHint } from "./drop-hint.tsx";
import { Pane } from "./pane.tsx";
import { PhoneTabs } from "./phone-tabs.tsx";
import { useSize } from "./size.ts";
import { Splitter } from "./splitter.tsx";
import { useDrag } from "./use-drag.ts";

/** Space between the dock and what is around it. */
const MARGIN = 6;

/**
 * The grid and the viewers of a table. All lie side by side in the document, placed by their rectangles: one that is moved or resized
 * keeps all that it had.
 */
export function DockArea({ view }: { readonly view: View }): ReactNode {
  const area = useRef<HTMLDivElement>(null);
  const size = useSize(area);
  const isWide = useIsDesktop();
  const { workbench } = useBench();
  const { maximised, front, set } = useSurface();
  useNewInFront(view);
  const space: Rect = isWide
    ? { x: MARGIN, y: MARGIN, width: size.width - 2 * MARGIN, height: size.height - 2 * MARGIN }
    : { x: 0, y: 0, ...size };
  const ids = dockIds(view.dock);
  const only = isWide ? maximised : (front ?? GRID);
  const alone = only === undefined ? undefined : ids.includes(only) ? only : isWide ? undefined : GRID;
  const rects =
    alone === undefined ? rectsOf(view.dock, space) : { stacks: [{ ...space, stack: stackOf(alone) }], splitters: [] };
  const drag = useDrag({ view, area, stacks: rects.stacks, space });
  const isReady = size.width > 0 && size.height > 0;
  const placed = new Map<string, StackRect>(rects.stacks.map((rect) => [rect.stack.shown, rect]));
  const show = (id: string): void => {
    if (isWide) workbench.setDock(view.id, showIn(view.dock, id));
    else set({ front: id });
  };
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {!isWide && <PhoneTabs view={view} shown={alone ?? GRID} onShow={show} />}
      <div ref={area} className="relative min-h-0 flex-1 overflow-hidden bg-sunken">
        {isReady &&
          [GRID, ...view.viewers.map(({ id }) => id)].map((id) => {
            const place = placed.get(id);
            // The grid stays where it is, so that it keeps its place when it comes back.
            if (place === undefined && id !== GRID) return undefined;
            return (
              <Pane
                key={id}
                id={id}
                view={view}
                place={place}
                isAlone={alone === id}
                isPhone={!isWide}
                onShow={show}
                onGrab={drag.grab}
              />
            );
          })}
        {isReady &&
          rects.splitters.map((splitter) => (
            <Splitter key={`${splitter.path.join(".")}:${String(splitter.index)}`} view={view} splitter={splitter} />
          ))}
        {drag.target !== undefined && <DropHint rect={drag.target.rect} />}
      </div>
    </div>
  );
}

/** Whoever adds a viewer wants it to be seen: on a phone it comes to the front, and a maximised one makes room. */
function useNewInFront(view: View): void {
  const known = useRef(view.viewers);
  useEffect(() => {
    const fresh = view.viewers.findLast(({ id }) => !known.current.some((other) => other.id === id));
    known.current = view.viewers;
    if (fresh !== undefined) useSurface.getState().set({ front: fresh.id, maximised: undefined });
  }, [view.viewers]);
}
