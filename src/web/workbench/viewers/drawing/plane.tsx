import type { ReactNode } from "react";
import { XAxis, YAxis } from "./axes.tsx";
import type { Palette } from "./colors.ts";
import type { DrawnBox } from "./drag.ts";
import type { Area } from "./figure.tsx";
import type { Plane } from "./plot.ts";

interface PlaneAxesProps {
  readonly plane: Plane;
  readonly palette: Palette;
  readonly showX: boolean;
  readonly showY: boolean;
  readonly gridX?: boolean | undefined;
  readonly gridY?: boolean | undefined;
  readonly orientation?: string | undefined;
}

/** The axes of a plane, with their lines over the picture. */
export function PlaneAxes({ plane, palette, showX, showY, gridX, gridY, orientation }: PlaneAxesProps) {
  const { x, y, left, right, top, bottom } = plane;
  return (
    <>
      {showY && <YAxis scale={y} palette={palette} at={left} grid={gridY === true ? right - left : undefined} />}
      {showX && (
        <XAxis
          scale={x}
          palette={palette}
          at={bottom}
          grid={gridX === true ? bottom - top : undefined}
          orientation={orientation}
        />
      )}
    </>
  );
}

/** The rectangle that a person draws. */
export function DragBox({ box, palette }: { readonly box: DrawnBox | undefined; readonly palette: Palette }) {
  if (box === undefined) return null;
  return (
    <rect
      x={box.left}
      y={box.top}
      width={box.right - box.left}
      height={box.bottom - box.top}
      fill={palette.selected}
      fillOpacity={0.12}
      stroke={palette.selected}
      strokeDasharray="4 3"
      pointerEvents="none"
    />
  );
}

interface SvgProps {
  readonly area: Area;
  readonly children: ReactNode;
  readonly className?: string | undefined;
}

/** The page of a picture. Its marks name themselves; what only looks is hidden from screen readers. */
export function Svg({ area, children, className = "" }: SvgProps) {
  return (
    <svg
      width={area.width}
      height={area.height}
      viewBox={`0 0 ${area.width} ${area.height}`}
      className={`absolute inset-0 block select-none ${className}`}
    >
      {children}
    </svg>
  );
}
