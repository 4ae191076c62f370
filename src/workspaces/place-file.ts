import { chmod, lchown, link, lstat, mkdir, open, rename, rm, rmdir, symlink, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Failure } from "../protocol/index.ts";
import { isBeneath, isSameFile, stateOf, type FileState } from "./manifest.ts";

/** What a path of a folder is to become. */
export interface Placement {
  /** Absolute, real. */
  readonly folder: string;
  readonly path: string;
  /** What it must be now, or nothing happens. Absent: nothing may be there. */
  readonly from: FileState | undefined;
  /** Absent: it is deleted. */
  readonly to: { readonly state: FileState; readonly content: Buffer } | undefined;
  /** Part of the name of the file that is written first, in the same folder. */
  readonly mark: string;
}

/** The name under which a file is written before it takes its place. */
export function temporaryName(path: string, mark: string): string {
  return join(dirname(path), `.${basename(path).slice(0, 200)}.${mark}`);
}

/**
 * Writes, replaces or deletes one file, whole or not at all. Never through a link. A Failure `conflict` if it is not what it must be;
 * then nothing happened.
 */
export async function placeFile(placement: Placement): Promise<void> {
  const { folder, path, from, to, mark } = placement;
  const target = join(folder, path);
  if (to === undefined) {
    await check(placement);
    if (from !== undefined) await unlink(target);
    return;
  }
  await makeFolders(folder, path);
  const temporary = join(folder, temporaryName(path, mark));
  await rm(temporary, { force: true });
  try {
    await write(temporary, to, await modeAt(target, to.state));
    await giveTo(temporary, (await lstat(target).catch(() => undefined)) ?? (await lstat(dirname(target))));
    await check(placement);
    if (from === undefined) await takePlace(temporary, target);
    else await rename(temporary, target);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Removes the folders above a deleted file that are empty now. */
export async function removeEmptyFolders(folder: string, path: string): Promise<void> {
  for (let at = dirname(path); at !== "." && at !== "/"; at = dirname(at)) {
    try {
      await rmdir(join(folder, at));
    } catch {
      return;
    }
  }
}

async function check({ folder, path, from }: Placement): Promise<void> {
  if (!(await isBeneath(folder, path)))
    throw new Failure("conflict", `a folder above ${path} is a link now; nothing was written there`);
  const now = await stateOf(folder, path);
  const isFree = now !== undefined || (await lstat(join(folder, path)).catch(() => undefined)) === undefined;
  if (!isFree || !isSameFile(now, from))
    throw new Failure("conflict", `${path} changed meanwhile; look at the changes again`);
}

/** A hard link cannot replace what somebody put there meanwhile; a rename would. Some disks have none. */
async function takePlace(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST")
      throw new Failure("conflict", `${target} is there now; look at the changes again`);
    await rename(temporary, target);
  }
}

/** Each must be a folder already, or is made. */
async function makeFolders(folder: string, path: string): Promise<void> {
  let at = folder;
  for (const name of dirname(path).split("/")) {
    if (name === ".") return;
    at = join(at, name);
    const found = await lstat(at).catch(() => undefined);
    if (found === undefined) {
      await mkdir(at);
      await giveTo(at, await lstat(dirname(at)));
    } else if (!found.isDirectory()) throw new Failure("conflict", `${at} is no folder, so ${path} cannot be written`);
  }
}

/** A server that runs as root leaves files to those who own what was there, or the folder. */
async function giveTo(path: string, { uid, gid }: { readonly uid: number; readonly gid: number }): Promise<void> {
  if (process.getuid?.() === 0) await lchown(path, uid, gid);
}

/** The permissions of the file that is replaced, with the executable bits of the new one. */
async function modeAt(target: string, { executable }: FileState): Promise<number> {
  const found = await lstat(target).catch(() => undefined);
  const mode = found?.isFile() === true ? found.mode & 0o777 : 0o644;
  return executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
}

async function write(
  path: string,
  { state, content }: { readonly state: FileState; readonly content: Buffer },
  mode: number,
): Promise<void> {
  if (state.kind === "link") return symlink(content, path);
  const file = await open(path, "wx", mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  // The process's mask may have taken something away.
  await chmod(path, mode);
}
