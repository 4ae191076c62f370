import type { ReactNode } from "react";
import type { Rect } from "../../model/rects.ts";

/** Where a viewer that is dragged would come to lie. */
export function DropHint({ rect }: { readonly rect: Rect }): ReactNode {
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute z-20 rounded-lg border-2 border-accent bg-accent/15"
      style={{ left: rect.x, top: rect.y, width: rect.width, height: rect.height }}
    />
  );
}
