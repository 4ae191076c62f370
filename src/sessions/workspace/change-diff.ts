import { LIMITS, type ChangeHunk, type ChangeSetFile } from "../../protocol/index.ts";
import { diffHunks, unifiedDiff, type UnifiedDiff } from "../../tools/index.ts";
import {
  contentOf,
  isShown,
  readBeneath,
  type ChangeBase,
  type ComparedChange,
  type OpenTree,
} from "../../workspaces/index.ts";

/** Where a NUL makes a file binary, as git looks for it. */
const LOOKED_AT = 8_000;

interface CountedChange {
  readonly change: ComparedChange;
  /** Enough was compared for one answer. */
  readonly isPast: boolean;
  /** How many changes share the time for one. */
  readonly of: number;
}

type ChangedLines = Pick<ChangeSetFile, "additions" | "deletions" | "binary" | "large">;

/** Where the session's files are. */
type ChangedPlace = Pick<OpenTree, "workspace">;

export async function countLines(tree: ChangedPlace, base: ChangeBase, counted: CountedChange): Promise<ChangedLines> {
  if (counted.isPast || isLarge(counted.change)) return { additions: 0, deletions: 0, large: true };
  const sides = await sidesOf(tree, base, counted.change);
  if (sides === undefined) return { additions: 0, deletions: 0, binary: true };
  const { added, removed } = unifiedDiff({ path: "", ...sides, of: counted.of });
  return { additions: added, deletions: removed };
}

/** From the base to the session's file, and the parts of it that can be chosen alone. */
export async function diffOf(
  tree: ChangedPlace,
  base: ChangeBase,
  change: ComparedChange,
): Promise<Pick<UnifiedDiff, "text" | "note"> & { readonly hunks?: ChangeHunk[] }> {
  if (isLarge(change)) return { text: "", note: `the file has more than ${LIMITS.diffedFileBytes} bytes` };
  const sides = await sidesOf(tree, base, change);
  if (sides === undefined) return { text: "", note: "the file is binary" };
  const { text, note } = unifiedDiff({ path: change.path, ...sides });
  return { text, ...(note === undefined ? {} : { note }), ...(sides.isExact ? { hunks: hunksIn(sides) } : {}) };
}

function hunksIn({ before, after }: ChangeSides): ChangeHunk[] {
  return diffHunks(before, after).map(({ id, oldStart, oldLines, newStart, newLines }) => ({
    id,
    old_start: oldStart,
    old_lines: oldLines,
    new_start: newStart,
    new_lines: newLines,
  }));
}

/** From the base to the source's file as it is now. Undefined: the session's filter would withhold that file. */
export async function sourceDiffOf({
  tree,
  base,
  change,
}: {
  readonly tree: OpenTree;
  readonly base: ChangeBase;
  readonly change: ComparedChange;
}): Promise<string | undefined> {
  const { record } = tree;
  const { path, source } = change;
  if ((source?.size ?? 0) > LIMITS.diffedFileBytes) return "";
  const now = source === undefined ? Buffer.alloc(0) : await readBeneath(record.source, path);
  const filters = record.mode === "snapshot" ? record.filters : [];
  if (!isShown(filters, path, now)) return undefined;
  const before = await base.read(path);
  if (isBinary(before) || isBinary(now)) return "";
  return unifiedDiff({ path, before: before.toString("utf8"), after: now.toString("utf8") }).text;
}

function isLarge({ before, after }: ComparedChange): boolean {
  return Math.max(before?.size ?? 0, after?.size ?? 0) > LIMITS.diffedFileBytes;
}

/** A change as two texts. */
export interface ChangeSides {
  readonly before: string;
  readonly after: string;
  /** The texts say all of the files' bytes, and both are files: a part of the change can be made. */
  readonly isExact: boolean;
}

/** Undefined: one of them is binary. */
export async function sidesOf(
  { workspace }: ChangedPlace,
  base: ChangeBase,
  change: Pick<ComparedChange, "path" | "before" | "after">,
): Promise<ChangeSides | undefined> {
  const { path, after } = change;
  const [old, now] = await Promise.all([
    base.read(path),
    after === undefined ? Buffer.alloc(0) : contentOf(workspace, path, after),
  ]);
  if (isBinary(old) || isBinary(now)) return undefined;
  const texts = { before: old.toString("utf8"), after: now.toString("utf8") };
  const areFiles = change.before?.kind !== "link" && after?.kind !== "link";
  const isExact = areFiles && Buffer.from(texts.before).equals(old) && Buffer.from(texts.after).equals(now);
  return { ...texts, isExact };
}

function isBinary(content: Buffer): boolean {
  return content.subarray(0, LOOKED_AT).includes(0);
}
