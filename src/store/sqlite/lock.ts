import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type SqliteDatabase, type OpenDatabase, primaryCode, SQLITE } from "./binding.ts";
import { makePrivate } from "./private-file.ts";
import { StoreRefusal } from "./refusal.ts";
import { quietly } from "./stall.ts";

export interface Lock {
  release(): void;
}

/**
 * One process owns a home. The lock is an exclusive transaction on its own database file, which the kernel releases
 * however the process dies. The pid file beside it only serves the refusal's message.
 *
 * No other code of this process may open `<path>` or `<path>.lock` through the file system: closing such a handle would
 * silently release SQLite's locks on the file.
 */
export function takeLock(open: OpenDatabase, path: string): Lock {
  const database = openLock(open, path);
  try {
    // It is never written to, so it needs no journal file.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    throw lockRefusal(path, error) ?? error;
  }
  // Only for messages: a full disk is no reason to stop here.
  quietly(() => writeFileSync(`${path}.pid`, `${process.pid}\n`, { mode: 0o600 }));
  return {
    release: () => {
      // Before the lock is released: afterwards the file may be the next owner's.
      if (ownerOf(path) === String(process.pid)) quietly(() => rmSync(`${path}.pid`, { force: true }));
      database.close();
    },
  };
}

function openLock(open: OpenDatabase, path: string): SqliteDatabase {
  try {
    return open(makePrivate(`${path}.lock`));
  } catch (error) {
    throw lockRefusal(path, error) ?? error;
  }
}

/** Checks without taking it. Throws what `takeLock` would. */
export function tryLock(open: OpenDatabase, path: string): void {
  if (statSync(`${path}.lock`, { throwIfNoEntry: false }) === undefined) return;
  let database: SqliteDatabase | undefined;
  try {
    database = open(`${path}.lock`, { readOnly: true });
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
  } catch (error) {
    throw lockRefusal(path, error) ?? error;
  } finally {
    database?.close();
  }
}

/** Undefined: the disk is the problem, not the lock. */
function lockRefusal(path: string, error: unknown): StoreRefusal | undefined {
  if (primaryCode(error) === SQLITE.busy)
    return new StoreRefusal(
      "conflict",
      `Another Sallyport process (pid ${ownerOf(path)}) has this home open: stop it, or give this one another home.`,
    );
  const isFolder = statSync(`${path}.lock`, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder && primaryCode(error) !== SQLITE.notADatabase && primaryCode(error) !== SQLITE.corrupt)
    return undefined;
  return new StoreRefusal(
    "store_failed",
    `${path}.lock is damaged or no file of ours. It holds nothing: when no server runs on this home, remove it and start again.`,
  );
}

/** The owner writes its pid just after taking the lock, so the file may be missing for a moment. */
function ownerOf(path: string): string {
  try {
    return readFileSync(`${path}.pid`, "utf8").trim();
  } catch {
    return "not known yet";
  }
}
