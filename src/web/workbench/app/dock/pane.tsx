import type { PointerEvent, ReactNode } from "react";
import { GRID } from "../../model/dock.ts";
import type { StackRect } from "../../model/rects.ts";
import type { View } from "../../model/workbench.ts";
import { GridBody } from "./grid-body.tsx";
import { PaneHead } from "./pane-head.tsx";
import { ViewerBody } from "./viewer-body.tsx";

const HEAD_HEIGHT = 32;
const BORDERS = 2;
/** Below this a head has only room for its title and two buttons. */
const NARROW = 300;

/** The grid or a viewer with its head. */
export function Pane({
  id,
  view,
  place,
  isAlone,
  isPhone,
  onShow,
  onGrab,
}: {
  readonly id: string;
  readonly view: View;
  /** Absent: not seen now. */
  readonly place: StackRect | undefined;
  /** It fills the dock. */
  readonly isAlone: boolean;
  readonly isPhone: boolean;
  readonly onShow: (id: string) => void;
  readonly onGrab: (id: string, event: PointerEvent) => void;
}): ReactNode {
  const viewer = view.viewers.find((one) => one.id === id);
  const title = viewer?.title ?? "Grid";
  const hasHead = !(isPhone && id === GRID) && !(id === GRID && view.viewers.length === 0);
  const width = Math.max(0, (place?.width ?? 0) - BORDERS);
  const height = Math.max(0, (place?.height ?? 0) - BORDERS - (hasHead ? HEAD_HEIGHT : 0));
  return (
    <section
      aria-label={title}
      data-viewer-id={id}
      hidden={place === undefined}
      className="absolute flex flex-col overflow-hidden border bg-paper md:rounded-lg"
      style={place === undefined ? {} : { left: place.x, top: place.y, width: place.width, height: place.height }}
    >
      {hasHead && place !== undefined && (
        <PaneHead
          id={id}
          view={view}
          stack={place.stack.viewers}
          isAlone={isAlone}
          isPhone={isPhone}
          isNarrow={place.width < NARROW}
          onShow={onShow}
          onGrab={onGrab}
        />
      )}
      <div data-picture className="relative min-h-0 flex-1">
        {viewer === undefined ? (
          <GridBody view={view} width={width} height={height} />
        ) : (
          <ViewerBody view={view} viewer={viewer} width={width} height={height} />
        )}
      </div>
    </section>
  );
}
