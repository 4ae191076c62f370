import { useEffect, useState, type RefObject } from "react";
import type { Extent, Scale } from "./scale.ts";

/** What of the two axes is in sight after zooming. Absent: all. */
export interface VisibleExtent {
  readonly x: Extent;
  readonly y: Extent;
}

/** An extent made larger or smaller around a value; of a logarithmic axis by factors. */
export function zoomed(scale: Scale, around: number, factor: number): Extent {
  const [low, high] = scale.domain;
  if (scale.kind === "logarithmic") {
    const [from, to, at] = [Math.log(low), Math.log(high), Math.log(around)];
    return { min: Math.exp(at - (at - from) * factor), max: Math.exp(at + (to - at) * factor) };
  }
  return { min: around - (around - low) * factor, max: around + (high - around) * factor };
}

/** An extent moved by pixels. */
export function moved(scale: Scale, pixels: number): Extent {
  const [from, to] = [scale.of(scale.domain[0]), scale.of(scale.domain[1])];
  return { min: scale.at(from - pixels), max: scale.at(to - pixels) };
}

interface ZoomOptions {
  readonly stage: RefObject<HTMLDivElement | null>;
  readonly enabled: boolean;
  readonly plane: { readonly x: Scale; readonly y: Scale };
  readonly setView: (view: VisibleExtent) => void;
}

/** The wheel zooms around the pointer. Listened to by hand, because React's wheel events cannot stop the page from scrolling. */
export function useWheelZoom({ stage, enabled, plane, setView }: ZoomOptions): void {
  useEffect(() => {
    const element = stage.current;
    if (element === null || !enabled) return undefined;
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      const box = element.getBoundingClientRect();
      const factor = Math.exp(Math.max(-0.5, Math.min(0.5, event.deltaY * 0.0015)));
      setView({
        x: zoomed(plane.x, plane.x.at(event.clientX - box.left), factor),
        y: zoomed(plane.y, plane.y.at(event.clientY - box.top), factor),
      });
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      element.removeEventListener("wheel", onWheel);
    };
  }, [stage, enabled, plane, setView]);
}

/** Kept until the columns change. */
export function useView(key: string): [VisibleExtent | undefined, (view: VisibleExtent | undefined) => void] {
  const [kept, setKept] = useState<{ readonly key: string; readonly view: VisibleExtent | undefined }>({
    key,
    view: undefined,
  });
  return [
    kept.key === key ? kept.view : undefined,
    (view) => {
      setKept({ key, view });
    },
  ];
}
