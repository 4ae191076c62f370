import { lstat, readdir, readFile, realpath, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Failure } from "../protocol/index.ts";
import type { Change } from "./change-set.ts";
import { inParallel } from "./in-parallel.ts";
import { contentState, isSameFile, readBeneath, stateOf, type FileState } from "./manifest.ts";
import { placeFile, removeEmptyFolders, temporaryName } from "./place-file.ts";
import type { ChangeBase } from "./recording/recording.ts";
import type { TreeBase } from "./tree-base.ts";
import { replaceFile, type AppliedFiles } from "./tree-record.ts";
import type { OpenTree } from "./trees.ts";

/** What is being written into the source, and into the session's own files, for the next server if this one dies. */
const APPLYING = "applying.json";
const DISCARDING = "discarding.json";

/** A change beside what the source has now. */
export interface ComparedChange extends Change {
  /** Absent: the source has no such file. */
  readonly source?: FileState | undefined;
  /**
   * `clean`: the source is as the base. `applied`: it is as the session's tree already. `conflict`: it changed since, or something else
   * is in the way.
   */
  readonly fit: "clean" | "applied" | "conflict";
  /**
   * Of a part of a change: what is written. To apply or commit it `after` is the state of this, to discard it `before` is. Absent: the
   * whole change is meant.
   */
  readonly content?: Buffer | undefined;
}

export async function compareWithSource(
  source: string,
  changes: readonly Change[],
): Promise<readonly ComparedChange[]> {
  const compared = await inParallel(changes, async (change): Promise<ComparedChange> => {
    const now = await stateOf(source, change.path);
    const fit = isSameFile(now, change.after) ? "applied" : isSameFile(now, change.before) ? "clean" : "conflict";
    return { ...change, source: now, fit };
  });
  const leaving = compared.filter(({ after, fit }) => after === undefined && fit === "clean");
  const gone = new Set(leaving.map(({ path }) => path));
  return inParallel(compared, async (change) => {
    const isWritten = change.fit === "clean" && change.after !== undefined;
    return isWritten && (await isBlocked(source, change.path, gone)) ? { ...change, fit: "conflict" } : change;
  });
}

/** Something that the change set does not remove stands where the file or a folder above it must be. */
async function isBlocked(source: string, path: string, gone: ReadonlySet<string>): Promise<boolean> {
  for (let at = dirname(path); at !== "."; at = dirname(at)) {
    const found = await lstat(join(source, at)).catch(() => undefined);
    if (found !== undefined && !found.isDirectory() && !gone.has(at)) return true;
  }
  const found = await lstat(join(source, path)).catch(() => undefined);
  if (found === undefined || found.isFile() || found.isSymbolicLink()) return false;
  return !found.isDirectory() || !(await isEmptied(source, path, gone));
}

/** Whether nothing is left of a folder when these files are gone. */
async function isEmptied(source: string, folder: string, gone: ReadonlySet<string>): Promise<boolean> {
  const entries = await readdir(join(source, folder), { withFileTypes: true });
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() ? !(await isEmptied(source, path, gone)) : !gone.has(path)) return false;
  }
  return entries.length > 0;
}

/** Writes changes without a conflict into the source. What was written counts as applied, also if a later one fails. */
export async function applyChanges(tree: OpenTree, base: TreeBase, changes: readonly ComparedChange[]): Promise<void> {
  const { folder, record, workspace } = tree;
  if ((await realpath(record.source).catch(() => undefined)) !== record.source)
    throw new Failure("workspace_missing", `the folder ${record.source} is gone; commit or copy the changes instead`);
  const mark = markOf(tree.id);
  const written = changes.filter(({ after }) => after !== undefined);
  await noteWriting(join(folder, APPLYING), { source: record.source, paths: written, mark });
  const applied: Record<string, FileState | null> = {};
  try {
    for (const { path, before, after, fit, content: part } of changes.toSorted(deletionsFirst)) {
      const to = after && { state: after, content: part ?? (await contentOf(workspace, path, after)) };
      if (to !== undefined) await base.keep(to.state, to.content);
      if (fit !== "applied") await placeFile({ folder: record.source, path, from: before, to, mark });
      if (after === undefined) await removeEmptyFolders(record.source, path);
      applied[path] = after ?? null;
    }
  } finally {
    await base.advance(applied satisfies AppliedFiles);
    await rm(join(folder, APPLYING));
  }
}

