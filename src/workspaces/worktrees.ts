import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../protocol/index.ts";
import { copyTree } from "./bulk-copy.ts";
import { git, gitBytes, mustGit } from "./git.ts";
import { inParallel } from "./in-parallel.ts";
import { isUntouched, readStamps, stampOf, type FileStamp, type Stamps } from "./manifest.ts";
import { findRepository, mendPointer } from "./repository.ts";
import { repositoryOf } from "./stamps/source-state.ts";
import { replaceFile, type WorktreeRecord } from "./tree-record.ts";

const STAMPS = "files.json";

/** Makes a worktree of a folder's last commit, with a branch of its own. What is not committed is not in it. */
export async function addWorktree(folder: string, source: string, branch: string): Promise<WorktreeRecord> {
  const repository = await repositoryOf(source);
  if (repository?.head === undefined)
    throw new Failure(
      "unsupported",
      repository === undefined
        ? `${source} is in no git repository, which a worktree needs; ask for workspace_mode snapshot or direct`
        : `the repository of ${source} has no commit yet, which a worktree needs; commit something first`,
    );
  const { root, prefix, head } = repository;
  const record: WorktreeRecord = { mode: "worktree", source, branch, repository: { root, prefix, head }, commits: {} };
  const tree = join(folder, "tree");
  await addTree(root, tree, [branch, head]);
  await mustGit(tree, ["reset", "--hard", "--quiet"]);
  await writeStamps(folder, await treeStamps(folder, record));
  return record;
}

/** The same as another one's is now, committed or not. */
export async function forkWorktree(
  folder: string,
  branch: string,
  parent: { readonly folder: string; readonly record: WorktreeRecord },
): Promise<WorktreeRecord> {
  const { root, head } = parent.record.repository;
  const tip = await git(root, ["rev-parse", "--verify", "--quiet", `refs/heads/${parent.record.branch}`]);
  const tree = join(folder, "tree");
  await addTree(root, tree, [branch, tip?.trim() ?? head]);
  await mustGit(tree, ["read-tree", "HEAD"]);
  const pointer = await readFile(join(tree, ".git"), "utf8");
  await copyTree(join(parent.folder, "tree"), tree);
  // It was written over with the parent's, which says where git keeps what belongs to that worktree.
  await rm(join(tree, ".git"), { recursive: true, force: true });
  await writeFile(join(tree, ".git"), pointer);
  const record: WorktreeRecord = { ...parent.record, branch, commits: {} };
  await writeStamps(folder, await inheritedStamps(parent, workIn(tree, record)));
  return record;
}

async function addTree(root: string, tree: string, [branch, commit]: readonly [string, string]): Promise<void> {
  const repository = await findRepository(root);
  if (repository === undefined) throw new Failure("conflict", `${root} is no repository any more`);
  await mkdir(join(repository.commonFolder, "worktrees"), { recursive: true });
  await mustGit(root, ["worktree", "add", "--no-checkout", "-b", branch, tree, commit]);
  await mendPointer(tree, repository);
}

/** Deletes the tree. Its branch stays if it has commits of its own. */
export async function removeWorktree(folder: string, record: WorktreeRecord): Promise<void> {
  const { root, head } = record.repository;
  const tree = join(folder, "tree");
  await rm(tree, { recursive: true, force: true });
  await git(root, ["worktree", "remove", "--force", tree]);
  const ref = `refs/heads/${record.branch}`;
  // Only if it is still where it began.
  await git(root, ["update-ref", "-d", ref, head]);
}

/** Where a session works: the same folder of the repository as the source. */
export function workIn(tree: string, { repository: { prefix } }: WorktreeRecord): string {
  return join(tree, prefix).replace(/\/$/, "");
}

export function worktreeStamps(folder: string): Promise<Stamps> {
  return readStamps(join(folder, STAMPS));
}

/** A file as it was in the commit that the tree began with, as a checkout writes it. */
export async function committedFile({ repository }: WorktreeRecord, path: string, stamp: FileStamp): Promise<Buffer> {
  const { root, head, prefix } = repository;
  const name = `${head}:${prefix}${path}`;
  // The target of a link is never converted.
  if (stamp.kind === "link") return gitBytes(root, ["cat-file", "blob", name]);
  return gitBytes(root, ["cat-file", "--filters", name]);
}

async function treeStamps(folder: string, record: WorktreeRecord): Promise<Stamps> {
  const { root, head, prefix } = record.repository;
  const listed = await mustGit(root, ["ls-tree", "-r", "-z", "--name-only", `${head}:${prefix}`]);
  const workspace = workIn(join(folder, "tree"), record);
  const paths = listed.split("\0").filter((path) => path !== "");
  const stamps = await inParallel(paths, async (path) => [path, await stampOf(workspace, path)] as const);
  // A submodule is no file.
  return new Map(stamps.flatMap(([path, stamp]) => (stamp === undefined ? [] : [[path, stamp]])));
}

/** What the parent had not touched is untouched in the copy. */
async function inheritedStamps(
  parent: { readonly folder: string; readonly record: WorktreeRecord },
  workspace: string,
): Promise<Stamps> {
  const before = workIn(join(parent.folder, "tree"), parent.record);
  const stamps = [...(await worktreeStamps(parent.folder))];
  const inherited = await inParallel(stamps, async ([path, stamp]) => {
    const [there, here] = await Promise.all([stampOf(before, path), stampOf(workspace, path)]);
    return [path, here !== undefined && isUntouched(stamp, there) ? here : stamp] as const;
  });
  return new Map(inherited);
}

function writeStamps(folder: string, stamps: Stamps): Promise<void> {
  return replaceFile(join(folder, STAMPS), JSON.stringify([...stamps]));
}
