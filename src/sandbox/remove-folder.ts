import { readFile, rm } from "node:fs/promises";
import { ended } from "./ended.ts";

/** Deletes a folder, but nothing that is mounted in it: behind a mount that a dead server left are a person's own files. */
export async function removeFolder(folder: string): Promise<void> {
  for (const path of (await mountsBelow(folder)).toReversed()) await ended("umount", ["--lazy", "--", path]);
  if ((await mountsBelow(folder)).length === 0) await rm(folder, { recursive: true, force: true });
}

async function mountsBelow(folder: string): Promise<readonly string[]> {
  // There is no such file on macOS, where nothing is mounted in a sandbox's folder.
  const lines = (await readFile("/proc/self/mountinfo", "utf8").catch(() => "")).split("\n");
  return lines.flatMap((line) => line.split(" ")[4] ?? []).filter((path) => path.startsWith(`${folder}/`));
}
