import { useEffect, useSyncExternalStore, type ComponentType, type ReactNode } from "react";
import { loadPart } from "./load.ts";

/** By then the page itself is there, also on a slow line. */
const READY_AFTER_MS = 4_000;

export interface LaterPart<Props extends object> {
  /** Shows `fallback` until the part is loaded. Where it is loaded already, it is shown at once. */
  readonly Part: (props: { readonly props: Props; readonly fallback?: ReactNode }) => ReactNode;
  /** Loads it some time after the component is shown that may need it. */
  readonly useSoon: () => void;
}

/**
 * A component that the page does without at first, such as a menu. It is loaded when it is first shown, or when the page has been there for a
 * while. Not for what takes the next key, such as the palette: keys that are pressed before it is there would go elsewhere.
 */
export function laterPart<Props extends object>(load: () => Promise<ComponentType<Props>>): LaterPart<Props> {
  const state: { loaded?: ComponentType<Props>; failure?: unknown; isBegun: boolean } = { isBegun: false };
  const listeners = new Set<() => void>();
  const begin = (): void => {
    if (state.isBegun) return;
    state.isBegun = true;
    loadPart(load)
      .then(
        (loaded) => {
          state.loaded = loaded;
        },
        (failure: unknown) => {
          state.failure = failure;
        },
      )
      .finally(() => {
        for (const changed of listeners) changed();
      });
  };
  const subscribe = (changed: () => void): (() => void) => {
    listeners.add(changed);
    begin();
    return () => listeners.delete(changed);
  };
  return {
    Part: ({ props, fallback }) => {
      const Loaded = useSyncExternalStore(subscribe, () => state.loaded);
      const failure = useSyncExternalStore(subscribe, () => state.failure);
      if (failure !== undefined) throw failure;
      return Loaded === undefined ? fallback : <Loaded {...props} />;
    },
    useSoon: () => {
      useEffect(() => {
        const timer = setTimeout(begin, READY_AFTER_MS);
        return () => clearTimeout(timer);
      }, []);
    },
  };
}
