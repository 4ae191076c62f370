import { makeFolder } from "./make-folder.ts";
import { chmod, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes a file that only its owner reads, in one step: after a crash it is the old one or the new one. */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path));
  const draft = `${path}.${process.pid}.new`;
  try {
    const file = await open(draft, "w", 0o600);
    try {
      await chmod(draft, 0o600);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
