import { useCallback, useSyncExternalStore } from "react";
import type { Table, Topic } from "./table.ts";

/** Renders again when one of these has changed. The answer is a number that changes with them, for the dependencies of a memo. */
export function useTable(table: Table, ...topics: readonly Topic[]): string {
  const key = topics.join();
  const subscribe = useCallback(
    (listener: () => void) => table.subscribe(key.split(",") as Topic[], listener),
    [table, key],
  );
  const versions = (): string =>
    key
      .split(",")
      .map((topic) => table.version(topic as Topic))
      .join(".");
  return useSyncExternalStore(subscribe, versions, versions);
}