/**
 * Puts the session's files back to their base. One that changed since it was looked at is a conflict. `folder`: where it is noted what is
 * being written.
 */
export async function discardChanges(
  { id, folder, workspace }: Pick<OpenTree, "id" | "folder" | "workspace">,
  base: ChangeBase,
  changes: readonly (Change & Pick<ComparedChange, "content">)[],
): Promise<void> {
  // Seen from the tree, what was added is what is deleted.
  const additionsFirst = (one: Change, other: Change): number =>
    Number(one.before !== undefined) - Number(other.before !== undefined);
  const mark = markOf(id);
  const written = changes.filter(({ before }) => before !== undefined);
  await noteWriting(join(folder, DISCARDING), { source: workspace, paths: written, mark });
  try {
    for (const { path, before, after, content } of changes.toSorted(additionsFirst)) {
      const to = before && { state: before, content: content ?? (await base.read(path)) };
      await placeFile({ folder: workspace, path, from: after, to, mark });
      if (before === undefined) await removeEmptyFolders(workspace, path);
    }
  } finally {
    await rm(join(folder, DISCARDING));
  }
}

function markOf(id: string): string {
  return `sallyport-${id.slice(-8)}`;
}

interface UnfinishedWriting {
  /** Absolute. */
  readonly source: string;
  /** Below it. */
  readonly temporary: readonly string[];
}

async function noteWriting(
  file: string,
  {
    source,
    paths,
    mark,
  }: { readonly source: string; readonly paths: readonly Pick<Change, "path">[]; readonly mark: string },
): Promise<void> {
  const temporary = paths.map(({ path }) => temporaryName(path, mark));
  await replaceFile(file, JSON.stringify({ source, temporary } satisfies UnfinishedWriting));
}

/** At start: deletes what a server that died while it applied changes left in the source. Writing the rest again is safe. */
export function clearApplying(folder: string): Promise<void> {
  return clearUnfinished(join(folder, APPLYING));
}

/** The same in the files that changes were discarded in. They must be mounted. */
export function clearDiscarding(folder: string): Promise<void> {
  return clearUnfinished(join(folder, DISCARDING));
}

/** At start: the same for sessions that work in the folder itself, whose recordings are below this one. */
export async function clearRewinding(recordings: string): Promise<void> {
  for (const name of await readdir(recordings).catch(() => [])) await clearDiscarding(join(recordings, name));
}

/** A damaged note names nothing, and holds up no start. */
function unfinishedIn(text: string): UnfinishedWriting {
  try {
    return JSON.parse(text) as UnfinishedWriting;
  } catch {
    return { source: "/", temporary: [] };
  }
}

async function clearUnfinished(file: string): Promise<void> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return;
  const { source, temporary } = unfinishedIn(text);
  for (const path of temporary) await rm(join(source, path), { force: true });
  await rm(file);
}

/** A file that becomes a folder is gone before the files in that folder come. */
function deletionsFirst(one: Change, other: Change): number {
  return Number(one.after !== undefined) - Number(other.after !== undefined);
}

/** What was reviewed, or a Failure. */
export async function contentOf(workspace: string, path: string, state: FileState): Promise<Buffer> {
  const content = await readBeneath(workspace, path);
  if (!isSameFile(contentState(state, content), state))
    throw new Failure("input_changed", `${path} changed meanwhile; look at the changes again`);
  return content;
}
