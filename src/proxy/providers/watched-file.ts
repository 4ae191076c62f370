import { closeSync, fstatSync, openSync, readSync, statSync, constants, type BigIntStats } from "node:fs";
import { Failure, LIMITS, type Log } from "../../protocol/index.ts";

export interface WatchedFileOptions<Value> {
  readonly path: string;
  /** Throws a Failure when the text is invalid; undefined: there is no such file. */
  readonly parse: (text: string | undefined) => Value;
  readonly now: () => number;
  readonly log: Pick<Log, "warn">;
}

/** Identifies the state of a file; undefined: it does not exist or cannot be read. */
export function stampOf(path: string): string | undefined {
  try {
    return stampFrom(statSync(path, { bigint: true }));
  } catch {
    return undefined;
  }
}

function stampFrom({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(":");
}

/**
 * The newest valid content of a file; the same object as long as the file is unchanged. Checked on use, at most every
 * `settingsCheckMs`: nothing runs in between. If it becomes invalid, that is logged once and the last valid one stays.
 * Throws when the first reading is invalid.
 */
export function watchFile<Value>({ path, parse, now, log }: WatchedFileOptions<Value>): () => Value {
  let stamp = stampOf(path);
  let value = parse(stamp === undefined ? undefined : readSmall(path));
  let checked = now();
  let gone = false;
  return () => {
    const at = now();
    if (at - checked < LIMITS.settingsCheckMs && at >= checked) return value;
    checked = at;
    const newest = stampOf(path);
    if (newest === stamp) {
      gone = false;
      return value;
    }
    // Some editors delete a file before they write the new one.
    if (newest === undefined && !gone) {
      gone = true;
      return value;
    }
    gone = false;
    stamp = newest;
    try {
      value = parse(newest === undefined ? undefined : readSmall(path));
    } catch (error) {
      log.warn({ path, problem: messageOf(error) }, "the new settings are not valid; those from before still apply");
    }
    return value;
  };
}

function readSmall(path: string): string {
  const { text } = readBounded(path, LIMITS.settingsBytes);
  return text;
}

/** The whole content of a regular file of at most `limit` bytes. Never blocks: a pipe or a device is refused. */
export function readBounded(
  path: string,
  limit: number,
): {
  readonly text: string;
  readonly mode: number;
  readonly uid: number;
} {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const known = fstatSync(file);
    if (!known.isFile()) throw new Failure("invalid_request", `${path} is not a regular file`);
    if (known.size > limit) throw new Failure("invalid_request", `${path} is longer than ${limit} bytes`);
    // It may grow or shrink while it is read: the current content counts.
    const bytes = Buffer.alloc(limit + 1);
    let length = 0;
    for (;;) {
      const count = readSync(file, bytes, length, bytes.length - length, length);
      length += count;
      if (count === 0 || length === bytes.length) break;
    }
    if (length > limit) throw new Failure("invalid_request", `${path} is longer than ${limit} bytes`);
    return { text: bytes.toString("utf8", 0, length), mode: known.mode, uid: known.uid };
  } finally {
    closeSync(file);
  }
}

function messageOf(error: unknown): string {
  if (error instanceof Failure) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === "string" ? `it cannot be read (${code})` : "it cannot be read";
}
