import {
  defined,
  Failure,
  LIMITS,
  REVIEW_TOOL,
  textWarnings,
  type Approval,
  type ChangeSetFile,
  type PrincipalRef,
  type ReviewPreview,
  type Warning,
} from "../../protocol/index.ts";
import { addedLines } from "../../tools/index.ts";
import { auditRow } from "../access/access.ts";
import type { Session } from "../core/session.ts";
import { nextInQueue } from "../core/state.ts";
import { diffOf } from "../workspace/change-diff.ts";
import { changedFiles, sumOf, withChanges, type OpenChanges } from "../workspace/open-changes.ts";
import { inputHash } from "./permit.ts";

type ReviewedFile = ReviewPreview["files"][number];

const HIDDEN: Warning = {
  kind: "hidden",
  message: "A part of the changes is a secret that the server knows; it is not shown.",
};
const NOTHING_LEFT = "Nothing is left to decide.";

/** Asks a person to review everything that a session changed, when a turn has ended. Nothing waits for it. */
export class ChangeReviews {
  readonly #session: Session;
  #looking: Promise<void> | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  get isBusy(): boolean {
    return this.#looking !== undefined;
  }

  /** Checks whether there is something to ask about. One check at a time, so that none asks twice. */
  look(): void {
    this.#session.recording.look();
    if (this.#session.state.review_due === undefined) return;
    const looking = (this.#looking ?? Promise.resolve())
      .then(() => reviewWhenDue(this.#session))
      // The server stops: the next start checks again.
      .catch(() => undefined)
      .then(() => {
        if (this.#looking === looking) this.#looking = undefined;
      });
    this.#looking = looking;
  }
}

async function reviewWhenDue(session: Session): Promise<void> {
  const turn_id = session.state.review_due;
  if (turn_id === undefined || goesOn(session)) return;
  try {
    await ask(session, turn_id);
  } catch (error) {
    if (session.state.review_due !== turn_id || goesOn(session)) return;
    const { dependencies, state } = session;
    if (!(error instanceof Failure))
      dependencies.log.error({ session: state.id, err: error }, "changes could not be reviewed");
    const why = error instanceof Failure ? error.message : "the server's log says why";
    await session.execute({ type: "notice", message: `The changes cannot be shown for a review: ${why}` });
    await session.execute({ type: "reviewed", revision: "", why });
  }
}

/** Another turn is open or about to begin: its end is soon enough. */
function goesOn({ state }: Session): boolean {
  return state.turn !== undefined || (nextInQueue(state) !== undefined && !state.paused);
}

/** Asks again if the changes are no longer those that the waiting review shows. True: they have changed. */
export async function reviewAgain(session: Session): Promise<boolean> {
  const { review } = session.state;
  if (review === undefined) return false;
  const turn_id = session.questions.get(review.approval_id)?.turn_id ?? "";
  return ask(session, turn_id);
}

async function ask(session: Session, turn_id: string): Promise<boolean> {
  return withChanges(session, async (open) => {
    const { review, reviewed } = session.state;
    const { revision, compared } = open;
    if (review?.revision === revision) return false;
    if (compared.length === 0 || revision === reviewed) {
      await session.execute({ type: "reviewed", revision, why: NOTHING_LEFT });
      return true;
    }
    const approval = await reviewOf(open, { turn_id, replaces: review?.approval_id });
    await session.execute({ type: "ask", approval });
    return true;
  });
}

async function reviewOf(
  open: OpenChanges,
  { turn_id, replaces }: { readonly turn_id: string; readonly replaces: string | undefined },
): Promise<Approval> {
  const { dependencies, state } = open.session;
  const input = { action: "apply", revision: open.revision };
  const preview = await previewOf(open);
  const isWhole = dependencies.redact.exact(JSON.stringify(preview)) === JSON.stringify(preview);
  return {
    id: dependencies.newId("apr"),
    session_id: state.id,
    turn_id,
    item_id: "",
    tool: REVIEW_TOOL,
    tool_use_id: `review_${dependencies.newId("item")}`,
    tier: "write",
    input,
    input_hash: inputHash(REVIEW_TOOL, input),
    preview,
    ...defined({ replaces }),
    warnings: [...(isWhole ? [] : [HIDDEN]), ...warningsIn(preview)],
    reason: "This session's changes are reviewed at the end: nobody was asked about each of them.",
    // No program waits for the answer: it stays open until somebody gives one.
    unattended: "park",
    created_at: new Date(dependencies.clock.now()).toISOString(),
    status: "pending",
  };
}

async function previewOf(open: OpenChanges): Promise<ReviewPreview> {
  const files = await changedFiles(open);
  const { additions, deletions } = sumOf(files);
  const { source, repository } = open.tree.record;
  const shown = await withDiffs(open, files);
  const isCut = shown.length < files.length || shown.some(isLeftOut);
  const count = `${files.length} ${files.length === 1 ? "file" : "files"}`;
  return {
    type: "changes",
    summary: `${count} changed, +${additions} −${deletions}, for ${source}`,
    source,
    files: [...shown],
    file_count: files.length,
    additions,
    deletions,
    conflicts: files.filter(({ conflict }) => conflict === true).length,
    ...defined({ commit: repository?.head }),
    ...(isCut ? { cut: true as const } : {}),
  };
}

/** The first files with their diffs, as far as these fit. A diff is whole or left out. */
async function withDiffs(
  { tree, base, compared }: OpenChanges,
  files: readonly ChangeSetFile[],
): Promise<readonly ReviewedFile[]> {
  const shown: ReviewedFile[] = [];
  let left: number = LIMITS.reviewDiffChars;
  for (const file of files.slice(0, LIMITS.reviewFiles)) {
    const change = compared.find(({ path }) => path === file.path);
    const { text, note } = left === 0 || change === undefined ? NO_DIFF : await diffOf(tree, base, change);
    const fits = text !== "" && note === undefined && text.length <= left;
    // After the first file that does not fit, no other is compared.
    left = fits ? left - text.length : text === "" ? left : 0;
    shown.push(fits ? { ...file, diff: text } : file);
  }
  return shown;
}

const NO_DIFF = { text: "", note: undefined } as const;

/** Lines differ that are not shown here. */
function isLeftOut({ diff, additions, deletions, large }: ReviewedFile): boolean {
  return diff === undefined && (large === true || additions + deletions > 0);
}

function warningsIn(preview: ReviewPreview): readonly Warning[] {
  const added = preview.files.map(({ diff = "" }) => addedLines(diff)).join("\n");
  const paths = preview.files.map(({ path }) => path).join(" ");
  return [...textWarnings("A path", paths, "command"), ...textWarnings("The new text", added, "content")]
    .slice(0, LIMITS.warningsPerCommand)
    .map((message) => ({ kind: "dangerous", message }));
}

/** What a person did with a session's changes. */
export interface DecidedChanges {
  readonly verb: "apply" | "commit" | "discard";
  readonly by: PrincipalRef;
  /** In words, for the journal. */
  readonly said: string;
  /** Nothing was left out. */
  readonly isWhole: boolean;
}

/** The waiting review was decided on, wherever that was done: it leaves the inbox. What is left is asked about again. */
export async function settleReview(session: Session, { verb, by, said, isWhole }: DecidedChanges): Promise<void> {
  const { review } = session.state;
  if (review === undefined) return;
  if (!isWhole) {
    await reviewAgain(session);
    return;
  }
  const { approval_id } = review;
  const details = { session_id: session.state.id, tool: REVIEW_TOOL, decision: "approve", action: verb };
  const audit = [auditRow(session.dependencies, by, { action: "approval.decide", target: approval_id, details })];
  await session.answer({ approval_id, outcome: "approved", by, feedback: said }, { audit });
}
