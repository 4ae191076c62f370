import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect } from "react";

interface LineWindowOptions {
  readonly count: number;
  /** Of one line, px. */
  readonly size: number;
  /** Lines beyond the edges that are made too. */
  readonly overscan: number;
  readonly horizontal?: boolean;
}

/** Which of many lines of the same size are in sight. */
export function useLines(
  scroller: { readonly current: HTMLDivElement | null },
  { size, ...options }: LineWindowOptions,
): Virtualizer<HTMLDivElement, Element> {
  const lines = useVirtualizer({ ...options, getScrollElement: () => scroller.current, estimateSize: () => size });
  // Sizes are kept by the virtualizer: it must hear of a new one.
  useLayoutEffect(() => lines.measure(), [lines, size]);
  return lines;
}
