import { Bits } from "../../data/bits.ts";
import { sortedRows, type SortKey } from "../../data/sort.ts";
import type { Table } from "../../data/table.ts";
import { packColumn, type SortQuestion } from "./packed.ts";
import { GRID_LIMITS } from "../sizes.ts";

/** All rows of a table in an order. Few rows are sorted at once, many in a worker; that one is ended by the signal. */
export type Sorter = (table: Table, keys: readonly SortKey[], signal: AbortSignal) => Int32Array | Promise<Int32Array>;

export const sortRows: Sorter = (table, keys, signal) =>
  table.rowCount <= GRID_LIMITS.sortHere
    ? sortedRows(table, keys, Bits.all(table.rowCount))
    : sortInWorker(table, keys, signal);

async function sortInWorker(table: Table, keys: readonly SortKey[], signal: AbortSignal): Promise<Int32Array> {
  const columns = [];
  for (const { column: name } of keys) {
    const column = table.column(name);
    if (column !== undefined) columns.push(await packColumn(column, nextTask));
    signal.throwIfAborted();
  }
  const question: SortQuestion = { rowCount: table.rowCount, columns, keys };
  const worker = new Worker(new URL("./sort-worker.ts", import.meta.url), { type: "module" });
  try {
    return await new Promise<Int32Array>((resolve, reject) => {
      worker.addEventListener("message", ({ data }: MessageEvent<Int32Array>) => resolve(data));
      worker.addEventListener("error", (event) => reject(new Error(event.message || "the rows could not be sorted")));
      signal.addEventListener("abort", () => reject(new DOMException("sorted otherwise", "AbortError")), {
        once: true,
      });
      worker.postMessage(question, { transfer: [] });
    });
  } finally {
    worker.terminate();
  }
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
