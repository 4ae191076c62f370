import { createHash } from "node:crypto";
import type { ToolCall, Verdict } from "../../engines/index.ts";
import { OWN_PAGE_RULE, PLAN_RULE, READING_RULE, sessionRules } from "../../gate/index.ts";
import {
  canonicalJson,
  defined,
  editedToolItem,
  Failure,
  isToolItem,
  LIMITS,
  QUESTION_TOOL,
  SYSTEM,
  toolFacts,
  USER_REJECTED,
  type Approval,
  type OfferedRule,
  type PlannedChange,
  type Ruling,
  type ToolItem,
} from "../../protocol/index.ts";
import { isSamePlan, type ApprovedRun } from "../../tools/index.ts";
import type { PermittedCall } from "./permitted-calls.ts";
import { CHANGED_SINCE_SHOWN, isSameCommand, planError, planOf, shownIn, shownParts } from "./plans.ts";
import { ruledByHooks } from "./repository-hooks.ts";
import { ruleOn, type Ruled } from "./ruling.ts";
import { withHooks } from "./tool-hooks.ts";
import type { LoadedInstructions } from "../../instructions/index.ts";
import type { SessionInstructions } from "../workspace/session-instructions.ts";
import type { RepositoryTrust } from "../mcp/repository-trust.ts";
import type { Questions } from "../core/questions.ts";
import type { Session } from "../core/session.ts";
import type { Dependencies } from "../dependencies.ts";
import type { QuestionedCall } from "../core/state.ts";

const RESTARTED =
  "The server stopped while this tool ran, so its outcome is unknown. It was not run again: check what it did before you repeat it.";

const SECRET_LOST =
  "This call held a secret, which is not kept across a restart of the server, so it was not run. Do it without the secret.";

const KEEPS_CHANGING =
  "What this call would change has changed each time that it was approved, so it was not run. Look at it again before you repeat the call.";

/** These allow what was proven for the call when it was examined. That must still hold when it runs. */
const ON_PROOF: ReadonlySet<string> = new Set([READING_RULE, OWN_PAGE_RULE]);

/** What a decision on a call needs of its session. */
export interface PermittingSession extends Pick<
  Session,
  | "state"
  | "execute"
  | "answer"
  | "answered"
  | "environment"
  | "unpaused"
  | "resumedTurn"
  | "questions"
  | "permitted"
  | "activity"
  | "recording"
> {
  readonly instructions: { readonly current: Pick<LoadedInstructions, "repository"> } & Pick<
    SessionInstructions,
    "nested" | "told"
  >;
  readonly servers: { readonly trust: Pick<RepositoryTrust, "approved"> };
  readonly dependencies: Pick<Dependencies, "clock" | "hooks" | "newId" | "policy" | "reach" | "redact" | "store">;
}

/** SHA-256 over tool and input with sorted keys: what an answer must name. */
export function inputHash(tool: string, input: Readonly<Record<string, unknown>>): string {
  return createHash("sha256")
    .update(canonicalJson([tool, input]))
    .digest("hex");
}

/** A call as the gate and people see it. */
export interface DecidedCall extends ToolCall {
  readonly tool: string;
  readonly tool_use_id: string;
}

/** A call that is being decided on. */
interface CallDecision {
  readonly item: ToolItem;
  readonly call: DecidedCall;
  readonly effectful: boolean;
  readonly signal: AbortSignal;
  /** Its place among calls that came together. Absent: it is decided again, alone. */
  readonly place?: ReturnType<Questions["enter"]> | undefined;
}

/**
 * Steps 1 to 7 of the pipeline for one call of the running turn: the gate's ruling, and a person's decision if the ruling
 * asks for one.
 */
export async function permit(session: PermittingSession, asked: ToolCall, signal: AbortSignal): Promise<Verdict> {
  if (session.state.turn === undefined || signal.aborted) return denied("Interrupted.", "interrupted");
  const { tool, tool_use_id } = itemOf(session, asked);
  await clientToolIsBack(session, tool, signal);
  const input = tool === QUESTION_TOOL ? unanswered(asked.input) : asked.input;
  const call = { ...asked, tool, tool_use_id, input };
  const place = session.questions.enter();
  try {
    return await decide(session, { call, place }, signal);
  } finally {
    place.pass();
  }
}

