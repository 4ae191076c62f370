import { constants } from "node:fs";
import { lchown, mkdir, open, readlink, stat, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../refusal.ts";
import { missingFolders } from "./paths.ts";

/** A folder held open: names are looked up in it, even if its path changes meanwhile. */
export interface HeldFolder {
  /** A path for a name in the folder. */
  path(name: string): string;
  /** Flushes an added or replaced name to the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Opens the folder of `path`, and creates missing ones. Undefined when the path has changed: a folder above was replaced
 * since it was resolved.
 */
export async function holdFolderOf(path: string): Promise<HeldFolder | undefined> {
  const missing = await missingFolders(path);
  const start = missing[0] === undefined ? dirname(path) : dirname(missing[0]);
  let handle = await open(start, FLAGS);
  let folder = start;
  try {
    if (!(await leadsTo(handle, start))) {
      await handle.close();
      return undefined;
    }
    for (const next of missing) {
      const inside = anchored(handle, folder, basename(next));
      await mkdir(inside).catch(unlessThere);
      await giveToOwnerOf(dirname(inside), (uid, gid) => lchown(inside, uid, gid));
      const below = await open(inside, FLAGS);
      await handle.close();
      handle = below;
      folder = next;
    }
  } catch (error) {
    await handle.close().catch(() => undefined);
    throw error;
  }
  const held = handle;
  return {
    path: (name) => anchored(held, folder, name),
    // Some file systems cannot; the file itself is on the disk.
    sync: () => held.sync().catch(() => undefined),
    close: () => held.close(),
  };
}

/**
 * What a server that runs as root makes in a folder of somebody else is that user's: a program in a sandbox is not root, and could not
 * change it.
 */
export async function giveToOwnerOf(folder: string, give: (uid: number, gid: number) => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  if (uid !== 0) await give(uid, gid);
}

function unlessThere(error: unknown): void {
  if (systemCode(error) !== "EEXIST") throw error;
}

/** Linux resolves a name through an open folder; elsewhere the path must do. */
function anchored(handle: FileHandle, folder: string, name: string): string {
  return join(process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : folder, name);
}

async function leadsTo(handle: FileHandle, path: string): Promise<boolean> {
  if (process.platform !== "linux") return true;
  return (await readlink(`/proc/self/fd/${handle.fd}`)) === path;
}
