import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { type SqliteDatabase, loadSqlite, type OpenDatabase } from "./binding.ts";
import { takeLock } from "./lock.ts";
import { makePrivate } from "./private-file.ts";
import { lossOf, lossRefusal } from "./record.ts";
import { StoreRefusal } from "./refusal.ts";
import { copyInto, refuseNewer } from "./schema.ts";
import { indexPathOf, removeIndexFile } from "./search/file.ts";
import { quietly, wordsOf } from "./stall.ts";

/** A file of the home that is backed up with the database. */
interface BackedUpFile {
  readonly name: string;
  readonly body: string;
}

interface BackupContents {
  readonly sessions: number;
  readonly made_at: string;
  readonly files: readonly BackedUpFile[];
}

interface BackupOptions {
  /** The database; a server may have it open. */
  readonly path: string;
  /** Must not exist yet. */
  readonly target: string;
  readonly files: readonly BackedUpFile[];
  readonly now: number;
  /** Copies a database even if it lost data. Absent: it is refused. */
  readonly acceptLoss?: boolean | undefined;
}

export interface BackupReport extends BackupContents {
  /** What the database lost before the copy; absent: nothing. */
  readonly lost?: string;
}

/**
 * Copies a database into one file: its state at one moment, checked, readable only by its owner. The copy is a database
 * too; a table of it holds the home's files.
 */
export async function backUp({ path, target, files, now, acceptLoss }: BackupOptions): Promise<BackupReport> {
  const open = await loadSqlite();
  if (!existsSync(path)) throw new StoreRefusal("not_found", `There is no database ${path}.`);
  if (existsSync(target)) throw new StoreRefusal("conflict", `${target} already exists: choose another name.`);
  const folder = dirname(target);
  if (!existsSync(folder)) throw new StoreRefusal("not_found", `There is no folder ${folder}: make it first.`);
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  try {
    const source = open(path, { readOnly: true });
    let lost: string | undefined;
    try {
      source.exec("PRAGMA busy_timeout = 10000");
      lost = lossOf(path, source);
      if (lost !== undefined && acceptLoss !== true)
        throw lossRefusal(lost, "sallyport backup --accept-data-loss <file>");
      copyInto(source, makePrivate(partial));
    } finally {
      source.close();
    }
    const made_at = new Date(now).toISOString();
    const report = { sessions: complete(open(partial), files, made_at), made_at, files };
    sync(partial);
    renameSync(partial, target);
    return lost === undefined ? report : { ...report, lost };
  } catch (error) {
    quietly(() => rmSync(partial, { force: true }));
    if (error instanceof StoreRefusal) throw error;
    throw new StoreRefusal("store_failed", `${path} cannot be backed up: ${wordsOf(error)}.`);
  }
}

/** Adds the files and checks the result. Returns its number of sessions. */
function complete(database: SqliteDatabase, files: readonly BackedUpFile[], made_at: string): number {
  try {
    database.exec(`
      CREATE TABLE backup_info (made_at TEXT NOT NULL) STRICT;
      CREATE TABLE backup_files (name TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL) STRICT;
    `);
    database.prepare("INSERT INTO backup_info (made_at) VALUES (?)").run(made_at);
    const insert = database.prepare("INSERT INTO backup_files (name, body) VALUES (?, ?)");
    for (const { name, body } of files) insert.run(name, body);
    return checkedSessions(database, "the copy");
  } finally {
    database.close();
  }
}

interface RestoreOptions {
  /** Where the database of the home is, or will be. */
  readonly path: string;
  readonly source: string;
  readonly now: number;
}

export interface RestoreReport extends BackupContents {
  /** Where the previous database was moved; absent: there was none. */
  readonly aside?: string;
}

/** Replaces a home's database with a backup. The previous one is kept beside it. No server may use the home. */
export async function restore({ path, source, now }: RestoreOptions): Promise<RestoreReport> {
  const open = await loadSqlite();
  if (!existsSync(source)) throw new StoreRefusal("not_found", `There is no file ${source}.`);
  const lock = takeLock(open, path);
  const next = `${path}.restoring`;
  try {
    rmSync(next, { force: true });
    makePrivate(next);
    copyFileSync(source, next);
    const report = unpack(open, next, source);
    sync(next);
    const aside = putAside(path, now);
    renameSync(next, path);
    // It followed another journal; it is made anew from this one.
    removeIndexFile(indexPathOf(path));
    return aside === undefined ? report : { ...report, aside };
  } finally {
    quietly(() => rmSync(next, { force: true }));
    lock.release();
  }
}

/** Checks a copy of a backup and removes what does not belong in a home's database. */
function unpack(open: OpenDatabase, copy: string, source: string): BackupContents {
  const database = open(copy);
  try {
    refuseNewer(database);
    const sessions = checkedSessions(database, source);
    const [info] = database.prepare("SELECT made_at FROM backup_info").all() as { readonly made_at: string }[];
    const rows = database.prepare("SELECT name, body FROM backup_files").all() as BackedUpFile[];
    // As small as possible, and from now on it frees space in small steps.
    database.exec("DROP TABLE backup_info; DROP TABLE backup_files; PRAGMA auto_vacuum = INCREMENTAL; VACUUM");
    return { sessions, made_at: info?.made_at ?? "", files: rows.map(({ name, body }) => ({ name, body })) };
  } catch (error) {
    if (error instanceof StoreRefusal) throw error;
    throw new StoreRefusal("invalid_request", `${source} is not a backup that can be restored: ${wordsOf(error)}.`);
  } finally {
    database.close();
  }
}

function checkedSessions(database: SqliteDatabase, what: string): number {
  const rows = database.prepare("PRAGMA integrity_check(1)").all() as { readonly integrity_check: string }[];
  if (rows[0]?.integrity_check !== "ok")
    throw new StoreRefusal(
      "store_failed",
      `${what} is damaged: ${rows[0]?.integrity_check ?? "it cannot be checked"}.`,
    );
  return (database.prepare("SELECT count(*) AS n FROM sessions").get() as { readonly n: number }).n;
}

/** Moves a database with its log and record aside. */
function putAside(path: string, now: number): string | undefined {
  const aside = `${path}.before-restore-${new Date(now).toISOString().replaceAll(/[:.]/g, "-")}`;
  const had = existsSync(path);
  for (const end of ["", "-wal", "-shm", ".record"]) if (existsSync(path + end)) renameSync(path + end, aside + end);
  return had ? aside : undefined;
}

function sync(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
