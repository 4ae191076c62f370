import { constants } from "node:fs";
import {
  access,
  chmod,
  chown,
  mkdir,
  open,
  readFile,
  readdir,
  readlink,
  rename,
  rm,
  unlink,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { reasonOf, type Refusal } from "../refusal.ts";
import type { PathUse, ToolSession } from "../tool.ts";
import type { FileOnDisk } from "./content.ts";
import { isStillThere, type Place } from "./paths.ts";

const INTENTS = "unfinished";

export interface Save {
  readonly session: ToolSession;
  readonly use: PathUse;
  readonly place: Place;
  readonly bytes: Buffer;
  /** What is there now, whose mode and owner are kept; absent: a new file. */
  readonly current: FileOnDisk | undefined;
}

/**
 * Puts the whole content in place at once: a temporary file beside it, on the disk before it takes the name. Whoever looks
 * sees the old content or the new one. The temporary name is noted first, so that `sweepUnfinished` finds it after a crash.
 */
export async function saveFile(save: Save): Promise<Refusal | undefined> {
  const { session, place } = save;
  const id = session.newId("item");
  const temporary = join(dirname(place.real), `.${basename(place.real).slice(0, 100)}.${id}.tmp`);
  const intent = join(session.outputFolder, INTENTS, id);
  try {
    if (save.current !== undefined) await access(place.real, constants.W_OK);
    await mkdir(dirname(place.real), { recursive: true });
    await mkdir(dirname(intent), { recursive: true, mode: 0o700 });
    await writeFile(intent, temporary);
    const moved = await writeBeside(save, temporary);
    if (moved !== undefined) return moved;
    await rename(temporary, place.real);
    await syncFolder(dirname(place.real));
    return undefined;
  } catch (error) {
    return { refused: `Error writing ${place.shown}: ${reasonOf(error)}` };
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined);
    await rm(intent, { force: true }).catch(() => undefined);
  }
}

async function writeBeside(save: Save, temporary: string): Promise<Refusal | undefined> {
  const { current, place } = save;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(temporary, flags, 0o666);
  try {
    if (process.platform === "linux") {
      const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => temporary);
      if (opened !== temporary) {
        await unlink(opened).catch(() => undefined);
        return { refused: `${place.shown} was moved while it was written. Nothing was changed; try again.` };
      }
    }
    await handle.writeFile(save.bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (current !== undefined) await keepOwnerAndMode(temporary, current);
  if (await isStillThere(save.session, save.use, place)) return undefined;
  return { refused: `${place.shown} was moved while it was written. Nothing was changed; try again.` };
}

async function keepOwnerAndMode(path: string, current: FileOnDisk): Promise<void> {
  // Only the superuser can give files away; for everybody else the owner is the same anyway or cannot be kept.
  await chown(path, current.uid, current.gid).catch(() => undefined);
  await chmod(path, current.mode);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } catch {
    // Some file systems cannot; the file itself is on the disk.
  } finally {
    await handle.close();
  }
}

/** Deletes the temporary files that a server left which died while it wrote. Answers how many there were. */
export async function sweepUnfinished(outputFolder: string): Promise<number> {
  const folder = join(outputFolder, INTENTS);
  const intents = await readdir(folder).catch(() => []);
  let swept = 0;
  for (const name of intents) {
    const temporary = await readFile(join(folder, name), "utf8").catch(() => "");
    // The note says which name was meant; nothing but such a name is ever deleted.
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
