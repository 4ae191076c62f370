import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../protocol/index.ts";
import { contentOf, type ComparedChange } from "./apply-changes.ts";
import { git, mustGit } from "./git.ts";
import { inParallel } from "./in-parallel.ts";
import type { FileState } from "./manifest.ts";
import { commitsOn, writeRecord } from "./tree-record.ts";
import type { OpenTree } from "./trees.ts";

export interface WantedCommit {
  readonly branch: string;
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The repository that a commit is made in. */
export interface CommitPlace {
  readonly root: string;
  /** The source within it. */
  readonly prefix: string;
  readonly parent: string;
  /** Absent: the branch is new. */
  readonly tip: string | undefined;
}

/**
 * Commits changes on a branch of the source's repository: on the commit that the tree began with, or on the last one that was made
 * here. Neither the repository's checked-out files nor its index are touched. Answers with the commit.
 */
export async function commitChanges(
  tree: OpenTree,
  changes: readonly ComparedChange[],
  wanted: WantedCommit,
): Promise<string> {
  const { record, folder } = tree;
  const { branch } = wanted;
  const place = await placeOf(tree, branch);
  const variables = { GIT_INDEX_FILE: join(folder, "commit.index") };
  try {
    await mustGit(place.root, ["read-tree", place.parent], { variables });
    const lines = await inParallel(changes, async ({ path, after, content }) => {
      const bytes = after && (content ?? (await contentOf(tree.workspace, path, after)));
      return indexLine(place, path, after && bytes && { state: after, content: bytes });
    });
    await mustGit(place.root, ["update-index", "-z", "--index-info"], { variables, input: lines.join("") });
    const files = await mustGit(place.root, ["write-tree"], { variables });
    if (files === (await mustGit(place.root, ["rev-parse", `${place.parent}^{tree}`])))
      throw new Failure("conflict", `the branch ${branch} has these changes already: there is nothing to commit`);
    const committed = await commitTree(place, files, wanted);
    // Noted first: whatever happens next, the branch is known to be ours.
    const known = [...commitsOn(record.commits, branch), committed];
    await writeRecord(folder, { ...record, commits: { ...record.commits, [branch]: known } });
    const before = place.tip ?? "0".repeat(committed.length);
    await mustGit(place.root, ["update-ref", `refs/heads/${branch}`, committed, before]);
    return committed;
  } finally {
    await rm(variables.GIT_INDEX_FILE, { force: true });
  }
}

async function placeOf({ record }: OpenTree, branch: string): Promise<CommitPlace> {
  const { repository, commits, source } = record;
  if (repository === undefined)
    throw new Failure("unsupported", `${source} is in no git repository with a commit; apply the changes instead`);
  const { root, prefix, head } = repository;
  const tip = await tipOfOwn(root, branch, commitsOn(commits, branch));
  return { root, prefix, parent: tip ?? head, tip };
}

/** The last commit of a branch that a session made, and that nobody has checked out; undefined: the branch is new. Else a Failure. */
export async function tipOfOwn(root: string, branch: string, own: readonly string[]): Promise<string | undefined> {
  const ref = `refs/heads/${branch}`;
  if (branch.startsWith("-") || (await git(root, ["check-ref-format", ref])) === undefined)
    throw new Failure("invalid_request", `git takes no branch of the name ${branch}`);
  const tip = (await git(root, ["rev-parse", "--verify", "--quiet", ref]))?.trim();
  if (tip !== undefined && !own.includes(tip))
    throw new Failure(
      "conflict",
      `there is a branch ${branch} that this session did not make, or it moved; name another`,
    );
  const worktrees = await mustGit(root, ["worktree", "list", "--porcelain"]);
  if (worktrees.split("\n").includes(`branch ${ref}`))
    throw new Failure("conflict", `the branch ${branch} is checked out somewhere; name another one`);
  return tip;
}

/** What `git update-index --index-info` takes for one file; absent: it is deleted. */
export async function indexLine(
  { root, prefix }: Pick<CommitPlace, "root" | "prefix">,
  path: string,
  file: { readonly state: FileState; readonly content: Buffer } | undefined,
): Promise<string> {
  const name = `${prefix}${path}`;
  if (file === undefined) return `0 ${"0".repeat(40)}\t${name}\0`;
  // As it would be added there, with its line ends; but no program of the repository's settings runs, such as git-lfs.
  const words = file.state.kind === "link" ? ["--no-filters"] : [`--path=${name}`];
  const blob = await mustGit(root, ["hash-object", "-w", "--stdin", ...words], { input: file.content });
  return `${modeOf(file.state)} ${blob}\t${name}\0`;
}

function modeOf({ kind, executable }: FileState): string {
  return kind === "link" ? "120000" : executable ? "100755" : "100644";
}

export function commitTree(
  { root, parent }: Pick<CommitPlace, "root" | "parent">,
  files: string,
  { message, author, at }: WantedCommit,
): Promise<string> {
  const date = `@${Math.floor(at / 1_000)} +0000`;
  return mustGit(root, ["commit-tree", "--no-gpg-sign", "-p", parent, files], {
    input: `${message.trim()}\n`,
    variables: {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: "Sallyport",
      GIT_COMMITTER_EMAIL: "sallyport@localhost",
      GIT_COMMITTER_DATE: date,
    },
  });
}
