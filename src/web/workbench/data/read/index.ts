import { newTable } from "../make.ts";
import type { Table } from "../table.ts";
import { checkBytes, READ_BOUNDS, ReadError } from "./error.ts";
import { fetchFile } from "./fetch-file.ts";
import type { ToPage, ToWorker } from "./messages.ts";
import type { FormatOptions } from "./options.ts";
import { unpackTable } from "./packed.ts";
import type { PackedTable } from "./packed.ts";

export interface ReadTableOptions extends FormatOptions {
  readonly signal?: AbortSignal | undefined;
  /** From 0 to 1, in growing steps. */
  readonly progress?: ((share: number) => void) | undefined;
  /** What a person should know of how the file was read. */
  readonly notes?: ((notes: readonly string[]) => void) | undefined;
}

export type ReadSource = File | { readonly name: string; readonly bytes: ArrayBuffer };

/** Files are read one after the other: each may need most of the memory that there is. */
const turns = { last: Promise.resolve() };

/** Reads CSV, TSV, JSON, NDJSON, Parquet, Arrow and Excel, also packed with gzip, in a worker. Throws a ReadError, or what the signal was aborted with. */
export async function readTable(source: ReadSource, options: ReadTableOptions = {}): Promise<Table> {
  const blob = source instanceof File ? source : new Blob([source.bytes]);
  return readBlob(blob, source.name, options);
}

/** Reads data of this page's own origin. */
export async function readUrl(url: string, options: ReadTableOptions = {}): Promise<Table> {
  const { signal, progress } = options;
  const file = await fetchFile(url, {
    base: location.href,
    fetch: (address, init) => fetch(address, init),
    signal,
    progress: (share) => progress?.(share * FETCH_SHARE),
  });
  const rest = (share: number): void => progress?.(FETCH_SHARE + share * (1 - FETCH_SHARE));
  return readBlob(file.blob, file.name, { ...options, progress: rest });
}

const FETCH_SHARE = 0.3;
const WORKER_SHARE = 0.95;

async function readBlob(blob: Blob, name: string, options: ReadTableOptions): Promise<Table> {
  checkBytes(blob.size, READ_BOUNDS.fileBytes, "The file");
  const { signal, delimiter, header, skipLines, comment, decimal, nullWords, types, part } = options;
  // Only what can be sent to a worker.
  const format = { name, delimiter, header, skipLines, comment, decimal, nullWords, types, part };
  const progress = growing(options.progress);
  signal?.throwIfAborted();
  const packed = await inTurn(signal, () =>
    inWorker({ blob, options: format }, signal, (share) => progress(share * WORKER_SHARE)),
  );
  const columns = await unpackTable(packed, () => performance.now(), pause);
  signal?.throwIfAborted();
  progress(1);
  if (packed.notes !== undefined) options.notes?.(packed.notes);
  return newTable(tableName(name), columns);
}

/** A file that turns out to be of another encoding is begun anew; what was told stays. */
function growing(progress: ReadTableOptions["progress"]): (share: number) => void {
  let told = 0;
  return (share) => {
    told = Math.max(told, share);
    progress?.(told);
  };
}

const KINDS =
  /(?:\.(?:csv|tsv|tab|txt|json|geojson|ndjson|jsonl|parquet|pq|arrow|arrows|ipc|feather|xlsx|xlsm))?(?:\.gz)?$/i;

/** The file's name without folders and the kind. */
function tableName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? name;
  return last.replace(KINDS, "") || "table";
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Does it when those before are done; not at all where the signal is aborted before. */
function inTurn<Result>(signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result> {
  const mine = turns.last.then(() => {
    signal?.throwIfAborted();
    return work();
  });
  turns.last = mine.then(
    () => {},
    () => {},
  );
  return untilAborted(mine, signal);
}

/** Waits no longer than until the signal is aborted. */
function untilAborted<Result>(result: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return result;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort);
    result.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** The worker lives for one file. */
function inWorker(
  message: ToWorker,
  signal: AbortSignal | undefined,
  progress: (share: number) => void,
): Promise<PackedTable> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  const table = new Promise<PackedTable>((resolve, reject) => {
    worker.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
      switch (data.type) {
        case "progress":
          return progress(data.share);
        case "done":
          return resolve(data.table);
        case "failed":
          return reject(new ReadError(data.code, data.words, data.choices));
      }
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      reject(new ReadError("bad_format", "The file could not be read: it may need more memory than the page has."));
    });
    worker.postMessage(message, []);
  });
  return untilAborted(table, signal).finally(() => worker.terminate());
}
