import { lstatSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";

/** What paths were at a moment, by path; empty: nothing was there. */
export type PathStamps = ReadonlyMap<string, string>;

interface StampRequest {
  /** A folder before what is in it. */
  readonly paths: Iterable<string>;
  /** Milliseconds since the epoch, by this machine's clock: before anybody looked at what the stamps stand for. */
  readonly since: number;
}

/** A change this shortly before a look may have the time of one shortly after it. The coarsest of the file systems below counts seconds. */
const UNSURE_MS = 2_000;

/** So many paths are looked at before others have their turn. */
const AT_ONCE = 500;

/**
 * File systems of Linux that set the time of a folder's last change whenever a name in it comes, goes or is another file, and that of
 * a file whenever it is written: ext2 to ext4, XFS, Btrfs, tmpfs, F2FS. No program can set this time. Others may, or may not.
 */
const RELIABLE: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0xf2f52010]);

/**
 * Stamps by which it can be proven later that none of the paths changed since that moment. Undefined: it could not be, because one of
 * them changed just now, is on a file system that is not known for it, or is missing and its folder, which would say since when, is
 * not among them.
 */
export async function takeStamps({ paths, since }: StampRequest): Promise<PathStamps | undefined> {
  const stamps = new Map<string, string>();
  const devices = new Map<bigint, string>();
  for (const path of paths) {
    const found = lookAt(path);
    if (found !== undefined && found.changedMs >= since - UNSURE_MS) return undefined;
    if (found !== undefined) devices.set(found.device, path);
    else if (!stamps.has(dirname(path))) return undefined;
    stamps.set(path, found?.stamp ?? "");
    if (stamps.size % AT_ONCE === 0) await nextTurn();
  }
  for (const path of devices.values()) {
    const system = await statfs(path).catch(() => undefined);
    if (system === undefined || !RELIABLE.has(system.type)) return undefined;
  }
  return process.platform === "linux" ? stamps : undefined;
}

/** Whether every path is as it was. */
export async function isUnchanged(stamps: PathStamps): Promise<boolean> {
  let looked = 0;
  for (const [path, stamp] of stamps) {
    if ((lookAt(path)?.stamp ?? "") !== stamp) return false;
    looked += 1;
    if (looked % AT_ONCE === 0) await nextTurn();
  }
  return true;
}

/** Without waiting: a thousand of these take 4 ms, and 15 if each is waited for. */
function lookAt(
  path: string,
): { readonly stamp: string; readonly device: bigint; readonly changedMs: number } | undefined {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const { dev, ino, mode, size, ctimeNs } = found;
  return { stamp: [dev, ino, mode, size, ctimeNs].join(" "), device: dev, changedMs: Number(ctimeNs / 1_000_000n) };
}
