import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { SqliteDatabase } from "./binding.ts";
import { StoreRefusal } from "./refusal.ts";

/** What the database held when this was written. Kept in a file beside it, so that a lost database is noticed. */
export interface StoreRecord {
  /** Made with the database, and never changed. */
  readonly instance: string;
  /** Number of transactions in the database. */
  readonly commits: number;
}

function recordPath(path: string): string {
  return `${path}.record`;
}

/** Undefined: there is none, or it cannot be read. */
function readRecord(path: string): StoreRecord | undefined {
  try {
    const { instance, commits } = JSON.parse(readFileSync(recordPath(path), "utf8")) as Partial<StoreRecord>;
    return typeof instance === "string" && typeof commits === "number" ? { instance, commits } : undefined;
  } catch {
    return undefined;
  }
}

/** Atomic, and on the disk when it returns. */
export function writeRecord(path: string, record: StoreRecord): void {
  const next = `${recordPath(path)}.next`;
  const file = openSync(next, "w", 0o600);
  try {
    writeSync(file, `${JSON.stringify(record)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(next, recordPath(path));
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Undefined: not one of our databases, or an older one without a count. */
function stateOf(database: SqliteDatabase): StoreRecord | undefined {
  try {
    const row = database.prepare("SELECT instance, commits FROM store_state").get();
    return row === undefined ? undefined : (row as StoreRecord);
  } catch {
    return undefined;
  }
}

/** Refuses a database that lost data, before anything of it is touched. Undefined: there is none. */
export function refuseLost(path: string, database: SqliteDatabase | undefined): void {
  const lost = lossOf(path, database);
  if (lost !== undefined) throw lossRefusal(lost, "sallyport serve --accept-data-loss");
}

/** `goOn`: the command that continues without what is lost. */
export function lossRefusal(lost: string, goOn: string): StoreRefusal {
  return new StoreRefusal(
    "store_failed",
    `${lost} Restore a backup with \`sallyport restore <file>\`, or put the missing files back. ` +
      `To continue without what is lost: \`${goOn}\`.`,
  );
}

/** What a database has lost since its record was written. Undefined: nothing, or there is no record. */
export function lossOf(path: string, database: SqliteDatabase | undefined): string | undefined {
  // The record first: a server that writes meanwhile only adds to the database.
  const record = readRecord(path);
  return record === undefined || record.commits === 0 ? undefined : difference(record, database && stateOf(database));
}

function difference(record: StoreRecord, state: StoreRecord | undefined): string | undefined {
  if (state === undefined)
    return `The database of this home is missing or empty, but there was one (${record.commits} transactions).`;
  if (state.instance !== record.instance) return "The database of this home was replaced by another one.";
  if (state.commits >= record.commits) return undefined;
  return (
    `The database of this home is older than it should be: it holds ${state.commits} transactions, ` +
    `and there were ${record.commits}. The file ending in -wal was removed or cut, or an old copy was put here.`
  );
}
