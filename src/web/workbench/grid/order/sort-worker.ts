import { Bits } from "../../data/bits.ts";
import { sortedRows } from "../../data/sort.ts";
import { Table } from "../../data/table.ts";
import { unpackColumn, type SortQuestion } from "./packed.ts";

// One question in a worker's life.
addEventListener("message", ({ data }: MessageEvent<SortQuestion>) => {
  const { rowCount, columns, keys } = data;
  const all = Bits.all(rowCount);
  const table = new Table({
    id: "sorted",
    name: "sorted",
    rowCount,
    columns: columns.map(unpackColumn),
    filterRows: () => all,
  });
  const rows = sortedRows(table, keys, all);
  postMessage(rows, { transfer: [rows.buffer] });
});
