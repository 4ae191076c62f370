import { getEventListeners } from "node:events";

/** What still waits at a signal: listeners, and signals that `AbortSignal.any` made of it, which Node never takes away. */
export function waitersAt(signal: AbortSignal): number {
  const key = Object.getOwnPropertySymbols(signal).find(({ description }) => description === "kDependantSignals");
  const made = key === undefined ? undefined : (signal as unknown as Record<symbol, Set<unknown> | undefined>)[key];
  return getEventListeners(signal, "abort").length + (made?.size ?? 0);
}
