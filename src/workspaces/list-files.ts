import { execFile } from "node:child_process";
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import { Failure, LIMITS } from "../protocol/index.ts";

const LIST_BYTES = 268_435_456;

/** The files of a folder as git sees them, without what it ignores; of a folder that is no repository, all of them. Never anything of `.git`. */
export async function listFiles(folder: string): Promise<readonly string[]> {
  const listed = (await tracked(folder)) ?? (await walked(folder));
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
  if (output === undefined) return undefined;
  const names = output.split("\0").filter((name) => name !== "");
  const there: string[] = [];
  for (const name of names) {
    const found = await lstat(join(folder, name)).catch(() => undefined);
    // What was deleted and not committed is listed too; a submodule is a folder.
    if (found?.isFile() === true || found?.isSymbolicLink() === true) there.push(name);
  }
  return there.toSorted();
}

/** What git says; undefined: it failed. Neither hooks nor settings of the repository start programs here. */
export function git(folder: string, words: readonly string[]): Promise<string | undefined> {
  const settings = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.untrackedCache=false"];
  const env = {
    PATH: process.env["PATH"],
    HOME: "/nonexistent",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
    LC_ALL: "C",
  };
  return new Promise((resolve) => {
    execFile(
      "git",
      ["-C", folder, ...settings, ...words],
      { env, maxBuffer: LIST_BYTES, timeout: LIMITS.gitTimeoutMs },
      (error, stdout) => resolve(error === null ? stdout : undefined),
    );
  });
}

async function walked(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  const open = [""];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for await (const entry of await opendir(join(folder, at))) {
      const name = at === "" ? entry.name : `${at}/${entry.name}`;
      if (entry.name === ".git") continue;
      if (entry.isDirectory()) open.push(name);
      else if (entry.isFile() || entry.isSymbolicLink()) files.push(name);
      if (files.length > LIMITS.snapshotFiles) return files;
    }
  }
  return files.toSorted();
}
