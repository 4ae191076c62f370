import { useSyncExternalStore } from "react";

const query = globalThis.matchMedia("(min-width: 768px)");
/** Kept here: to ask the query while the page is painted would take its news away before they are told (Chromium). */
const desktop = { isWide: query.matches };
query.addEventListener("change", ({ matches }) => {
  desktop.isWide = matches;
});

const touch = globalThis.matchMedia("(hover: none) and (pointer: coarse)");

/** A screen keyboard has no Shift+Enter: there Enter makes a new line, and a button sends. */
export const enterSends = (): boolean => !touch.matches;

/** Whether there is room for tables and panels side by side. */
export function useIsDesktop(): boolean {
  return useSyncExternalStore(
    (changed) => {
      query.addEventListener("change", changed);
      return () => query.removeEventListener("change", changed);
    },
    () => desktop.isWide,
  );
}
