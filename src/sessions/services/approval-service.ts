import { z } from "zod";
import { toolListed } from "../../gate/index.ts";
import {
  BUDGET_TOOL,
  ELICITATION_TOOL,
  defined,
  Failure,
  isServerQuestion,
  LimitKind,
  LIMITS,
  MicroUsd,
  NETWORK_TOOL,
  QUESTION_TOOL,
  REPOSITORY_TOOL,
  REVIEW_TOOL,
  SAMPLING_TOOL,
  Shortage,
  SYSTEM,
  type Approval,
  type ApprovalStatus,
  type Decision,
  type EditPreview,
  type PlannedChange,
  type PreviewEdit,
} from "../../protocol/index.ts";
import { DAMAGED_TOOL, type RowPage } from "../../store/index.ts";
import { isSamePlan } from "../../tools/index.ts";
import { auditRow, authorize, authorizeFor, type Caller } from "../access/access.ts";
import type { ApprovalAnswer } from "../core/commands.ts";
import { checkDelegate, type Delegation } from "../permission/delegated-approval.ts";
import { effectiveProfile } from "../permission/effective-profile.ts";
import { expireQuestion } from "../permission/expiry.ts";
import type { SetLimit } from "../budget/set-limits.ts";
import { isOverdue } from "../core/questions.ts";
import type { Registry } from "../lifecycle/registry.ts";
import { inputHash } from "../permission/permit.ts";
import { CHANGED_SINCE_SHOWN, isSameCommand, planOf } from "../permission/plans.ts";
import { ruleOn, type Ruled } from "../permission/ruling.ts";
import type { Dependencies } from "../dependencies.ts";
import { setLimit } from "../budget/set-limit.ts";
import type { Session } from "../core/session.ts";
import type { ChangeService } from "./workspaces/change-service.ts";
import { decideReview } from "./workspaces/review-decision.ts";

export interface ApprovalFilter {
  readonly status?: ApprovalStatus | undefined;
  readonly session_id?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

interface ApprovalServiceParts {
  readonly dependencies: Dependencies;
  readonly registry: Registry;
  readonly changes: ChangeService;
}

/** The inbox: questions of all sessions, and their answers. */
export class ApprovalService {
  readonly #dependencies: Dependencies;
  readonly #registry: Registry;
  readonly #changes: ChangeService;

  constructor({ dependencies, registry, changes }: ApprovalServiceParts) {
    this.#dependencies = dependencies;
    this.#registry = registry;
    this.#changes = changes;
  }

  get #parts(): { readonly dependencies: Dependencies; readonly registry: Registry } {
    return { dependencies: this.#dependencies, registry: this.#registry };
  }

