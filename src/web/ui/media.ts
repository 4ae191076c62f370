import { useSyncExternalStore } from "react";

/** Tells whether the window is at least so wide. The styles have the same widths as `md`, `lg` and `xl`. */
function atLeast(px: number): () => boolean {
  const query = globalThis.matchMedia(`(min-width: ${String(px)}px)`);
  /** Kept here: to ask the query while the page is painted would take its news away before they are told (Chromium). */
  const window = { isWide: query.matches };
  query.addEventListener("change", ({ matches }) => {
    window.isWide = matches;
  });
  const subscribe = (changed: () => void): (() => void) => {
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  };
  return () => useSyncExternalStore(subscribe, () => window.isWide);
}

const touch = globalThis.matchMedia("(hover: none) and (pointer: coarse)");

/** A screen keyboard has no Shift+Enter: there Enter makes a new line, and a button sends. */
export const enterSends = (): boolean => !touch.matches;

/** Whether there is room for tables and panels side by side. */
export const useIsDesktop = atLeast(768);
/** Whether there is room for a column after the conversation. */
export const useHasSide = atLeast(1_024);
/** Whether there is room for a column before it too. */
export const useHasBothSides = atLeast(1_280);
