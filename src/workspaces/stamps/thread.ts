import { statfsSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { DEVICE_AT, NANOSECONDS_AT, openLook, SECONDS_AT, STAMP_WORDS } from "./look-at.ts";
import type { StampAnswer, StampRequest } from "./messages.ts";

// Looks at many paths, in a thread of its own: the server's event loop does not wait for it.

/** A change this shortly before a look may have the time of one shortly after it. The coarsest of the file systems below counts seconds. */
const UNSURE_MS = 2_000;

/**
 * File systems of Linux that set the time of a folder's last change whenever a name in it comes, goes or is another file, and that of
 * a file whenever it is written: ext2 to ext4, XFS, Btrfs, tmpfs, F2FS. No program can set this time. Others may, or may not.
 */
const RELIABLE: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0xf2f52010]);

const HIGH_HALF = 2 ** 32;

interface StampedSet {
  /** Of all paths, one behind the other. */
  readonly stamps: Uint32Array;
  /** The same paths, in the same order, folder by folder. */
  readonly runs: readonly FolderRun[];
}

/** Paths that are one behind the other and in the same folder. */
interface FolderRun {
  /** Absent: there are too few to open it. Ends with a NUL. */
  readonly folder?: Buffer | undefined;
  /** Each ends with a NUL. */
  readonly paths: readonly Buffer[];
  /** The paths' names in the folder. */
  readonly names: readonly Buffer[];
}

/** To open and close a folder takes as long as finding it for this many names. */
const NAMES_A_FOLDER = 8;
const SLASH = 0x2f;

const look = await openLook();
const sets = new Map<number, StampedSet>();
/** The stamp of the path that was looked at last. */
const now = new Uint32Array(STAMP_WORDS);

/** Whether the last stamp proves by itself that nothing changed since. Notes on which device it is. */
function isSettled(path: Buffer, since: number, devices: Map<string, Buffer>): boolean {
  const [low = 0, high = 0] = now.subarray(SECONDS_AT);
  const changedMs = (high * HIGH_HALF + low) * 1_000 + (now[NANOSECONDS_AT] ?? 0) / 1_000_000;
  devices.set(`${now[DEVICE_AT]} ${now[DEVICE_AT + 1]}`, path);
  return changedMs < since - UNSURE_MS;
}

function isReliable(path: Buffer): boolean {
  try {
    return RELIABLE.has(statfsSync(withoutEnd(path)).type);
  } catch {
    return false;
  }
}

function take({ set, since, ...wanted }: StampRequest & { readonly kind: "take" }): StampAnswer {
  const [paths, witnesses] = [separate(wanted.paths), separate(wanted.witnesses)];
  const stamps = new Uint32Array(paths.length * STAMP_WORDS);
  const missing: string[] = [];
  const devices = new Map<string, Buffer>();
  const isProven =
    paths.every((path, index) => {
      if (!look.at(path, now)) return false;
      stamps.set(now, index * STAMP_WORDS);
      if (now.some((word) => word !== 0)) return isSettled(path, since, devices);
      missing.push(withoutEnd(path).toString());
      return true;
    }) &&
    witnesses.every((path) => look.at(path, now) && isSettled(path, since, devices)) &&
    [...devices.values()].every(isReliable);
  if (isProven) sets.set(set, { stamps, runs: runsOf(paths) });
  return { kind: "taken", isProven, missing };
}

function isSame({ stamps, runs }: StampedSet): boolean {
  let from = 0;
  const isStamp = (): boolean => {
    for (let at = 0; at < STAMP_WORDS; at += 1) if (stamps[from + at] !== now[at]) return false;
    from += STAMP_WORDS;
    return true;
  };
  return runs.every(({ folder, paths, names }) => {
    const opened = folder && look.folders?.open(folder);
    if (look.folders === undefined || opened === undefined)
      return paths.every((path) => look.at(path, now) && isStamp());
    const { at, close } = look.folders;
    const isUnchanged = names.every((name) => at(opened, name, now) && isStamp());
    close(opened);
    return isUnchanged;
  });
}

function runsOf(paths: readonly Buffer[]): readonly FolderRun[] {
  const runs: FolderRun[] = [];
  for (let from = 0; from < paths.length;) {
    const length = folderLength(paths[from]);
    let end = from + 1;
    while (isInSame(paths[from], paths[end], length)) end += 1;
    const inFolder = paths.slice(from, end);
    const [first] = inFolder;
    const folder = end - from < NAMES_A_FOLDER || first === undefined ? undefined : folderOf(first, length);
    runs.push({
      folder,
      paths: inFolder,
      names: folder === undefined ? [] : inFolder.map((path) => path.subarray(length)),
    });
    from = end;
  }
  return runs;
}

/** With the slash behind it. */
function folderLength(path: Buffer | undefined): number {
  return (path?.lastIndexOf(SLASH) ?? -1) + 1;
}

function isInSame(one: Buffer | undefined, other: Buffer | undefined, length: number): boolean {
  if (one === undefined || other === undefined || folderLength(other) !== length) return false;
  return one.compare(other, 0, length, 0, length) === 0;
}

function folderOf(path: Buffer, length: number): Buffer {
  return Buffer.concat([path.subarray(0, length), Buffer.of(0)]);
}

function separate(text: string): readonly Buffer[] {
  const bytes = Buffer.from(text);
  const paths: Buffer[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(0, from) + 1;
    paths.push(bytes.subarray(from, end));
    from = end;
  }
  return paths;
}

function withoutEnd(path: Buffer): Buffer {
  return path.subarray(0, -1);
}

const port = parentPort;
port?.on("message", (request: StampRequest) => {
  const known = sets.get(request.set);
  switch (request.kind) {
    case "take":
      return port.postMessage(take(request));
    case "compare":
      return port.postMessage({
        kind: "compared",
        isSame: known !== undefined && isSame(known),
      } satisfies StampAnswer);
    case "forget":
      return void sets.delete(request.set);
  }
});
