import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Failure, RepoFilterMode } from "../protocol/index.ts";
import { FileState } from "./manifest.ts";
import { byName, parseStored } from "./stored-json.ts";

const RECORD = "workspace.json";
const APPLIED = "applied.json";

/** Commits that were made here, the oldest first. */
const CommitsByBranch = byName(z.array(z.string()));
export type CommitsByBranch = Readonly<Record<string, readonly string[]>>;

/** A branch may have any name: `constructor` too. */
export function commitsOn(commits: CommitsByBranch, branch: string): readonly string[] {
  return Object.hasOwn(commits, branch) ? (commits[branch] ?? []) : [];
}

const TreeRepository = z.object({
  /** Absolute, real. */
  root: z.string(),
  /** The source within it, with a slash at its end; empty: its root. */
  prefix: z.string(),
  /** The commit that the tree began with. */
  head: z.string(),
});

const AnyTreeRecord = z.object({
  /** The folder that its changes are for. Absolute, real. */
  source: z.string(),
  /** The repository of the source; absent: it is in none, or has no commit. */
  repository: TreeRepository.optional(),
  /** The commits that were made of its changes, by branch. */
  commits: CommitsByBranch,
});

const SnapshotRecord = AnyTreeRecord.extend({
  mode: z.literal("snapshot"),
  base: z.string(),
  filters: z.array(RepoFilterMode).readonly(),
  /** Mounted over the base; false: a copy of it. */
  overlay: z.boolean(),
});

const WorktreeRecord = AnyTreeRecord.extend({
  mode: z.literal("worktree"),
  branch: z.string(),
  repository: TreeRepository,
});
export type WorktreeRecord = StoredRecord<typeof WorktreeRecord>;

/** A folder that began empty. Its changes are for nobody. */
const EmptyRecord = AnyTreeRecord.extend({ mode: z.literal("empty") });

/** The folder itself. Never stored as a tree. */
const DirectRecord = AnyTreeRecord.extend({ mode: z.literal("direct") });

/** How a session's tree was made. */
const TreeRecord = z.discriminatedUnion("mode", [SnapshotRecord, WorktreeRecord, EmptyRecord, DirectRecord]);
export type TreeRecord = StoredRecord<
  typeof SnapshotRecord | typeof WorktreeRecord | typeof EmptyRecord | typeof DirectRecord
>;

type StoredRecord<Schema extends z.ZodType> = Schema extends z.ZodType
  ? Readonly<Omit<z.infer<Schema>, "commits">> & { readonly commits: CommitsByBranch }
  : never;

/** What the source has got of a session's changes, by path. Null: it was deleted there. */
const AppliedFiles = byName(FileState.nullable());
export type AppliedFiles = Readonly<Record<string, FileState | null>>;

export async function readRecord(folder: string): Promise<TreeRecord> {
  const record = await tryRecord(folder);
  if (record === undefined) throw new Failure("workspace_missing", "the files of this session are gone");
  return record;
}

/** Undefined: there is none. A damaged one is a failure. */
export async function tryRecord(folder: string): Promise<TreeRecord | undefined> {
  const path = join(folder, RECORD);
  const text = await readFile(path, "utf8").catch(() => undefined);
  return text === undefined ? undefined : parseStored(TreeRecord, { text, path });
}

/** The bases that the record may name; "unknown": it is damaged, and names none that can be read. */
export async function basesNamedIn(folder: string): Promise<readonly string[] | "unknown"> {
  const record = await tryRecord(folder).catch(() => "damaged" as const);
  if (record !== "damaged") return record?.mode === "snapshot" ? [record.base] : [];
  const text = await readFile(join(folder, RECORD), "utf8").catch(() => "");
  const named = /"base":"([^"]+)"/.exec(text)?.[1];
  return named === undefined ? "unknown" : [named];
}

export function writeRecord(folder: string, record: TreeRecord): Promise<void> {
  return replaceFile(join(folder, RECORD), JSON.stringify(record));
}

export async function readApplied(folder: string): Promise<AppliedFiles> {
  const path = join(folder, APPLIED);
  const text = await readFile(path, "utf8").catch(() => "{}");
  return parseStored(AppliedFiles, { text, path });
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
