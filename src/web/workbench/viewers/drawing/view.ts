import { useEffect, useRef, useState, type RefObject } from "react";
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

/** Hears of the wheel over an element. By hand, because React's wheel events cannot stop the page from scrolling. Undefined: the page scrolls. */
export function useWheel(
  surface: { readonly current: HTMLElement | null },
  turned: ((event: WheelEvent, at: { readonly x: number; readonly y: number }) => void) | undefined,
): void {
  const latest = useRef(turned);
  useEffect(() => {
    latest.current = turned;
  });
  useEffect(() => {
    const element = surface.current;
    const onWheel = (event: WheelEvent): void => {
      if (element === null || latest.current === undefined) return;
      event.preventDefault();
      const box = element.getBoundingClientRect();
      latest.current(event, { x: event.clientX - box.left, y: event.clientY - box.top });
    };
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  }, [surface]);
}

/** The wheel zooms around the pointer. */
export function useWheelZoom({ stage, enabled, plane, setView }: ZoomOptions): void {
  const zoom = (event: WheelEvent, at: { readonly x: number; readonly y: number }): void => {
    const factor = Math.exp(Math.max(-0.5, Math.min(0.5, event.deltaY * 0.0015)));
    setView({ x: zoomed(plane.x, plane.x.at(at.x), factor), y: zoomed(plane.y, plane.y.at(at.y), factor) });
  };
  useWheel(stage, enabled ? zoom : undefined);
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
