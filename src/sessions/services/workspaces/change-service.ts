import {
  defined,
  Failure,
  LIMITS,
  type ApplyChanges,
  type ChangeDiff,
  type ChangeList,
  type ChangesDone,
  type CommitChanges,
  type DiscardChanges,
} from "../../../protocol/index.ts";
import {
  applyChanges,
  commitChanges,
  commitInFolder,
  currentBranch,
  discardChanges,
  type ComparedChange,
} from "../../../workspaces/index.ts";
import { auditRow, authorize, authorizeFor, type Caller } from "../../access/access.ts";
import type { Session } from "../../core/session.ts";
import { refuseNewWork } from "../../core/storing.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { Registry } from "../../lifecycle/registry.ts";
import { settleReview, type DecidedChanges } from "../../permission/change-review.ts";
import { diffOf, sourceDiffOf } from "../../workspace/change-diff.ts";
import { chosenChanges } from "../../workspace/chosen-changes.ts";
import { commitMessage } from "../../workspace/commit-message.ts";
import { changedFiles, sumOf, withChanges, type OpenChanges } from "../../workspace/open-changes.ts";

/** How much of a commit's name people read. */
const COMMIT_CHARS = 10;

interface ChangeServiceParts {
  readonly dependencies: Dependencies;
  readonly registry: Registry;
}

/** For an answer to a review, which counts only while that one waits. */
interface Reviewed {
  /** The review's approval. Absent: this is no answer to one. */
  readonly review?: string | undefined;
}

interface DecisionWork extends Reviewed {
  readonly verb: DecidedChanges["verb"];
  /** Only parts of some files are meant. */
  readonly isPartial: boolean;
  readonly work: (open: OpenChanges) => Promise<ChangesDone>;
}

/** What sessions changed: looked at, and decided on as a whole, by file or by part of a file. */
export class ChangeService {
  readonly #parts: ChangeServiceParts;
  /** One decision at a time: two sessions may be for the same folder. */
  #deciding: Promise<unknown> = Promise.resolve();

  constructor(parts: ChangeServiceParts) {
    this.#parts = parts;
  }

  async list(caller: Caller, id: string): Promise<ChangeList> {
    const session = await this.#session(caller, "session.read", id);
    const { workspace, workspace_mode } = session.state.settings;
    if (workspace_mode === "empty") return nothingIn(id, workspace);
    return withChanges(session, (open) => this.#view(open));
  }

  async diff(caller: Caller, id: string, path: string): Promise<ChangeDiff> {
    const session = await this.#session(caller, "session.read", id);
    return withChanges(session, async ({ tree, base, compared }) => {
      const change = compared.find((known) => known.path === path);
      if (change === undefined) throw new Failure("not_found", `session ${id} did not change ${path}`);
      const { text, note, hunks } = await diffOf(tree, base, change);
      const diff = this.#parts.dependencies.redact.exact(text);
      const other = change.fit === "conflict" ? await this.#sourceDiff({ tree, base, change }) : {};
      return { path, status: change.status, diff, ...defined({ note, hunks }), ...other };
    });
  }

  /** Writes the changes into the source. With a conflict among them nothing is written. */
  async apply(caller: Caller, id: string, { review, ...wanted }: ApplyChanges & Reviewed): Promise<ChangesDone> {
    const work = async (open: OpenChanges): Promise<ChangesDone> => {
      const { own } = open;
      if (own === undefined)
        throw new Failure(
          "unsupported",
          `session ${id} works in ${open.tree.record.source} itself: its changes are there already; commit or discard them`,
        );
      const changes = await chosenChanges(open, wanted, "make");
      const conflicts = changes.filter(({ fit }) => fit === "conflict").map(({ path }) => path);
      if (conflicts.length > 0)
        throw new Failure(
          "conflict",
          `${conflicts.length} of these files changed in ${open.tree.record.source} since the session began, so nothing was applied; ` +
            "apply the others by naming them in paths, or commit all to a branch and merge it",
          { conflicts: conflicts.slice(0, LIMITS.withheldListed) },
        );
      await this.#audit(caller, open, { verb: "apply", changes });
      await applyChanges(open.tree, own, changes);
      return { paths: changes.map(({ path }) => path) };
    };
    return this.#decide(caller, id, { verb: "apply", review, isPartial: wanted.hunks !== undefined, work });
  }

  /**
   * Commits the changes on a branch of the source's repository. Its files and its index stay as they are; of a session that works in the
   * folder itself, the index gets what is committed on the branch that is checked out.
   */
  async commit(
    caller: Caller,
    id: string,
    { branch, message, review, ...wanted }: CommitChanges & Reviewed,
  ): Promise<ChangesDone> {
    const work = async (open: OpenChanges): Promise<ChangesDone> => {
      const changes = await chosenChanges(open, wanted, "make");
      await this.#audit(caller, open, { verb: "commit", changes, branch });
      const author = { name: caller.name, email: `${caller.id}@sallyport.localhost` };
      const at = this.#parts.dependencies.clock.now();
      const asked = { branch, message, author, at };
      const { tree, base } = open;
      const commit =
        open.own === undefined
          ? await commitInFolder({ tree, base, changes }, asked)
          : await commitChanges(tree, changes, asked);
      return { paths: changes.map(({ path }) => path), branch, commit };
    };
    return this.#decide(caller, id, { verb: "commit", review, isPartial: wanted.hunks !== undefined, work });
  }

  /** Puts the session's files back to what they were. The changes are gone. */
  async discard(caller: Caller, id: string, { review, ...wanted }: DiscardChanges & Reviewed): Promise<ChangesDone> {
    const work = async (open: OpenChanges): Promise<ChangesDone> => {
      const changes = await chosenChanges(open, wanted, "undo");
      await this.#audit(caller, open, { verb: "discard", changes });
      await discardChanges(open.tree, open.base, changes);
      return { paths: changes.map(({ path }) => path) };
    };
    return this.#decide(caller, id, { verb: "discard", review, isPartial: wanted.hunks !== undefined, work });
  }

  async #session(caller: Caller, capability: "session.read" | "changes.decide", id: string): Promise<Session> {
    authorize(caller, capability);
    const session = await this.#parts.registry.get(id);
    authorizeFor(caller, capability, { state: session.state, what: `session ${id}` });
    return session;
  }

