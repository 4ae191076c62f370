import { Bits } from "../../data/bits.ts";
import { Table } from "../../data/table.ts";
import { toXlsx } from "../../data/write/xlsx.ts";
import { unpackColumn } from "../../grid/order/packed.ts";
import type { XlsxAnswer, XlsxQuestion } from "./messages.ts";

/** Nobody waits for this thread in between. */
const noPause = (): Promise<void> => Promise.resolve();

async function save({ name, rowCount, columns, words }: XlsxQuestion): Promise<XlsxAnswer> {
  const all = Bits.all(rowCount);
  const table = new Table({
    id: "saved",
    name,
    rowCount,
    columns: columns.map(unpackColumn),
    filterRows: () => all,
  });
  try {
    const rows = words === undefined ? all : new Bits(rowCount, new Uint32Array(words));
    return { kind: "saved", ...(await toXlsx(table, { rows, pause: noPause })) };
  } catch (error) {
    return { kind: "failed", words: error instanceof Error ? error.message : String(error) };
  }
}

// One file in a worker's life.
addEventListener("message", ({ data }: MessageEvent<XlsxQuestion>) => {
  void save(data).then((answer) => postMessage(answer));
});