/**
 * After a restart a page needs a moment to declare its tools again. Its calls wait for it as long as they would wait for a lost
 * connection.
 */
async function clientToolIsBack(session: PermittingSession, tool: string, signal: AbortSignal): Promise<void> {
  if (session.resumedTurn === undefined || session.resumedTurn !== session.state.turn?.id) return;
  const { toolbox } = await session.environment();
  if (!tool.startsWith("mcp__") || toolbox.traits(tool).known) return;
  const late = new AbortController();
  const cancel = session.dependencies.clock.after(LIMITS.pageGraceMs, () => late.abort());
  await toolbox.whenRegistered(tool, AbortSignal.any([signal, late.signal]));
  cancel();
}

async function decide(
  session: PermittingSession,
  { call, place }: Pick<CallDecision, "call" | "place">,
  signal: AbortSignal,
): Promise<Verdict> {
  const { dependencies } = session;
  dependencies.reach("tool.announced");
  await session.unpaused(signal);
  await session.activity.hold(signal);
  const turn = session.state.turn;
  if (turn === undefined || signal.aborted) return denied("Interrupted.", "interrupted");
  const item = itemOf(session, call);
  const ruled = await narrowed(session, { call, signal }, await rule(session, call));
  dependencies.reach("tool.ruled");
  const effectful = hasEffects(call.tool, ruled.facts.tier);
  if (effectful && call.notRun !== true && turn.running.includes(item.id)) return denied(RESTARTED, "interrupted");
  const question = await questionOf(session, call);
  if (question === "changed") return denied(SECRET_LOST, "failed");
  return settle(session, { item, call, effectful, signal, place }, { ruled, question });
}

/** Decides again on a permitted call, because something had changed before it ran. It has not run. */
export async function permitAgain(
  session: PermittingSession,
  permitted: PermittedCall,
  signal: AbortSignal,
): Promise<Verdict> {
  const { call, effectful, approval_id } = permitted;
  const item = itemOf(session, call);
  return settle(
    session,
    { item, call, effectful, signal },
    { ruled: await rule(session, call), replaces: approval_id },
  );
}

async function rule(
  session: PermittingSession,
  { tool, input, foreign }: Pick<DecidedCall, "tool" | "input" | "foreign">,
): Promise<Ruled> {
  const { id: session_id, settings, grants, created_by, token } = session.state;
  const { hooks, clock, policy } = session.dependencies;
  const { repository } = session.instructions.current;
  const ruled = await ruleOn(
    { tool, input, foreign, settings, grants, created_by, token, repository },
    policy(),
    await session.environment(),
  );
  return withHooks(ruled, { session_id, workspace: settings.workspace, hooks, clock });
}

/** Hooks of the repository may refuse what the gate allows, or have a person asked. */
async function narrowed(
  session: PermittingSession,
  { call, signal }: Pick<CallDecision, "call" | "signal">,
  ruled: Ruled,
): Promise<Ruled> {
  if (ruled.ruling.effect === "deny") return ruled;
  const ruling = await ruledByHooks(session, call, signal);
  return ruling === undefined || (ruling.effect === "ask" && ruled.ruling.effect === "ask")
    ? ruled
    : { ...ruled, ruling };
}

interface Standpoint {
  readonly ruled: Ruled;
  /** The question, if it was already asked. */
  readonly question?: QuestionedCall | undefined;
  /** The approval whose preview is outdated: then a person is asked whatever the gate says. */
  readonly replaces?: string | undefined;
}

