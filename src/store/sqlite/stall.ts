import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { primaryCode, SQLITE } from "./binding.ts";
import { ReplacedStore } from "./presence.ts";
import type { Stall } from "../store.ts";

/** Temporary errors: the disk or another program is in the way, and the same transaction may work later. */
const PASSING: ReadonlyMap<number | undefined, Stall["cause"]> = new Map([
  [SQLITE.permission, "read_only"],
  [SQLITE.busy, "locked"],
  [SQLITE.locked, "locked"],
  [SQLITE.protocol, "locked"],
  [SQLITE.noMemory, "io"],
  [SQLITE.readOnly, "read_only"],
  [SQLITE.io, "io"],
  [SQLITE.full, "full"],
  [SQLITE.cannotOpen, "io"],
]);

/** SQLite reports most disk problems as an I/O error; the file system is more exact. */
const BY_ERRNO: ReadonlyMap<string, Stall["cause"]> = new Map([
  ["ENOSPC", "full"],
  ["EDQUOT", "full"],
  ["EROFS", "read_only"],
  ["EACCES", "read_only"],
  ["EPERM", "read_only"],
]);

/** Why a transaction failed, if it may work later; undefined: it never will. */
export function stallOf(error: unknown, path: string): Omit<Stall, "since"> | undefined {
  if (error instanceof ReplacedStore) return { cause: "replaced", why: error.message };
  const cause = PASSING.get(primaryCode(error));
  if (cause === undefined) return undefined;
  const why = wordsOf(error);
  if (cause !== "io") return { cause, why };
  const trouble = troubleOf(dirname(path));
  if (trouble === undefined) return { cause, why };
  return { cause: BY_ERRNO.get(trouble.code ?? "") ?? cause, why: `${why}; ${trouble.message}` };
}

/** The file system's error when a small file is written. */
function troubleOf(folder: string): NodeJS.ErrnoException | undefined {
  const path = join(folder, `.sallyport-probe-${process.pid}`);
  try {
    const file = openSync(path, "w", 0o600);
    try {
      writeSync(file, "probe");
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    return undefined;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  } finally {
    quietly(() => rmSync(path, { force: true }));
  }
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** For attempts during shutdown: nobody could act on their failure. */
export function quietly(attempt: () => unknown): void {
  try {
    attempt();
  } catch {
    // What is on the disk is safe either way: the next start continues from it.
  }
}
