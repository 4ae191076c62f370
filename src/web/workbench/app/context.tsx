import { createContext, use, useSyncExternalStore, type ReactNode } from "react";
import type { ActionRecord, View } from "../model/workbench.ts";
import type { Bench } from "./bench.ts";
import type { OpeningState } from "./opening.ts";

const Context = createContext<Bench | undefined>(undefined);

export function BenchProvider({ bench, children }: { readonly bench: Bench; readonly children: ReactNode }): ReactNode {
  return <Context value={bench}>{children}</Context>;
}

export function useBench(): Bench {
  const bench = use(Context);
  if (bench === undefined) throw new Error("no workbench around this component");
  return bench;
}

function useWorkbench<Value>(read: (workbench: Bench["workbench"]) => Value): Value {
  const { workbench } = useBench();
  return useSyncExternalStore(
    (changed) => workbench.subscribe(changed),
    () => read(workbench),
  );
}

export const useViews = (): readonly View[] => useWorkbench(({ views }) => views);
/** The view that is shown. */
export const useCurrent = (): View | undefined => useWorkbench(({ current }) => current);
export const useActions = (): readonly ActionRecord[] => useWorkbench(({ actions }) => actions);
export const useNextUndo = (): ActionRecord | undefined => useWorkbench(({ next }) => next.undo);
export const useNextRedo = (): ActionRecord | undefined => useWorkbench(({ next }) => next.redo);

export function useOpening(): OpeningState {
  const { opening } = useBench();
  return useSyncExternalStore(opening.subscribe, opening.state);
}