/** Rules, asks and checks again until the decision matches the current state. */
async function settle(session: PermittingSession, deciding: CallDecision, from: Standpoint): Promise<Verdict> {
  const { call, signal, place } = deciding;
  let { ruled, question, replaces } = from;
  for (let round = 0; round <= LIMITS.changedQuestions; round += 1) {
    if (question === undefined) {
      const { effect } = ruled.ruling;
      if (effect === "deny") return refusedBy(call.tool, ruled);
      if (effect === "allow" && replaces === undefined) {
        place?.pass();
        await call.ready;
        if (signal.aborted) return denied("Interrupted.", "interrupted");
        return letRun(session, deciding, { input: call.input, ruled });
      }
      const asked = await ask(session, { call, ruled, replaces, turn: place?.turn });
      place?.pass();
      if (asked !== undefined && "effect" in asked) return asked;
      question = asked;
    }
    if (question !== undefined) {
      place?.pass();
      const answer = await answerTo(session, question, call, signal);
      if (answer.outcome !== "approved" && answer.changed !== true) return refusedByAnswer(answer);
      // So that the comparison below happens right before the call runs.
      if (answer.outcome === "approved") {
        await call.ready;
        await clientToolIsBack(session, call.tool, signal);
      }
      if (signal.aborted) return denied("Interrupted.", "interrupted");
      const verdict = answer.outcome === "approved" ? await runAsShown(session, deciding, question) : undefined;
      if (verdict !== undefined) return verdict;
      replaces = question.approval_id;
      question = undefined;
    }
    ruled = await rule(session, call);
  }
  return denied(KEEPS_CHANGING, "failed");
}

/** Lets an approved call run if it still does what was shown and the gate still allows it. Undefined: it would do something else. */
async function runAsShown(
  session: PermittingSession,
  deciding: CallDecision,
  question: QuestionedCall,
): Promise<Verdict | undefined> {
  const { call, signal } = deciding;
  // Read again: the answer came while this waited.
  const { answer } = session.state.turn?.asked[call.tool_use_id] ?? question;
  const edited = answer?.updated_input;
  const input = edited ?? call.input;
  const allowed = await rule(session, { tool: call.tool, input });
  // The hooks of the repository saw the call before the person changed it.
  const ruled = edited === undefined ? allowed : await narrowed(session, { call: { ...call, input }, signal }, allowed);
  if (ruled.ruling.effect === "deny") return refusedBy(call.tool, ruled);
  const shown = edited === undefined ? question.planned : answer?.planned;
  if (!isSamePlan(shown, await planOf(session, ruled))) return undefined;
  if (shown !== undefined && !isJudged(shown, ruled)) return undefined;
  const { approval_id } = question;
  const approval = await session.dependencies.store.read.approval(approval_id);
  if (approval !== undefined && !(await isSameCommand(session, { approval, input }))) return undefined;
  if (approval !== undefined && approval.definition !== ruled.facts.definition) return undefined;
  const parts = approval === undefined ? undefined : shownParts(approval, input);
  return letRun(session, deciding, { input, edited, ruled, approval_id, approved: { planned: shown, parts } });
}

/** Whether the gate ruled on the file that the plan writes. */
function isJudged({ real_path }: PlannedChange, { call }: Ruled): boolean {
  return call.paths.every(({ access, real }) => access === "read" || real === real_path);
}

/** Waits for the answer to a question. The question is withdrawn when nobody waits any more. */
async function answerTo(
  session: PermittingSession,
  { approval_id }: QuestionedCall,
  { tool_use_id }: DecidedCall,
  signal: AbortSignal,
): Promise<NonNullable<QuestionedCall["answer"]>> {
  const withdraw = (): void => {
    // It may have been answered at the same moment, or the server stops: then it stays as it is.
    session.answer({ approval_id, outcome: "cancelled", by: SYSTEM }).catch(() => undefined);
  };
  const answered = session.answered(approval_id, tool_use_id);
  signal.addEventListener("abort", withdraw, { once: true });
  if (signal.aborted) withdraw();
  try {
    return await answered;
  } finally {
    signal.removeEventListener("abort", withdraw);
  }
}

/**
 * The question that was already asked about this call. After a restart the call comes from the journal, which holds no
 * secrets: then it may have `changed` since it was shown and hashed.
 */
