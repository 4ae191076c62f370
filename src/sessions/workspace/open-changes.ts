import { Failure, LIMITS, type ChangeSetFile } from "../../protocol/index.ts";
import {
  changeSetOf,
  compareWithSource,
  TreeBase,
  type ChangeSet,
  type ComparedChange,
  type OpenTree,
} from "../../workspaces/index.ts";
import type { Session } from "../core/session.ts";
import { countLines } from "./change-diff.ts";

/** A session's changes while its files are there. */
export interface OpenChanges extends ChangeSet {
  readonly session: Session;
  readonly tree: OpenTree;
  readonly base: TreeBase;
  /** Beside the source. */
  readonly compared: readonly ComparedChange[];
}

/** Looks at what a session changed. Its files are there until `work` has ended. */
export async function withChanges<Answer>(
  session: Session,
  work: (open: OpenChanges) => Promise<Answer>,
): Promise<Answer> {
  const { id, settings } = session.state;
  if (settings.source === undefined || settings.workspace_mode === "empty")
    throw new Failure(
      "unsupported",
      `session ${id} works in ${settings.workspace} itself: it has no changes to decide on`,
    );
  const { trees } = session.dependencies;
  const { tree, release } = await trees.use(id);
  try {
    const base = await TreeBase.open(tree, trees.snapshots);
    const changes = await changeSetOf(tree, base);
    const compared = await compareWithSource(tree.record.source, changes.changes);
    return await work({ ...changes, session, tree, base, compared });
  } finally {
    await release();
  }
}

/** The files of a change set with their lines counted. */
export async function changedFiles({ tree, base, compared }: OpenChanges): Promise<readonly ChangeSetFile[]> {
  const files: ChangeSetFile[] = [];
  let bytes = 0;
  for (const change of compared) {
    const { path, status, before, after, fit } = change;
    bytes += (before?.size ?? 0) + (after?.size ?? 0);
    const lines = await countLines(tree, base, { change, isPast: bytes > LIMITS.diffedBytes, of: compared.length });
    const isLink = before?.kind === "link" || after?.kind === "link";
    const hasOtherMode = before !== undefined && after !== undefined && before.executable !== after.executable;
    files.push({
      path,
      status,
      ...lines,
      ...(isLink ? { link: true } : {}),
      ...(hasOtherMode ? { executable: after.executable } : {}),
      ...(fit === "conflict" ? { conflict: true } : fit === "applied" ? { in_source: true } : {}),
    });
  }
  return files;
}

/** The lines of all files together. */
export function sumOf(files: readonly ChangeSetFile[]): { readonly additions: number; readonly deletions: number } {
  return {
    additions: files.reduce((sum, { additions }) => sum + additions, 0),
    deletions: files.reduce((sum, { deletions }) => sum + deletions, 0),
  };
}
