import { Failure, LIMITS, type ChangeSetFile } from "../../protocol/index.ts";
import {
  changeSetOf,
  changesSince,
  compareWithSource,
  repositoryOf,
  TreeBase,
  type Change,
  type ChangeBase,
  type ChangeSet,
  type ComparedChange,
  type OpenTree,
} from "../../workspaces/index.ts";
import type { Session } from "../core/session.ts";
import { countLines } from "./change-diff.ts";
import type { OpenedRecording } from "./session-recording.ts";

/** A session's changes while its files are there. */
export interface OpenChanges extends ChangeSet {
  readonly session: Session;
  readonly tree: OpenTree;
  readonly base: ChangeBase;
  /** The base of a worktree or a snapshot. Absent: the session works in the folder itself. */
  readonly own?: TreeBase | undefined;
  /** Beside the source. */
  readonly compared: readonly ComparedChange[];
  /** What is not known of the changes; absent: everything is. */
  readonly unknown?: string | undefined;
}

/** Looks at what a session changed. Its files are there until `work` has ended. */
export async function withChanges<Answer>(
  session: Session,
  work: (open: OpenChanges) => Promise<Answer>,
): Promise<Answer> {
  const { id, settings } = session.state;
  if (settings.workspace_mode === "empty")
    throw new Failure("unsupported", `session ${id} works in a folder of its own: it has no changes to decide on`);
  if (settings.source === undefined)
    return session.recording.use(async (opened) => work(await directChanges(session, opened)));
  const { trees } = session.dependencies;
  const { tree, release } = await trees.use(id);
  try {
    const own = await TreeBase.open(tree, trees.snapshots);
    const changes = await changeSetOf(tree, own);
    const compared = await compareWithSource(tree.record.source, changes.changes);
    return await work({ ...changes, session, tree, base: own, own, compared });
  } finally {
    await release();
  }
}

/** Changes that are where they are for. */
export function inPlace(changes: readonly Change[]): readonly ComparedChange[] {
  return changes.map(({ path, status, before, after }) => ({
    path,
    status,
    before,
    after,
    source: after,
    fit: "clean",
  }));
}

/** A repository that may not be read counts as none. A disk that is full does not make one disappear. */
function noneWhereRefused(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error;
}

const SINCE_START = "Compared with the folder as it was before the session's first tool that could change something.";
const NOT_LOOKED_AT =
  "Other people and sessions may have changed files here too; files that a .gitignore names, repositories inside the folder and files whose names promise secrets are not looked at.";

/** What changed in the folder that a session shares with everybody else. */
async function directChanges(session: Session, { place, book, problem }: OpenedRecording): Promise<OpenChanges> {
  const { id, settings } = session.state;
  const { workspace } = settings;
  const repository = await repositoryOf(workspace).catch(noneWhereRefused);
  const { head } = repository ?? {};
  const tree: OpenTree = {
    id,
    folder: place.folder,
    workspace,
    record: {
      mode: "direct",
      source: workspace,
      commits: book?.commits ?? {},
      ...(repository === undefined || head === undefined ? {} : { repository: { ...repository, head } }),
    },
  };
  if (book === undefined) {
    const unknown = problem === undefined ? undefined : `What the session changed is not known: ${problem}`;
    const base = { read: () => Promise.resolve(Buffer.alloc(0)) };
    return { session, tree, base, changes: [], compared: [], revision: "", notIncluded: [], unknown };
  }
  const { changes, base, revision } = await changesSince(place, book.start.tree);
  const compared = inPlace(changes);
  const since =
    book.late === undefined
      ? SINCE_START
      : `Compared with the folder as it was at ${new Date(book.start.at).toISOString()}: what the session changed before that could not be recorded.`;
  const large = book.large.length === 0 ? "" : ` ${book.large.length} large files are not looked at either.`;
  return {
    session,
    tree,
    base,
    changes,
    compared,
    revision,
    notIncluded: [],
    unknown: `${since} ${NOT_LOOKED_AT}${large}`,
  };
}

/** The files of a change set with their lines counted. */
export async function changedFiles({
  tree,
  base,
  compared,
}: Pick<OpenChanges, "base" | "compared"> & { readonly tree: Pick<OpenTree, "workspace"> }): Promise<
  readonly ChangeSetFile[]
> {
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
