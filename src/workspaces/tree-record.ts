import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure, type RepoFilterMode } from "../protocol/index.ts";
import type { FileState } from "./manifest.ts";

const RECORD = "workspace.json";
const APPLIED = "applied.json";

/** How a session's tree was made. */
export type TreeRecord = SnapshotRecord | WorktreeRecord | EmptyRecord | DirectRecord;

/** Commits that were made here, the oldest first. */
export type CommitsByBranch = Readonly<Record<string, readonly string[]>>;

/** A branch may have any name: `constructor` too. */
export function commitsOn(commits: CommitsByBranch, branch: string): readonly string[] {
  return Object.hasOwn(commits, branch) ? (commits[branch] ?? []) : [];
}

interface AnyTreeRecord {
  /** The folder that its changes are for. Absolute, real. */
  readonly source: string;
  /** The repository of the source; absent: it is in none, or has no commit. */
  readonly repository?: TreeRepository | undefined;
  /** The commits that were made of its changes, by branch. */
  readonly commits: CommitsByBranch;
}

interface TreeRepository {
  /** Absolute, real. */
  readonly root: string;
  /** The source within it, with a slash at its end; empty: its root. */
  readonly prefix: string;
  /** The commit that the tree began with. */
  readonly head: string;
}

interface SnapshotRecord extends AnyTreeRecord {
  readonly mode: "snapshot";
  readonly base: string;
  readonly filters: readonly RepoFilterMode[];
  /** Mounted over the base; false: a copy of it. */
  readonly overlay: boolean;
}

/** A folder that began empty. Its changes are for nobody. */
interface EmptyRecord extends AnyTreeRecord {
  readonly mode: "empty";
}

/** The folder itself. Never stored as a tree. */
interface DirectRecord extends AnyTreeRecord {
  readonly mode: "direct";
}

export interface WorktreeRecord extends AnyTreeRecord {
  readonly mode: "worktree";
  readonly branch: string;
  readonly repository: TreeRepository;
}

/** What the source has got of a session's changes, by path. Null: it was deleted there. */
export type AppliedFiles = Readonly<Record<string, FileState | null>>;

export async function readRecord(folder: string): Promise<TreeRecord> {
  const record = await tryRecord(folder);
  if (record === undefined) throw new Failure("workspace_missing", "the files of this session are gone");
  return record;
}

/** Undefined: there is none. */
export async function tryRecord(folder: string): Promise<TreeRecord | undefined> {
  const text = await readFile(join(folder, RECORD), "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as TreeRecord);
}

export function writeRecord(folder: string, record: TreeRecord): Promise<void> {
  return replaceFile(join(folder, RECORD), JSON.stringify(record));
}

export async function readApplied(folder: string): Promise<AppliedFiles> {
  const text = await readFile(join(folder, APPLIED), "utf8").catch(() => "{}");
  return JSON.parse(text) as AppliedFiles;
}

export function writeApplied(folder: string, applied: AppliedFiles): Promise<void> {
  return replaceFile(join(folder, APPLIED), JSON.stringify(applied));
}

/** Whole or not at all. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  try {
    await writeFile(draft, text, { mode: 0o600, flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
