import { chmodSync, closeSync, openSync, realpathSync, statSync } from "node:fs";

/**
 * Ensures a file that only its owner can read, and returns its path with symlinks resolved: one file, one lock. Never
 * opens an existing one: closing it would release the locks of a store that has it open (see lock.ts).
 */
export function makePrivate(path: string): string {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    // Nothing is written if nothing must change: the disk may be read-only.
    if ((statSync(path).mode & 0o777) !== 0o600) chmodSync(path, 0o600);
  }
  return realpathSync(path);
}
