import { useDeferredValue } from "react";

/**
 * Whether something large that waits for data may be shown. True a moment after the data is there, so that its first rendering is done in
 * pieces: the page reacts to keys and taps meanwhile.
 */
export function useReady(isThere: boolean): boolean {
  return useDeferredValue(isThere) && isThere;
}