  async #decide(caller: Caller, id: string, { verb, review, isPartial, work }: DecisionWork): Promise<ChangesDone> {
    const session = await this.#session(caller, "changes.decide", id);
    refuseNewWork(this.#parts.dependencies);
    const decided = this.#deciding.then(async () => {
      if (session.state.turn !== undefined)
        throw new Failure("conflict", `session ${id} is still working; wait for its turn to end, or interrupt it`);
      if (review !== undefined && session.state.review?.approval_id !== review)
        throw new Failure("already_answered", "this review was answered already");
      let isWhole = false;
      const done = await withChanges(session, async (open) => {
        const answer = await work(open);
        isWhole = answer.paths.length === open.compared.length && !isPartial;
        return answer;
      });
      await this.#settle(session, { verb, by: caller, said: inWords(verb, done), isWhole });
      return done;
    });
    this.#deciding = decided.catch(() => undefined);
    return decided;
  }

  /** It is done already: that the inbox could not be told must not look like a failure of it. */
  async #settle(session: Session, decided: DecidedChanges): Promise<void> {
    const { log } = this.#parts.dependencies;
    await settleReview(session, decided).catch((error: unknown) => {
      log.warn({ session: session.state.id, err: error }, "a review could not be settled");
    });
  }

  async #view(open: OpenChanges): Promise<ChangeList> {
    const { session, tree, compared, revision, notIncluded } = open;
    const { record } = tree;
    const files = await changedFiles(open);
    const withheld =
      record.mode === "snapshot" ? await this.#parts.dependencies.trees.snapshots.withheld(record.base) : [];
    return {
      session_id: session.state.id,
      workspace_mode: record.mode,
      source: record.source,
      files: [...files],
      ...sumOf(files),
      conflicts: compared.filter(({ fit }) => fit === "conflict").length,
      revision,
      ...defined({ commit: record.repository?.head, branch: record.mode === "worktree" ? record.branch : undefined }),
      withheld: withheld.slice(0, LIMITS.withheldListed).map(({ path, because }) => ({ path, because })),
      withheld_count: withheld.length,
      not_included: notIncluded.slice(0, LIMITS.withheldListed),
      ...defined({
        unknown: open.unknown,
        proposed_message: files.length === 0 ? undefined : commitMessage(session.state.title, files),
        current_branch: await branchIn(record),
      }),
    };
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
    decided: {
      readonly verb: DecidedChanges["verb"];
      readonly changes: readonly ComparedChange[];
      readonly branch?: string;
    },
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

/** The branch that a folder is on, for a session that works there itself. */
async function branchIn({ mode, repository }: OpenChanges["tree"]["record"]): Promise<string | undefined> {
  return mode === "direct" && repository !== undefined ? currentBranch(repository.root) : undefined;
}

function inWords(verb: DecidedChanges["verb"], { paths, branch, commit = "" }: ChangesDone): string {
  const files = `${paths.length} ${paths.length === 1 ? "file" : "files"}`;
  switch (verb) {
    case "apply":
      return `Applied ${files}.`;
    case "commit":
      return `Committed ${files} on the branch ${branch ?? ""} (${commit.slice(0, COMMIT_CHARS)}).`;
    case "discard":
      return `Discarded the changes of ${files}.`;
  }
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
