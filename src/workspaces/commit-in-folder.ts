import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure, LIMITS } from "../protocol/index.ts";
import { contentOf, type ComparedChange } from "./apply-changes.ts";
import { commitTree, indexLine, tipOfOwn, type CommitPlace, type WantedCommit } from "./commit-changes.ts";
import { git, gitBytes, mustGit } from "./git.ts";
import type { FileState } from "./manifest.ts";
import { readBook, writeBook, type ChangeBase } from "./recording/recording.ts";
import { commitsOn } from "./tree-record.ts";
import type { OpenTree } from "./trees.ts";

/** What a session changed in the folder itself, and what it was before. */
interface FolderChanges {
  readonly tree: OpenTree;
  readonly base: ChangeBase;
  readonly changes: readonly ComparedChange[];
}

/** A file as the commit is to have it; absent content: it is not in it. */
interface CommittedFile {
  readonly path: string;
  readonly file?: { readonly state: FileState; readonly content: Buffer } | undefined;
}

/**
 * Commits what a session changed in a folder that it shares with people: on the branch that is checked out there, or on another one. The
 * commit holds the session's changes and nothing else: what somebody had changed before and not committed stays as it is, and a file in
 * which the two cannot be told apart is a conflict. The folder's files are not touched. Answers with the commit.
 */
export async function commitInFolder(made: FolderChanges, wanted: WantedCommit): Promise<string> {
  const { record, folder } = made.tree;
  const { repository, source } = record;
  if (repository === undefined)
    throw new Failure("unsupported", `${source} is in no git repository with a commit, so nothing can be committed`);
  const { root, prefix, head } = repository;
  const current = await currentBranch(root);
  const isCurrent = wanted.branch === current;
  const tip = isCurrent ? head : await tipOfOwn(root, wanted.branch, commitsOn(record.commits, wanted.branch));
  const place: CommitPlace = { root, prefix, parent: tip ?? head, tip };
  const files = await filesOf(made, place);
  const lines: string[] = [];
  for (const { path, file } of files) lines.push(await indexLine(place, path, file));
  const temporary = await mkdtemp(join(tmpdir(), "sallyport-commit-"));
  try {
    const variables = { GIT_INDEX_FILE: join(temporary, "index") };
    await mustGit(root, ["read-tree", place.parent], { variables });
    await mustGit(root, ["update-index", "-z", "--index-info"], { variables, input: lines.join("") });
    const tree = await mustGit(root, ["write-tree"], { variables });
    if (tree === (await mustGit(root, ["rev-parse", `${place.parent}^{tree}`])))
      throw new Failure(
        "conflict",
        `the branch ${wanted.branch} has these changes already: there is nothing to commit`,
      );
    const committed = await commitTree(place, tree, wanted);
    await noteCommit(folder, wanted.branch, committed);
    if (isCurrent) await stage(place, files, lines);
    const before = tip ?? "0".repeat(committed.length);
    await mustGit(root, ["update-ref", `refs/heads/${wanted.branch}`, committed, before]);
    return committed;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Undefined: no branch is checked out. */
export async function currentBranch(root: string): Promise<string | undefined> {
  return (await git(root, ["symbolic-ref", "--quiet", "--short", "HEAD"]))?.trim();
}

/** Noted before the branch moves: whatever happens next, the branch is known to be ours. */
async function noteCommit(folder: string, branch: string, commit: string): Promise<void> {
  const book = await readBook({ folder });
  if (book === undefined) throw new Failure("conflict", "the session has changed nothing");
  const commits = { ...book.commits, [branch]: [...commitsOn(book.commits, branch), commit] };
  await writeBook({ folder }, { ...book, commits });
}

/** The index gets what is committed, but for files in which somebody has staged something else. */
async function stage(place: CommitPlace, files: readonly CommittedFile[], lines: readonly string[]): Promise<void> {
  const { root, prefix, parent } = place;
  const staged = entriesOf(await mustGit(root, ["ls-files", "-z", "--stage", "--full-name"]));
  const committed = entriesOf(await mustGit(root, ["ls-tree", "-r", "-z", "--full-tree", parent]));
  const fine = lines.filter((_line, at) => {
    const name = `${prefix}${files[at]?.path ?? ""}`;
    return staged.get(name) === committed.get(name);
  });
  if (fine.length > 0) await mustGit(root, ["update-index", "-z", "--index-info"], { input: fine.join("") });
}

/** Contents by name, of what `ls-files --stage` or `ls-tree` says. */
function entriesOf(listed: string): ReadonlyMap<string, string> {
  const entries = listed.split("\0").flatMap((line) => {
    const [, blob, name] = /^\d+ (?:\w+ )?([0-9a-f]{40,64})(?: \d)?\t([\s\S]+)$/.exec(line) ?? [];
    return blob === undefined || name === undefined ? [] : [[name, blob] as const];
  });
  return new Map(entries);
}

async function filesOf(made: FolderChanges, place: CommitPlace): Promise<readonly CommittedFile[]> {
  const files: CommittedFile[] = [];
  const conflicts: string[] = [];
  for (const change of made.changes) {
    const file = await fileOf(made, place, change);
    if (file === "conflict") conflicts.push(change.path);
    else files.push(file);
  }
  if (conflicts.length === 0) return files;
  throw new Failure(
    "conflict",
    `${conflicts.length} of these files had other changes that are not in the last commit, and the two cannot be told apart; ` +
      "commit the others by naming them in paths, and these by hand",
    { conflicts: conflicts.slice(0, LIMITS.withheldListed) },
  );
}

/** What the commit has of one file: its parent's, with the session's change made in it. */
async function fileOf(
  { tree, base }: FolderChanges,
  { root, prefix, parent }: CommitPlace,
  { path, before, after, content }: ComparedChange,
): Promise<CommittedFile | "conflict"> {
  const name = `${parent}:${prefix}${path}`;
  const isThere = (await git(root, ["cat-file", "-e", name])) !== undefined;
  const committed = isThere ? await gitBytes(root, ["cat-file", "--filters", name]) : undefined;
  const old = before && (await base.read(path));
  const now = after && (content ?? (await contentOf(tree.workspace, path, after)));
  const isAsBefore = committed === undefined ? old === undefined : old?.equals(committed) === true;
  if (isAsBefore) return { path, file: after && now && { state: after, content: now } };
  if (committed === undefined || old === undefined || now === undefined || after?.kind !== "file") return "conflict";
  const merged = await merge(committed, old, now);
  return merged === undefined ? "conflict" : { path, file: { state: after, content: merged } };
}

/** The committed file with the change from `old` to `now`; undefined: they touch the same lines, or it is no text. */
async function merge(committed: Buffer, old: Buffer, now: Buffer): Promise<Buffer | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-merge-"));
  try {
    for (const [name, bytes] of Object.entries({ committed, old, now })) await writeFile(join(folder, name), bytes);
    const variables = { GIT_DIR: folder, GIT_CEILING_DIRECTORIES: folder };
    const words = ["merge-file", "-p", "--quiet", "committed", "old", "now"];
    return await gitBytes(folder, words, { isOurs: true, variables }).catch(() => undefined);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
