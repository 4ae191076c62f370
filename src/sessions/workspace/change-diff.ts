import { LIMITS, type ChangeSetFile } from "../../protocol/index.ts";
import { unifiedDiff, type UnifiedDiff } from "../../tools/index.ts";
import {
  contentOf,
  isShown,
  readBeneath,
  type ComparedChange,
  type OpenTree,
  type TreeBase,
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

export async function countLines(tree: OpenTree, base: TreeBase, counted: CountedChange): Promise<ChangedLines> {
  if (counted.isPast || isLarge(counted.change)) return { additions: 0, deletions: 0, large: true };
  const sides = await sidesOf(tree, base, counted.change);
  if (sides === undefined) return { additions: 0, deletions: 0, binary: true };
  const { added, removed } = unifiedDiff({ path: "", ...sides, of: counted.of });
  return { additions: added, deletions: removed };
}

/** From the base to the session's file. */
export async function diffOf(
  tree: OpenTree,
  base: TreeBase,
  change: ComparedChange,
): Promise<Pick<UnifiedDiff, "text" | "note">> {
  if (isLarge(change)) return { text: "", note: `the file has more than ${LIMITS.diffedFileBytes} bytes` };
  const sides = await sidesOf(tree, base, change);
  if (sides === undefined) return { text: "", note: "the file is binary" };
  return unifiedDiff({ path: change.path, ...sides });
}

/** From the base to the source's file as it is now. Undefined: the session's filter would withhold that file. */
export async function sourceDiffOf({
  tree,
  base,
  change,
}: {
  readonly tree: OpenTree;
  readonly base: TreeBase;
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

/** Undefined: one of them is binary. */
async function sidesOf(
  { workspace }: OpenTree,
  base: TreeBase,
  { path, after }: ComparedChange,
): Promise<{ readonly before: string; readonly after: string } | undefined> {
  const [old, now] = await Promise.all([
    base.read(path),
    after === undefined ? Buffer.alloc(0) : contentOf(workspace, path, after),
  ]);
  if (isBinary(old) || isBinary(now)) return undefined;
  return { before: old.toString("utf8"), after: now.toString("utf8") };
}

function isBinary(content: Buffer): boolean {
  return content.subarray(0, LOOKED_AT).includes(0);
}