async function questionOf(
  { dependencies, state }: PermittingSession,
  call: DecidedCall,
): Promise<QuestionedCall | "changed" | undefined> {
  const asked = state.turn?.asked[call.tool_use_id];
  const approval = asked === undefined ? undefined : await dependencies.store.read.approval(asked.approval_id);
  // A model may give several calls the same id: an answer counts only for its own call.
  if (asked === undefined || approval?.item_id !== call.item_id) return undefined;
  return approval.input_hash === inputHash(call.tool, call.input) ? asked : "changed";
}

/** Only a person answers a question: answers that the model filled in itself do not count. */
function unanswered({ answers: _answers, ...input }: ToolCall["input"]): ToolCall["input"] {
  return input;
}

function hasEffects(tool: string, tier: Ruled["facts"]["tier"]): boolean {
  // A sub-agent's own calls are each permitted: taking it up again repeats nothing.
  if (toolFacts(tool)?.item === "subagent") return false;
  return tier === "page" || tier === "write" || tier === "execute";
}

/** The call's item in the journal: only a journaled call can be asked about and run. */
function itemOf({ state }: PermittingSession, { item_id }: ToolCall): ToolItem {
  const known = state.turn?.items[item_id];
  if (known !== undefined && isToolItem(known)) return known;
  throw new Failure("not_found", `${item_id} is not an open tool call of this turn`);
}

interface AskRequest {
  readonly call: DecidedCall;
  readonly ruled: Ruled;
  readonly replaces: string | undefined;
  /** Resolves when earlier calls have asked. */
  readonly turn: Promise<void> | undefined;
}

/**
 * Asks a person. Undefined: the call writes to another file than the one ruled on. A verdict: what was approved before
 * is no longer possible.
 */
async function ask(
  session: PermittingSession,
  { call, ruled, replaces, turn }: AskRequest,
): Promise<QuestionedCall | Verdict | undefined> {
  const { dependencies } = session;
  const environment = await session.environment();
  const shown = await environment.toolbox.preview(call.tool, call.input);
  const { preview, planned, warnings } = shown;
  if (planned !== undefined && !isJudged(planned, ruled)) return undefined;
  const impossible = replaces === undefined ? undefined : planError(preview);
  if (impossible !== undefined) return denied(impossible, "failed");
  dependencies.reach("approval.previewed");
  await turn;
  const { state } = session;
  if (state.turn === undefined) throw new Failure("aborted", "aborted");
  const now = dependencies.clock.now();
  const offered = sessionRules(ruled.call, ruled.context);
  const { unattended, approval_timeout_ms } = state.settings;
  const { why } = ruled.ruling;
  const approval: Approval = {
    id: dependencies.newId("apr"),
    session_id: state.id,
    turn_id: state.turn.id,
    item_id: call.item_id,
    tool: call.tool,
    tool_use_id: call.tool_use_id,
    tier: ruled.facts.tier,
    input: { ...call.input },
    input_hash: inputHash(call.tool, call.input),
    preview,
    ...defined({ planned, replaces, definition: ruled.facts.definition }),
    ...shownIn(dependencies, { input: call.input, preview, warnings }),
    reason: replaces === undefined ? why : `${CHANGED_SINCE_SHOWN} ${why}`,
    ...rulesShown(offered),
    unattended,
    created_at: new Date(now).toISOString(),
    ...(unattended === "park" ? {} : { expires_at: new Date(now + approval_timeout_ms).toISOString() }),
    status: "pending",
  };
  const durable = session.execute({ type: "ask", approval });
  dependencies.reach("approval.decided");
  await durable;
  dependencies.reach("approval.durable");
  return { approval_id: approval.id, planned };
}

/** The exact rule, the one for every call of the tool, and the whole ladder. */
function rulesShown(
  offered: readonly OfferedRule[],
): Pick<Approval, "session_rule" | "broader_rule" | "session_rules"> {
  if (offered.length === 0) return {};
  const session_rule = offered.find(({ reach }) => reach === "exact")?.rule;
  const broader_rule = offered.find(({ reach }) => reach === "tool")?.rule;
  return { ...defined({ session_rule, broader_rule }), session_rules: [...offered] };
}

