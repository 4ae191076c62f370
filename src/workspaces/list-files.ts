import { opendir } from "node:fs/promises";
import { join, sep } from "node:path";
import { Failure, LIMITS } from "../protocol/index.ts";
import { git } from "./git.ts";
import { isInside } from "./repository.ts";

/**
 * The files of a folder as git sees them, without what it ignores; of a folder that is no repository, all of them. Never anything of
 * `.git` or below `hidden`. What was deleted and not committed is listed too.
 */
export async function listFiles(folder: string, hidden: readonly string[] = []): Promise<readonly string[]> {
  const isHidden = (name: string): boolean =>
    hidden.some((other) => `${join(folder, name)}${sep}`.startsWith(`${other}${sep}`));
  const listed = (await tracked(folder))?.filter((name) => !isHidden(name)) ?? (await walked(folder, isHidden));
  if (listed.length > LIMITS.snapshotFiles)
    throw new Failure(
      "limit_reached",
      `${folder} has more than ${LIMITS.snapshotFiles} files: work in it directly, or in a worktree.`,
    );
  return listed;
}

/** Undefined: it is no repository. */
async function tracked(folder: string): Promise<readonly string[] | undefined> {
  const output = await git(folder, ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]);
  // A folder with a repository of its own ends with a slash, and is not one of them.
  return output?.split("\0").filter((name) => isInside(name));
}

async function walked(folder: string, isHidden: (name: string) => boolean): Promise<readonly string[]> {
  const files: string[] = [];
  const open = [""];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for await (const entry of await opendir(join(folder, at))) {
      const name = at === "" ? entry.name : `${at}/${entry.name}`;
      if (entry.name === ".git" || isHidden(name)) continue;
      if (entry.isDirectory()) open.push(name);
      else if (entry.isFile() || entry.isSymbolicLink()) files.push(name);
      if (files.length > LIMITS.snapshotFiles) return files;
    }
  }
  return files.toSorted();
}
