import { useSyncExternalStore } from "react";

const DESK = globalThis.matchMedia("(min-width: 768px)");

/** Whether there is room for tables and panels side by side. */
export function useDesk(): boolean {
  return useSyncExternalStore(
    (changed) => {
      DESK.addEventListener("change", changed);
      return () => DESK.removeEventListener("change", changed);
    },
    () => DESK.matches,
  );
}
