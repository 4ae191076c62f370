import { constants } from "node:fs";
import {
  access,
  link,
  lstat,
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  rm,
  unlink,
  writeFile,
  type FileHandle,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isRefusal, reasonOf, systemCode, type ToolRefusal } from "../refusal.ts";
import type { PathUse, ToolSession } from "../tool.ts";
import { loadFile, type FileOnDisk } from "./content.ts";
import { giveToOwnerOf, holdFolderOf, type HeldFolder } from "./folder.ts";
import { isStillThere, type UsablePath } from "./paths.ts";

const INTENTS = "unfinished";

export interface SaveRequest {
  readonly session: ToolSession;
  readonly use: PathUse;
  readonly place: UsablePath;
  readonly bytes: Buffer;
  /** The existing file, whose mode and owner are kept; absent: a new file. */
  readonly current: FileOnDisk | undefined;
}

/**
 * Replaces the whole content atomically: a temporary file beside it, on the disk before it takes the name. Readers see the
 * old content or the new one. The temporary name is noted first, so that `sweepUnfinished` finds it after a crash.
 */
export async function saveFile(save: SaveRequest): Promise<ToolRefusal | undefined> {
  const { session, place } = save;
  const id = session.newId("item");
  const intent = join(session.outputFolder, INTENTS, id);
  try {
    if (save.current !== undefined) await access(place.real, constants.W_OK);
    await mkdir(dirname(intent), { recursive: true, mode: 0o700 });
    const folder = await holdFolderOf(place.real);
    if (folder === undefined) return moved(place);
    try {
      return await replaceIn(folder, save, { id, intent });
    } finally {
      await folder.close();
    }
  } catch (error) {
    return { refused: `Error writing ${place.shown}: ${reasonOf(error)}` };
  }
}

function moved(place: UsablePath): ToolRefusal {
  return { refused: `${place.shown} was moved while it was written. Nothing was changed; try again.`, changed: true };
}

function changed(place: UsablePath): ToolRefusal {
  return { refused: `${place.shown} changed while it was written. Nothing was changed; try again.`, changed: true };
}

async function replaceIn(
  folder: HeldFolder,
  save: SaveRequest,
  note: { readonly id: string; readonly intent: string },
): Promise<ToolRefusal | undefined> {
  const { place } = save;
  const name = `.${basename(place.real).slice(0, 100)}.${note.id}.tmp`;
  const temporary = folder.path(name);
  await writeFile(note.intent, join(dirname(place.real), name));
  try {
    await writeNew(temporary, save);
    // A link that took the file's name meanwhile would be replaced instead of followed.
    if (!(await isStillThere(save.session, save.use, place))) return moved(place);
    const target = folder.path(basename(place.real));
    const isPlaced =
      save.current === undefined ? await addNew(temporary, target) : await replaceOld(save, temporary, target);
    if (!isPlaced) return changed(place);
    await folder.sync();
    return undefined;
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined);
    await rm(note.intent, { force: true }).catch(() => undefined);
  }
}

/** The errors of file systems without hard links. */
const NO_HARD_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** Gives the new file its name, unless that name is taken by now. */
async function addNew(temporary: string, target: string): Promise<boolean> {
  try {
    // Atomic: a rename would replace a file created meanwhile.
    await link(temporary, target);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    if (!NO_HARD_LINKS.has(systemCode(error))) throw error;
  }
  if ((await lstat(target).catch(() => undefined)) !== undefined) return false;
  await rename(temporary, target);
  return true;
}

/** Replaces the file, unless it has changed since it was read. Nothing happens between the last check and the rename. */
async function replaceOld({ current, place }: SaveRequest, temporary: string, target: string): Promise<boolean> {
  const now = await loadFile(place, target);
  if (current === undefined || now === undefined || isRefusal(now)) return false;
  if (now.mode !== current.mode || now.links !== current.links || !now.bytes.equals(current.bytes)) return false;
  await rename(temporary, target);
  return true;
}

async function writeNew(path: string, { bytes, current }: SaveRequest): Promise<void> {
  const handle = await open(path, "wx", 0o666);
  try {
    await handle.writeFile(bytes);
    if (current === undefined) await giveToOwnerOf(dirname(path), (uid, gid) => handle.chown(uid, gid));
    else await keepOwnerAndMode(handle, current);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function keepOwnerAndMode(file: FileHandle, current: FileOnDisk): Promise<void> {
  // Only the superuser can change owners; for everybody else the owner is the same or cannot be kept.
  await file.chown(current.uid, current.gid).catch(() => undefined);
  await file.chmod(current.mode);
}

/** Deletes temporary files of a server that died while writing. Returns how many there were. */
export async function sweepUnfinished(outputFolder: string): Promise<number> {
  const folder = join(outputFolder, INTENTS);
  const intents = await readdir(folder).catch(() => []);
  let swept = 0;
  for (const name of intents) {
    const temporary = await readFile(join(folder, name), "utf8").catch(() => "");
    // The note holds the intended name; only such a name is ever deleted.
    if (temporary.endsWith(`.${name}.tmp`)) {
      const gone = await unlink(temporary).then(
        () => true,
        () => false,
      );
      if (gone) swept += 1;
    }
    await rm(join(folder, name), { force: true });
  }
  return swept;
}
