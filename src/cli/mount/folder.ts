import { mkdir, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { mountAt, MountTrouble, unmountFuse } from "../../fuse/index.ts";
import { LIMITS } from "../../protocol/index.ts";

/** What `mount` calls our mounts; the type is `fuse.sallyport`. */
export const MOUNT_NAME = "sallyport";

/** The mounting user, and where programs are searched. */
export interface Mounter {
  readonly uid: number;
  readonly gid: number;
  readonly path: string;
}

/** The folder's path as the kernel writes it. The folder itself is not touched: a dead mount there does not answer. */
export async function folderPath(text: string, cwd: string): Promise<string> {
  const path = resolve(cwd, text);
  return join(await realpath(dirname(path)), basename(path));
}

/** Prepares the folder for mounting: existing, empty, and without the dead mount of a killed process. */
export async function readyFolder(
  text: string,
  { cwd, mounter }: { readonly cwd: string; readonly mounter: Mounter },
): Promise<string> {
  const path = resolve(cwd, text);
  await mkdir(dirname(path), { recursive: true });
  const named = await folderPath(text, cwd);
  await clearDeadMount(named, mounter);
  await mkdir(named, { recursive: true });
  // A symlink to a folder is followed; the mount lies on its target.
  const folder = await realpath(named);
  if (folder !== named) await clearDeadMount(folder, mounter);
  if ((await readdir(folder)).length > 0) throw new MountTrouble(`${folder} is not empty; choose a folder of its own`);
  return folder;
}

async function clearDeadMount(folder: string, mounter: Mounter): Promise<void> {
  switch (await mountAt(folder, MOUNT_NAME)) {
    case "dead":
      return unmountFuse({ folder, ...mounter, programMs: LIMITS.mountProgramMs });
    case "alive":
      throw new MountTrouble(`${folder} is mounted already; \`sallyport unmount ${folder}\` takes it away`);
    case "foreign":
      throw new MountTrouble(`something else is mounted on ${folder}; choose another folder`);
    case "nothing":
  }
}