function refusedByAnswer({ outcome, feedback, interrupt }: NonNullable<QuestionedCall["answer"]>): Verdict {
  switch (outcome) {
    case "rejected":
      return denied(`${USER_REJECTED}${feedback ?? "No reason provided"}`, "declined", interrupt === true);
    case "timed_out":
      return denied("Approval timeout: nobody answered in time, so the tool was not run.", "timed_out");
    case "approved":
    case "cancelled":
      return denied("Interrupted.", "interrupted");
  }
}

/** An earlier question about the same call may have been answered with another input. */
function asAsked(item: ToolItem): ToolItem {
  if (item.approved_input === undefined) return item;
  const { approved_input: _before, ...asked } = editedToolItem(item, item.input);
  return asked;
}

/** Records in the journal why nobody was asked. Under `full` nobody ever is. */
function withUnasked(item: ToolItem, { ruled: { ruling }, approval_id }: AllowedRun): ToolItem {
  const { unasked: _before, ...rest } = item;
  const isUnasked = approval_id === undefined && ruling.step === "autonomy" && ruling.rule !== "full";
  return isUnasked ? { ...rest, unasked: { rule: ruling.rule, why: ruling.why } } : rest;
}

interface AllowedRun {
  readonly input: ToolCall["input"];
  /** The input as a person changed it. */
  readonly edited?: ToolCall["input"] | undefined;
  readonly ruled: Ruled;
  /** Absent: nobody was asked. */
  readonly approval_id?: string | undefined;
  readonly approved?: ApprovedRun | undefined;
}

/** Permits a call once the disk says that the tool is about to run, so that after a crash nobody has to guess. */
async function letRun(
  session: PermittingSession,
  { item, call, effectful, signal }: CallDecision,
  run: AllowedRun,
): Promise<Verdict> {
  const { input, edited, ruled, approval_id, approved } = run;
  await session.activity.hold(signal);
  if (effectful) await session.recording.before();
  if (signal.aborted) return denied("Interrupted.", "interrupted");
  const isMarked = session.state.turn?.running.includes(item.id) === true;
  // It was marked as unasked, and then a person was asked after all.
  const wasUnasked = item.unasked !== undefined && approval_id !== undefined;
  if (edited !== undefined || (effectful && (!isMarked || wasUnasked))) {
    const running = withUnasked(edited === undefined ? asAsked(item) : editedToolItem(item, edited), run);
    await session.execute({ type: "run", item: running });
    session.dependencies.reach("tool.marked");
  }
  session.permitted.add({
    call,
    input,
    effectful,
    approval_id,
    permission: {
      definition: ruled.facts.definition,
      judged: new Map(ruled.call.paths.map(({ given, real }) => [given, real])),
      ...(approved === undefined ? {} : { approved }),
      ...(approval_id === undefined && ON_PROOF.has(ruled.ruling.rule) ? { onlyReads: true as const } : {}),
    },
  });
  return { effect: "allow", input };
}

type Denied = Extract<Verdict, { effect: "deny" }>;

function refusedBy(tool: string, { ruling, facts }: Ruled): Verdict {
  if (!facts.known) return denied(`Unknown tool: ${tool}`, "failed");
  if (facts.schemaError !== undefined) return denied(facts.schemaError, "failed");
  const next = ruling.rule === PLAN_RULE ? "" : ` ${NEXT[ruling.step]}`;
  return denied(`Denied by policy (${ruling.rule}): ${ruling.why}${next}`, "declined");
}

/** What a model can do after a refusal. */
const NEXT: Readonly<Record<Ruling["step"], string>> = {
  schema: "Call it with an input that fits.",
  tool: "Use the tools that you have, or say which one you need and why.",
  policy: "Do it in a way that the policy allows, or say what you need and why.",
  paths: "Work inside the workspace, or say which file you need and why.",
  hooks: "Use a command that is allowed, or say what you need and why.",
  autonomy: "Say what you would do, so that a person can do or allow it.",
  approval: "Say what you would do, so that a person can do or allow it.",
  limits: "Say what is left to do.",
};

function denied(message: string, status: Denied["status"], interrupt = false): Verdict {
  return { effect: "deny", message, status, interrupt };
}