  async list(caller: Caller, filter: ApprovalFilter): Promise<RowPage<Approval>> {
    const scope = authorize(caller, "approval.read");
    const { status, session_id, cursor, limit } = filter;
    const read = (): Promise<RowPage<Approval>> =>
      this.#dependencies.store.read.approvals(
        defined({ limit, status, session_id, cursor, created_by: scope === "own" ? caller.id : undefined }),
      );
    const page = await read();
    const now = this.#dependencies.clock.now();
    const overdue = page.rows.filter((approval) => isOverdue(approval, now));
    if (overdue.length === 0) return page;
    await Promise.all(overdue.map(({ id }) => this.#find(id)));
    return read();
  }

  async get(caller: Caller, id: string): Promise<Approval> {
    authorize(caller, "approval.read");
    const { approval, session } = await this.#find(id);
    authorizeFor(caller, "approval.read", { state: session.state, what: `approval ${id}` });
    return (await this.#isOutdated(session, approval)) ? { ...approval, outdated: true } : approval;
  }

  /** A question that the caller may answer and that still waits. */
  async open(caller: Caller, id: string): Promise<Approval> {
    authorize(caller, "approval.decide");
    const { approval, session } = await this.#find(id);
    authorizeFor(caller, "approval.decide", { state: session.state, what: `approval ${id}` });
    if (caller.role === "visitor") await this.#checkVisitor(session, approval, {});
    if (approval.status !== "pending") throw ended(approval);
    return approval;
  }

  /** Whether an agent may answer a question of a session that it began. */
  async mayAnswer(caller: Caller, id: string): Promise<boolean> {
    const { approval, session } = await this.#find(id);
    const decision = { decision: "approve", input_hash: approval.input_hash } as const;
    try {
      await checkDelegate(this.#parts, caller, { session, approval, decision });
      return true;
    } catch (error) {
      if (error instanceof Failure) return false;
      throw error;
    }
  }

  /** Shows a file change again if the file is no longer what was shown: another question replaces this one. Otherwise it stays. */
  async refresh(caller: Caller, id: string): Promise<Approval> {
    const approval = await this.open(caller, id);
    const session = await this.#registry.get(approval.session_id);
    if (await this.#isOutdated(session, approval)) await this.#close(session, approval);
    return (await this.#dependencies.store.read.approval(id)) ?? approval;
  }

  /** Whether a waiting file change would now do something else. A file that cannot be read is noticed at the approval. */
  async #isOutdated(session: Session, approval: Approval): Promise<boolean> {
    if (approval.status !== "pending" || approval.planned === undefined) return false;
    try {
      return !isSamePlan(approval.planned, await planOf(session, await this.#rule(session, approval, approval.input)));
    } catch {
      return false;
    }
  }

  /**
   * Answers a question. The first answer wins; it must name the hash of exactly what was shown. With `as` a parent, the
   * policy's rules for agents apply instead of the caller's own right.
   */
  async decide(caller: Caller, id: string, decision: Decision, { as }: { as?: "parent" } = {}): Promise<Approval> {
    const isDelegated = caller.role === "agent" || as === "parent";
    const right = isDelegated ? "approval.answer" : "approval.decide";
    authorize(caller, right);
    const { approval, session } = await this.#find(id);
    authorizeFor(caller, right, { state: session.state, what: `approval ${id}` });
    const delegate = async (): Promise<Delegation | undefined> =>
      isDelegated ? checkDelegate(this.#parts, caller, { session, approval, decision }) : undefined;
    await delegate();
    if (caller.role === "visitor") await this.#checkVisitor(session, approval, decision);
    if (approval.status !== "pending") throw ended(approval);
    if (approval.tool === DAMAGED_TOOL)
      throw new Failure("store_failed", "The row of this approval is damaged in the database: interrupt its turn.");
    if (approval.input_hash !== decision.input_hash) {
      throw new Failure(
        "input_changed",
        "input_hash is not that of this approval's input; read it again before you decide",
      );
    }
    if (approval.tool === REVIEW_TOOL) return this.#decideReview(caller, session, { approval, decision });
    const set = approval.tool === BUDGET_TOOL ? budgetAnswer(approval, decision) : undefined;
    const answer = await this.#answer(caller, session, approval, decision);
    // Checked again, because its grounds may have changed: nothing else is awaited before the answer.
    const delegation = await delegate();
    const { decision: verdict, scope, feedback, interrupt, hold_queue } = decision;
    const details = {
      session_id: approval.session_id,
      tool: approval.tool,
      input_hash: approval.input_hash,
      decision: verdict,
      scope,
      feedback,
      interrupt,
      hold_queue,
      ...(answer.granted_rule === undefined ? {} : { granted_rule: answer.granted_rule }),
      ...(answer.updated_input === undefined ? {} : editedDetails(approval, answer.updated_input)),
      ...(set === undefined ? {} : { limit_microusd: set.limit }),
      ...delegation,
    };
    const audit = [auditRow(this.#dependencies, caller, { action: "approval.decide", target: id, details })];
    return this.#asAnswered(approval, async () => {
      if (set === undefined) await session.answer(answer, { audit });
      else await setLimit(session, caller, set, (documents) => session.answer(answer, { audit, documents }));
    });
  }

  #decideReview(
    caller: Caller,
    session: Session,
    { approval, decision }: { readonly approval: Approval; readonly decision: Decision },
  ): Promise<Approval> {
    return this.#asAnswered(approval, () => decideReview(this.#changes, { caller, session, approval, decision }));
  }

  /** The approval after it was answered. Somebody else may have been first. */
  async #asAnswered(approval: Approval, answer: () => Promise<void>): Promise<Approval> {
    const { read } = this.#dependencies.store;
    try {
      await answer();
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "already_answered") throw error;
      throw ended((await read.approval(approval.id)) ?? approval);
    }
    return (await read.approval(approval.id)) ?? approval;
  }

  /** What the approval would look like with another input: the same pipeline and preview. Nothing is decided or written. */
  async preview(caller: Caller, id: string, { input }: PreviewEdit): Promise<EditPreview> {
    const approval = await this.open(caller, id);
    const session = await this.#registry.get(approval.session_id);
    if (isServerQuestion(approval.tool)) throw new Failure("unsupported", `${approval.tool} needs no preview`);
    const { ruling } = await this.#rule(session, approval, input);
    const { preview, warnings } =
      ruling.effect === "deny"
        ? // A preview could show a file that the policy hides from everybody.
          { preview: { type: "generic", summary: ruling.why }, warnings: [] }
        : await (await session.environment()).toolbox.preview(approval.tool, input);
    return JSON.parse(this.#dependencies.redact.exact(JSON.stringify({ preview, warnings, ruling }))) as EditPreview;
  }

  /** A visitor may answer only for its own page's tools that its profile names, once and without changes. */
  async #checkVisitor(
    session: Session,
    { tool }: Approval,
    { scope, updated_input }: Pick<Decision, "scope" | "updated_input">,
  ): Promise<void> {
    const { visitor_may_approve = [] } = effectiveProfile(this.#dependencies.policy(), session.state);
    const { toolbox } = await session.environment();
    const isPageTool = toolbox.isClientTool(tool) && toolbox.traits(tool).definition === undefined;
    const isItsOwn = isPageTool || tool === QUESTION_TOOL;
    if (!isItsOwn || !toolListed(visitor_may_approve, tool))
      throw new Failure("forbidden", `a visitor may not answer for ${tool}; an operator of this server can`);
    if (scope === "session" || (updated_input !== undefined && tool !== QUESTION_TOOL))
      throw new Failure("forbidden", "a visitor answers yes or no, once; leave scope and updated_input out");
  }

  async #find(id: string): Promise<{ readonly approval: Approval; readonly session: Session }> {
    const stored = await this.#dependencies.store.read.approval(id);
    if (stored === undefined) throw new Failure("not_found", `there is no approval ${id}`);
    const session = await this.#registry.get(stored.session_id);
    if (!isOverdue(stored, this.#dependencies.clock.now())) return { approval: stored, session };
    await expireQuestion(session, id);
    return { approval: (await this.#dependencies.store.read.approval(id)) ?? stored, session };
  }

  async #answer(caller: Caller, session: Session, approval: Approval, decision: Decision): Promise<ApprovalAnswer> {
    const by = { id: caller.id, name: caller.name, role: caller.role };
    const { feedback, scope, rule, updated_input, interrupt, hold_queue } = decision;
    const common = { approval_id: approval.id, by, feedback };
    if (decision.decision === "reject") {
      if (updated_input !== undefined || scope !== undefined || rule !== undefined) {
        throw new Failure("invalid_request", "updated_input, scope and rule belong to an approval, not to a rejection");
      }
      if (hold_queue === true && interrupt !== true)
        throw new Failure("invalid_request", "hold_queue belongs to a rejection with interrupt");
      return { ...common, outcome: "rejected", interrupt, hold_queue };
    }
    if (hold_queue !== undefined) throw new Failure("invalid_request", "hold_queue belongs to a rejection");
    if (interrupt !== undefined) throw new Failure("invalid_request", "interrupt belongs to a rejection");
    const granted = grantedRule(approval, decision);
    if (approval.not_approvable !== undefined && updated_input === undefined)
      throw new Failure("not_approvable", approval.not_approvable);
    const isEdited = updated_input !== undefined && inputHash(approval.tool, updated_input) !== approval.input_hash;
    if (isEdited) checkEdit(approval, updated_input);
    const planned = isServerQuestion(approval.tool) ? undefined : await this.#plan(session, approval, updated_input);
    return {
      ...common,
      outcome: "approved",
      scope,
      updated_input,
      ...(updated_input === undefined ? {} : { planned }),
      granted_rule: granted,
    };
  }

  /**
   * The file change that the answer approves. If what was shown has changed, the question is closed and asked again
   * with the current state.
   */
  async #plan(
    session: Session,
    approval: Approval,
    edited: Record<string, unknown> | undefined,
  ): Promise<PlannedChange | undefined> {
    const ruled = await this.#rule(session, approval, edited ?? approval.input);
    // A person may change a call, but not bypass the policy. The original call is ruled on again before it runs.
    if (edited !== undefined && ruled.ruling.effect === "deny")
      throw new Failure("invalid_request", `updated_input is not allowed: ${ruled.ruling.why}`, ruled.ruling);
    const planned = await planOf(session, ruled);
    const isSameChange =
      edited === undefined ? isSamePlan(approval.planned, planned) : isSameFile(approval.planned, planned);
    if (isSameChange && (await isSameCommand(session, { approval, input: edited ?? approval.input }))) return planned;
    await this.#close(session, approval);
    throw new Failure(
      "input_changed",
      "what this call would do has changed since it was shown, so nothing was run; look at the new question before you decide",
    );
  }

  /** What was shown has changed: the call asks again. */
  #close(session: Session, { id }: Approval): Promise<void> {
    const audit = [auditRow(this.#dependencies, SYSTEM, { action: "approval.changed", target: id })];
    return session.answer(
      { approval_id: id, outcome: "cancelled", by: SYSTEM, feedback: CHANGED_SINCE_SHOWN, changed: true },
      { audit },
    );
  }

  async #rule(session: Session, approval: Approval, input: Record<string, unknown>): Promise<Ruled> {
    const text = JSON.stringify(input);
    if (input !== approval.input && this.#dependencies.redact.exact(text) !== text) {
      throw new Failure(
        "invalid_request",
        "updated_input holds a secret, which is never kept; put it into the file yourself",
      );
    }
    const { settings, grants, created_by, token } = session.state;
    const environment = await session.environment();
    const { repository } = session.instructions.current;
    const asked = { tool: approval.tool, input, settings, grants, created_by, token, repository };
    return ruleOn(asked, this.#dependencies.policy(), environment);
  }
}

const BudgetInput = z.object({ kind: LimitKind, account: z.string(), limit_microusd: MicroUsd, shortage: Shortage });

/** The limit that a budget approval sets; undefined when it is rejected. */
function budgetAnswer(approval: Approval, { decision, updated_input, scope }: Decision): SetLimit | undefined {
  if (decision === "reject") return undefined;
  if (scope === "session") throw new Failure("invalid_request", "a limit is raised once; leave scope out");
  const asked = BudgetInput.parse(approval.input);
  const edited = BudgetInput.partial().safeParse(updated_input ?? {});
  if (!edited.success) throw new Failure("invalid_request", "limit_microusd must be a whole number of micro-USD");
  const limit = edited.data.limit_microusd ?? asked.limit_microusd;
  const { spent_microusd, asked_microusd } = asked.shortage;
  if (limit < spent_microusd + asked_microusd) {
    throw new Failure(
      "invalid_request",
      `limit_microusd must be at least ${spent_microusd + asked_microusd}, or the request would be refused again`,
    );
  }
  return { kind: asked.kind, account: asked.account, limit };
}

/** A question of the server itself is answered without changes. Only a form of an MCP server is filled in. */
function checkEdit({ tool, input }: Approval, { answers: _answers, ...rest }: Record<string, unknown>): void {
  if (tool === NETWORK_TOOL)
    throw new Failure("invalid_request", "the host that was asked for cannot be changed; leave updated_input out");
  if (tool === REPOSITORY_TOOL || tool === SAMPLING_TOOL)
    throw new Failure("invalid_request", "this question is answered with yes or no; leave updated_input out");
  if (tool === ELICITATION_TOOL && inputHash(tool, rest) !== inputHash(tool, input))
    throw new Failure("invalid_request", "only answers may be added to what the MCP server asks");
}

/** What ran and what was asked; for long inputs only their hashes. */
function editedDetails({ tool, input }: Approval, ran: Record<string, unknown>): object {
  const ran_input_hash = inputHash(tool, ran);
  const isShort = JSON.stringify([ran, input]).length <= LIMITS.auditInputChars;
  return { edited: true, ran_input_hash, ...(isShort ? { ran_input: ran, asked_input: input } : {}) };
}

/** The rule that an approval for the session adds: only one that was shown. */
function grantedRule(approval: Approval, { scope, rule, updated_input }: Decision): string | undefined {
  if (scope !== "session") {
    if (rule !== undefined) throw new Failure("invalid_request", "rule belongs to the scope session");
    return undefined;
  }
  const { session_rule, broader_rule, session_rules = [] } = approval;
  const offered = [session_rule, broader_rule, ...session_rules.map((one) => one.rule)];
  if (rule !== undefined && !offered.includes(rule))
    throw new Failure("invalid_request", "rule must be one of this approval's session_rules");
  if (updated_input !== undefined)
    throw new Failure("invalid_request", "the rule would be for the call before your change; leave scope out");
  const granted = rule ?? session_rule;
  if (granted === undefined)
    throw new Failure("invalid_request", "no rule can be granted for this call; approve it once");
  return granted;
}

/** An edit may change the result, but the file must still be as it was shown. */
function isSameFile(shown: PlannedChange | undefined, edited: PlannedChange | undefined): boolean {
  if (shown === undefined || edited === undefined || shown.real_path !== edited.real_path) return true;
  return isSamePlan(shown, { ...edited, after: shown.after });
}

function ended(approval: Approval): Failure {
  if (approval.status === "timed_out")
    return new Failure("timed_out", "this approval timed out before you answered; the agent was told so");
  const who = approval.resolved_by === undefined ? "" : ` by ${approval.resolved_by.name}`;
  return new Failure("already_answered", `this approval was ${approval.status}${who} already`, {
    status: approval.status,
  });
}
