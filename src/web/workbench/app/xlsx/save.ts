import type { Bits } from "../../data/bits.ts";
import type { Table } from "../../data/table.ts";
import { toXlsx } from "../../data/write/xlsx.ts";
import { packColumn } from "../../grid/order/packed.ts";
import { WORKBENCH_LIMITS } from "../../limits.ts";
import type { XlsxAnswer, XlsxQuestion } from "./messages.ts";

interface SavedSheet {
  readonly file: Blob;
  /** What Excel cannot hold as it is, and what became of it. */
  readonly notes: readonly string[];
}

/** Whether a table of so many cells is made into a file beside the page, which takes seconds. */
export function isLongXlsx(rows: number, columns: number): boolean {
  return rows * columns > WORKBENCH_LIMITS.xlsxCellsHere;
}

/** An Excel file of some rows, or of all. Small ones are made at once, large ones in a worker, so that the page does not stand still. */
export async function saveXlsx(table: Table, rows: Bits | undefined): Promise<SavedSheet> {
  const { columns, rowCount, name } = table;
  if (!isLongXlsx(rows?.count ?? rowCount, columns.length)) return toXlsx(table, { rows });
  const sent = [];
  for (const column of columns) sent.push(await packColumn(column, nextTask));
  const answer = await inWorker({ name, rowCount, columns: sent, words: rows?.words });
  if (answer.kind === "failed") throw new Error(answer.words);
  return answer;
}

/** The worker lives for one file. */
async function inWorker(question: XlsxQuestion): Promise<XlsxAnswer> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  try {
    return await new Promise<XlsxAnswer>((resolve, reject) => {
      worker.addEventListener("message", ({ data }: MessageEvent<XlsxAnswer>) => resolve(data));
      worker.addEventListener("error", (event) => {
        event.preventDefault();
        reject(
          new Error("The Excel file could not be made: it may need more memory than the page has. Save it as Parquet."),
        );
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
