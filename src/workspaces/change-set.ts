import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Failure, LIMITS } from "../protocol/index.ts";
import { git, mustGit } from "./git.ts";
import { inParallel } from "./in-parallel.ts";
import { isSameFile, isUntouched, stampOf, stateOf, type FileState } from "./manifest.ts";
import type { TreeBase } from "./tree-base.ts";
import type { OpenTree } from "./trees.ts";

/** On some disks `.GIT` is `.git`, and what is written there starts programs. */
const GIT_FOLDER = /(^|\/)\.git(\/|$)/i;

/** One file that differs from the base. */
export interface Change {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted";
  /** Absent: the base has no such file. */
  readonly before?: FileState | undefined;
  /** Absent: the session deleted it. */
  readonly after?: FileState | undefined;
}

export interface ChangeSet {
  /** By path. */
  readonly changes: readonly Change[];
  /** The same as long as nothing of it changes. */
  readonly revision: string;
  /** Folders with a repository of their own, whose new files are not looked at, and what has the name of one. */
  readonly notIncluded: readonly string[];
}

/** What a session changed. New files that a .gitignore of its tree names do not count. */
export async function changeSetOf(tree: OpenTree, base: TreeBase): Promise<ChangeSet> {
  const { workspace } = tree;
  const known = await inParallel([...base.files], async ([path, file]): Promise<Change | undefined> => {
    if ("stamp" in file && isUntouched(file.stamp, await stampOf(workspace, path))) return undefined;
    const [before, after] = await Promise.all([base.state(path), stateOf(workspace, path)]);
    return isSameFile(before, after) ? undefined : changeOf(path, before, after);
  });
  const others = await otherFiles(tree);
  const notIncluded = others.filter((path) => path.endsWith("/") || GIT_FOLDER.test(path));
  const names = others.filter((path) => !notIncluded.includes(path) && !base.files.has(path));
  if (names.length > LIMITS.changedFiles) throw tooMany();
  const added = await inParallel(names, async (path): Promise<Change | undefined> => {
    const after = await stateOf(workspace, path);
    return after === undefined ? undefined : changeOf(path, undefined, after);
  });
  const changes = [...known, ...added].filter((change) => change !== undefined).toSorted(byPath);
  if (changes.length > LIMITS.changedFiles) throw tooMany();
  return { changes, revision: revisionOf(changes), notIncluded };
}

function tooMany(): Failure {
  return new Failure(
    "limit_reached",
    `more than ${LIMITS.changedFiles} files changed, which is more than can be reviewed; does a .gitignore miss what was built?`,
  );
}

function changeOf(path: string, before: FileState | undefined, after: FileState | undefined): Change {
  const status = before === undefined ? "added" : after === undefined ? "deleted" : "modified";
  return { path, status, before, after };
}

function byPath(one: Change, other: Change): number {
  return one.path < other.path ? -1 : 1;
}

function revisionOf(changes: readonly Change[]): string {
  const said = changes.map(({ path, before, after }) => [path, before, after]);
  return createHash("sha256").update(JSON.stringify(said)).digest("hex").slice(0, 32);
}

/** All files that no .gitignore of the tree names. Git is asked with a repository of ours: nothing in the tree's own is read. */
async function otherFiles({ folder, workspace }: OpenTree): Promise<readonly string[]> {
  const empty = join(folder, "empty.git");
  await mkdir(empty, { recursive: true, mode: 0o700 });
  await mustGit(empty, ["init", "--quiet", "--bare", "--template="], { isOurs: true });
  const words = [`--git-dir=${empty}`, `--work-tree=${workspace}`, "ls-files", "-z", "--others", "--exclude-standard"];
  const listed = await git(workspace, words, { isOurs: true });
  if (listed === undefined)
    throw new Failure("internal", "the files of this session could not be listed; the server's log says why");
  return listed.split("\0").filter((path) => path !== "");
}
