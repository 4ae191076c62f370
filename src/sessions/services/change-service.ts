import {
  defined,
  Failure,
  LIMITS,
  type ApplyChanges,
  type ChangeDiff,
  type ChangeSetFile,
  type ChangeList,
  type ChangesDone,
  type CommitChanges,
  type DiscardChanges,
} from "../../protocol/index.ts";
import {
  applyChanges,
  changeSetOf,
  commitChanges,
  compareWithSource,
  discardChanges,
  TreeBase,
  type ChangeSet,
  type ComparedChange,
  type OpenTree,
} from "../../workspaces/index.ts";
import { auditRow, authorize, authorizeFor, type Caller } from "../access/access.ts";
import type { Session } from "../core/session.ts";
import { refuseNewWork } from "../core/storing.ts";
import type { Dependencies } from "../dependencies.ts";
import type { Registry } from "../lifecycle/registry.ts";
import { countLines, diffOf, sourceDiffOf } from "../workspace/change-diff.ts";

interface ChangeServiceParts {
  readonly dependencies: Dependencies;
  readonly registry: Registry;
}

/** A session's changes while its files are there. */
interface OpenChanges extends ChangeSet {
  readonly session: Session;
  readonly tree: OpenTree;
  readonly base: TreeBase;
  /** Beside the source. */
  readonly compared: readonly ComparedChange[];
}

type Verb = "apply" | "commit" | "discard";

/** What sessions changed in their worktrees and snapshots: looked at, and decided on as a whole. */
export class ChangeService {
  readonly #parts: ChangeServiceParts;
  /** One decision at a time: two sessions may be for the same folder. */
  #deciding: Promise<unknown> = Promise.resolve();

  constructor(parts: ChangeServiceParts) {
    this.#parts = parts;
  }

  async list(caller: Caller, id: string): Promise<ChangeList> {
    const session = await this.#session(caller, "session.read", id);
    const { workspace, source } = session.state.settings;
    if (source === undefined) return nothingIn(id, workspace);
    return this.#open(session, (open) => this.#view(open));
  }

  async diff(caller: Caller, id: string, path: string): Promise<ChangeDiff> {
    const session = await this.#session(caller, "session.read", id);
    return this.#open(session, async ({ tree, base, compared }) => {
      const change = compared.find((known) => known.path === path);
      if (change === undefined) throw new Failure("not_found", `session ${id} did not change ${path}`);
      const { text, note } = await diffOf(tree, base, change);
      const diff = this.#parts.dependencies.redact.exact(text);
      const other = change.fit === "conflict" ? await this.#sourceDiff({ tree, base, change }) : {};
      return { path, status: change.status, diff, ...defined({ note }), ...other };
    });
  }

  /** Writes the changes into the source. With a conflict among them nothing is written. */
  async apply(caller: Caller, id: string, wanted: ApplyChanges): Promise<ChangesDone> {
    return this.#decide(caller, id, async (open) => {
      const changes = chosenOf(open, wanted);
      const conflicts = changes.filter(({ fit }) => fit === "conflict").map(({ path }) => path);
      if (conflicts.length > 0)
        throw new Failure(
          "conflict",
          `${conflicts.length} of these files changed in ${open.tree.record.source} since the session began, so nothing was applied; ` +
            "apply the others by naming them in paths, or commit all to a branch and merge it",
          { conflicts: conflicts.slice(0, LIMITS.withheldListed) },
        );
      await this.#audit(caller, open, { verb: "apply", changes });
      await applyChanges(open.tree, open.base, changes);
      return { paths: changes.map(({ path }) => path) };
    });
  }

  /** Commits the changes on a branch of the source's repository. Its files and its index stay as they are. */
  async commit(caller: Caller, id: string, { branch, message, ...wanted }: CommitChanges): Promise<ChangesDone> {
    return this.#decide(caller, id, async (open) => {
      const changes = chosenOf(open, wanted);
      await this.#audit(caller, open, { verb: "commit", changes, branch });
      const author = { name: caller.name, email: `${caller.id}@sallyport.localhost` };
      const at = this.#parts.dependencies.clock.now();
      const commit = await commitChanges(open.tree, changes, { branch, message, author, at });
      return { paths: changes.map(({ path }) => path), branch, commit };
    });
  }

  /** Puts the session's files back to what they were. The changes are gone. */
  async discard(caller: Caller, id: string, wanted: DiscardChanges): Promise<ChangesDone> {
    return this.#decide(caller, id, async (open) => {
      const changes = chosenOf(open, wanted);
      await this.#audit(caller, open, { verb: "discard", changes });
      await discardChanges(open.tree, open.base, changes);
      return { paths: changes.map(({ path }) => path) };
    });
  }

  async #session(caller: Caller, capability: "session.read" | "changes.decide", id: string): Promise<Session> {
    authorize(caller, capability);
    const session = await this.#parts.registry.get(id);
    authorizeFor(caller, capability, { state: session.state, what: `session ${id}` });
    return session;
  }

  async #open<Answer>(session: Session, work: (open: OpenChanges) => Promise<Answer>): Promise<Answer> {
    const { id, settings } = session.state;
    if (settings.source === undefined)
      throw new Failure(
        "unsupported",
        `session ${id} works in ${settings.workspace} itself: it has no changes to decide on`,
      );
    const { trees } = this.#parts.dependencies;
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

  async #decide(caller: Caller, id: string, work: (open: OpenChanges) => Promise<ChangesDone>): Promise<ChangesDone> {
    const session = await this.#session(caller, "changes.decide", id);
    refuseNewWork(this.#parts.dependencies);
    const decided = this.#deciding.then(() => {
      if (session.state.turn !== undefined)
        throw new Failure("conflict", `session ${id} is still working; wait for its turn to end, or interrupt it`);
      return this.#open(session, work);
    });
    this.#deciding = decided.catch(() => undefined);
    return decided;
  }

  async #view(open: OpenChanges): Promise<ChangeList> {
    const { session, tree, compared, revision, notIncluded } = open;
    const { record } = tree;
    const files = await this.#files(open);
    const withheld =
      record.mode === "snapshot" ? await this.#parts.dependencies.trees.snapshots.withheld(record.base) : [];
    return {
      session_id: session.state.id,
      workspace_mode: record.mode,
      source: record.source,
      files: [...files],
      additions: files.reduce((sum, { additions }) => sum + additions, 0),
      deletions: files.reduce((sum, { deletions }) => sum + deletions, 0),
      conflicts: compared.filter(({ fit }) => fit === "conflict").length,
      revision,
      ...defined({ commit: record.repository?.head, branch: record.mode === "worktree" ? record.branch : undefined }),
      withheld: withheld.slice(0, LIMITS.withheldListed).map(({ path, because }) => ({ path, because })),
      withheld_count: withheld.length,
      not_included: notIncluded.slice(0, LIMITS.withheldListed),
    };
  }

  async #files({ tree, base, compared }: OpenChanges): Promise<readonly ChangeSetFile[]> {
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

  async #sourceDiff(
    parts: Pick<OpenChanges, "tree" | "base"> & { readonly change: ComparedChange },
  ): Promise<Pick<ChangeDiff, "source_diff" | "source_withheld">> {
    const { trees, redact } = this.#parts.dependencies;
    const { record } = parts.tree;
    const withheld = record.mode === "snapshot" ? await trees.snapshots.withheld(record.base) : [];
    const isWithheld = withheld.some(({ path }) => path === parts.change.path);
    const text = isWithheld ? undefined : await sourceDiffOf(parts);
    return text === undefined ? { source_withheld: true } : { source_diff: redact.exact(text) };
  }

  /** Before the effect: nothing happens unseen. */
  async #audit(
    caller: Caller,
    { session, revision }: OpenChanges,
    decided: { readonly verb: Verb; readonly changes: readonly ComparedChange[]; readonly branch?: string },
  ): Promise<void> {
    const { dependencies } = this.#parts;
    const { id, settings } = session.state;
    const paths = decided.changes.map(({ path }) => path);
    const details = {
      source: settings.source,
      revision,
      files: paths.length,
      paths: paths.slice(0, LIMITS.withheldListed),
      ...defined({ branch: decided.branch }),
    };
    const row = auditRow(dependencies, caller, { action: `changes.${decided.verb}`, target: id, details });
    await dependencies.store.commit({ audit: [row] });
  }
}

/** The changes that were asked for, or a Failure if they are no longer those that were looked at. */
function chosenOf(
  { compared, revision }: OpenChanges,
  { paths, revision: seen }: ApplyChanges,
): readonly ComparedChange[] {
  if (seen !== undefined && seen !== revision)
    throw new Failure("input_changed", "the changes are no longer those that you were shown; look at them again");
  const wanted = paths === undefined ? undefined : new Set(paths);
  for (const path of wanted ?? [])
    if (!compared.some((change) => change.path === path))
      throw new Failure("invalid_request", `the session has not changed ${path}`);
  const chosen = wanted === undefined ? compared : compared.filter(({ path }) => wanted.has(path));
  if (chosen.length === 0) throw new Failure("conflict", "the session has changed nothing");
  return chosen;
}

/** Of a session that works in the folder itself. */
function nothingIn(id: string, workspace: string): ChangeList {
  return {
    session_id: id,
    workspace_mode: "direct",
    source: workspace,
    files: [],
    additions: 0,
    deletions: 0,
    conflicts: 0,
    revision: "",
    withheld: [],
    withheld_count: 0,
    not_included: [],
  };
}
