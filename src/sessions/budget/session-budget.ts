import { ACCOUNTS, type SpendingLimit } from "../../ledger/index.ts";
import {
  BUDGET_TOOL,
  Failure,
  limitFacts,
  LIMITS,
  settableKind,
  shortageWords,
  SYSTEM,
  type Approval,
  type ErrorCode,
  type Shortage,
} from "../../protocol/index.ts";
import type { Exchange, KeyLease, RequestContext } from "../../proxy/index.ts";
import { inputHash } from "../permission/permit.ts";
import { spendingLimitOf, spendingLimitsOf, type PolicyLimit, type Parent } from "./limits.ts";
import { effectiveProfile } from "../permission/effective-profile.ts";
import type { MeteredRequest } from "../../engines/index.ts";
import type { Clock, Dependencies } from "../dependencies.ts";
import type { Session } from "../core/session.ts";
import { fromRow, isFinal, type GivenAnswer, type OpenTurn } from "../core/state.ts";
import { atWallTime } from "../lifecycle/wall-time.ts";

/** Whether there may be money again. `message`: why not, for the caller. */
export type Funds = { readonly granted: true } | { readonly granted: false; readonly message: string };

const GRANTED: Funds = { granted: true };
const STOPPED: Funds = { granted: false, message: "aborted" };
const QUESTION_PREFIX = "budget_";
const DAY_MS = 86_400_000;

/** What its budget needs of a session. */
interface BudgetedSession extends Pick<Session, "state" | "execute" | "answer" | "answered" | "activity"> {
  readonly dependencies: Pick<
    Dependencies,
    "clock" | "held" | "limits" | "models" | "newId" | "policy" | "reach" | "store"
  >;
}

/** A session's side of the model proxy: its key, its limits, its spending, and the question for more money. */
export class SessionBudget {
  readonly #session: BudgetedSession;
  #parents: readonly Parent[] = [];
  #lease: KeyLease | undefined;
  /** Identifies the last `open` that has not ended; only its key counts. */
  #opening: symbol | undefined;
  /** What the last refused request lacked; absent once money is available. */
  #shortage: Shortage | undefined;
  #refusal: ErrorCode | undefined;
  #asking: Promise<Funds> | undefined;
  readonly #listeners = new Set<(request: MeteredRequest) => void>();

  constructor(session: BudgetedSession) {
    this.#session = session;
  }

  /** A key for a starting engine. It replaces the one before and stays valid until `close`, even if unused. */
  async open(): Promise<string> {
    this.close();
    const opening = Symbol("opening");
    this.#opening = opening;
    await this.load();
    const { dependencies, state } = this.#session;
    const lease = dependencies.models.proxy.lease(
      {
        context: () => this.#context(),
        begin: (id) => this.#session.activity.beginRequest(id),
        told: (exchange) => this.#told(exchange),
      },
      // A program that outlived the last server goes on with the key that it has.
      dependencies.held?.of(state.id)?.key,
    );
    if (this.#opening === opening) this.#lease = lease;
    // Closed or opened again while the limits were read: nobody would revoke this one.
    else lease.revoke();
    return lease.key;
  }

  /** Loads what this session's limits depend on. Needed again when a prepared session gets its owner. */
  async load(): Promise<void> {
    const { dependencies, state } = this.#session;
    this.#parents = await Promise.all(state.ancestors.map((id) => this.#parent(id)));
    await dependencies.limits.load(
      this.#spendingLimits().map(({ kind, account }) => ({ kind: settableKind(kind), account })),
    );
  }

  close(): void {
    this.#opening = undefined;
    this.#lease?.revoke();
    this.#lease = undefined;
  }

  /** Why the proxy refused the last request; absent: it did not. */
  get refusal(): ErrorCode | undefined {
    return this.#refusal;
  }

  /** Tells the session's engine of each request that has ended. Call the result to stop. */
  onRequest(listener: (request: MeteredRequest) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The limit in force for the session itself. */
  get limit(): number | undefined {
    return this.#spendingLimits().find(({ kind }) => kind === "session")?.limit;
  }

  /**
   * Resolves when a refused request may be retried, or a person has declined. Sub-agents that ask at the same time share one
   * question.
   */
  async funds(signal: AbortSignal): Promise<Funds> {
    const shortage = this.#shortage;
    if (shortage === undefined) return GRANTED;
    if (this.#session.state.settings.at_budget_end === "fail") {
      return { granted: false, message: `${shortageWords(shortage)} Have it raised, then send the message again.` };
    }
    this.#asking ??= this.#ask(shortage, signal).finally(() => {
      this.#asking = undefined;
    });
    const funds = await this.#asking;
    return signal.aborted ? STOPPED : funds;
  }

  /** Journals what the ledger counted for requests that died with the last server. */
  async countTheDead(turn: OpenTurn): Promise<void> {
    const { id, cost_microusd } = turn;
    const { dependencies, state } = this.#session;
    const { ledger } = dependencies.models;
    const { spent } = await ledger.balance(ACCOUNTS.turn(id));
    if (spent <= cost_microusd) return;
    const balance = await ledger.balance(ACCOUNTS.session(state.id));
    const cost = spent - cost_microusd;
    const bound = Math.min(cost, await this.#uncountedBound(turn));
    await this.#session.execute({ type: "spend", turn_id: id, cost, bound, ...balance, limit: state.limit_microusd });
  }

  /** The bounds of a turn that are in the ledger but not in its journal. */
  async #uncountedBound({ id, bound_microusd = 0 }: OpenTurn): Promise<number> {
    const { dependencies, state } = this.#session;
    const lines = await dependencies.store.read.usage({ by: ["turn"], session: state.id, limit: LIMITS.usageLines });
    const counted = lines.find(({ turn }) => turn === id)?.bound_microusd;
    return counted === undefined ? Infinity : Math.max(0, counted - bound_microusd);
  }

  async #parent(id: string): Promise<Parent> {
    const row = await this.#session.dependencies.store.read.session(id);
    return { id, limit: row === undefined ? undefined : fromRow(row).settings.max_cost_microusd };
  }

  /** What the policy says about a limit; undefined: nothing. */
  policyLimit({ kind, account }: Pick<SpendingLimit, "kind" | "account">): number | undefined {
    return this.#spendingLimits().find(
      (spendingLimit) => spendingLimit.kind === kind && spendingLimit.account === account,
    )?.policy;
  }

  #spendingLimits(): readonly PolicyLimit[] {
    const { dependencies, state } = this.#session;
    const policy = dependencies.policy();
    const profile = effectiveProfile(policy, state);
    const { limits, clock } = dependencies;
    return spendingLimitsOf({ state, policy, profile, parents: this.#parents, limits, now: clock.now() });
  }

  #context(): RequestContext | Failure {
    const { dependencies, state } = this.#session;
    if (isFinal(state.status)) return new Failure("session_closed", `session ${state.id} is ${state.status}`);
    // A prepared session without an owner: it may hold a key, but not use it.
    if (state.status === "creating") return new Failure("session_closed", `session ${state.id} has not begun`);
    try {
      const profile = effectiveProfile(dependencies.policy(), state);
      return {
        session_id: state.id,
        turn_id: state.turn?.id,
        agent: state.created_by.id,
        engine: state.settings.engine,
        provider: state.settings.provider,
        allowedProviders: profile.allowed_providers,
        allowedHosts: profile.provider_hosts,
        allowedModels: profile.allowed_models,
        blockedModels: profile.blocked_models,
        maxContextTokens: state.settings.max_context_tokens,
        maxOutputTokens: state.settings.max_tokens + (state.settings.thinking_tokens ?? 0),
        spendingLimits: this.#spendingLimits(),
        sessionRate: profile.session_rate,
        agentRate: profile.agent_rate,
        tokenParents: state.token.parents,
      };
    } catch (error) {
      // The profile is gone from the policy: then nothing is allowed.
      if (error instanceof Failure) return error;
      throw error;
    }
  }

  #told(exchange: Exchange): void {
    this.#session.activity.endRequest(exchange.id);
    if (exchange.shortage !== undefined) this.#shortage = exchange.shortage;
    else if (exchange.outcome !== "refused") this.#shortage = undefined;
    this.#refusal = exchange.outcome === "refused" ? exchange.code : undefined;
    for (const listener of this.#listeners) listener(metered(exchange));
    if (exchange.cost_microusd === 0) return;
    const { dependencies, state } = this.#session;
    const balance = dependencies.models.ledger.peek(ACCOUNTS.session(state.id));
    this.#session
      .execute({
        type: "spend",
        turn_id: exchange.turn_id,
        cost: exchange.cost_microusd,
        bound: exchange.bound_microusd,
        spent: balance?.spent ?? state.cost_microusd + exchange.cost_microusd,
        reserved: balance?.reserved ?? 0,
        limit: this.limit,
      })
      // A session that has just ended takes no more events; the ledger has the charge.
      .catch(() => undefined);
  }

  async #ask(shortage: Shortage, signal: AbortSignal): Promise<Funds> {
    const { dependencies } = this.#session;
    const spendingLimit = spendingLimitOf(this.#spendingLimits(), shortage);
    // Another session raised the shared parent's limit since the request was refused: try again.
    if (spendingLimit === "changed") return GRANTED;
    if (spendingLimit === undefined) return { granted: false, message: shortageWords(shortage) };
    const { approval_id, tool_use_id } = this.#openQuestion() ?? (await this.#question(shortage, spendingLimit));
    const look = (): void => void this.#lookAgain(approval_id, shortage).catch(() => undefined);
    const stops = [dependencies.limits.onChange(look)];
    // It may have changed before the listener was registered.
    look();
    if (limitFacts(shortage.kind).daily) stops.push(eachNewDay(dependencies.clock, look));
    try {
      return this.#verdict(await this.#session.answered(approval_id, tool_use_id), shortage, signal);
    } finally {
      for (const stop of stops) stop();
    }
  }

  /** An open question of this turn, asked before a restart or by a sub-agent a moment ago. */
  #openQuestion(): { readonly approval_id: string; readonly tool_use_id: string } | undefined {
    for (const [tool_use_id, asked] of Object.entries(this.#session.state.turn?.asked ?? {})) {
      if (tool_use_id.startsWith(QUESTION_PREFIX) && asked.answer === undefined)
        return { approval_id: asked.approval_id, tool_use_id };
    }
    return undefined;
  }

  async #question(
    shortage: Shortage,
    spendingLimit: PolicyLimit,
  ): Promise<{ approval_id: string; tool_use_id: string }> {
    const { dependencies, state } = this.#session;
    const turn = state.turn;
    if (turn === undefined) throw new Failure("aborted", "aborted");
    const now = dependencies.clock.now();
    const limit_microusd = proposed(shortage, spendingLimit);
    const kind = settableKind(shortage.kind);
    const input = { limit_microusd, kind, account: spendingLimit.account, shortage };
    const approval: Approval = {
      id: dependencies.newId("apr"),
      session_id: state.id,
      turn_id: turn.id,
      item_id: "",
      tool: BUDGET_TOOL,
      tool_use_id: `${QUESTION_PREFIX}${dependencies.newId("item")}`,
      tier: "execute",
      input,
      input_hash: inputHash(BUDGET_TOOL, input),
      preview: {
        type: "budget",
        summary: shortageWords(shortage),
        shortage,
        proposed_limit_microusd: limit_microusd,
      },
      warnings: [],
      reason: shortageWords(shortage),
      unattended: state.settings.unattended,
      created_at: new Date(now).toISOString(),
      ...(state.settings.unattended === "park"
        ? {}
        : { expires_at: new Date(now + LIMITS.budgetQuestionMs).toISOString() }),
      status: "pending",
    };
    const durable = this.#session.execute({ type: "ask", approval });
    dependencies.reach("budget.asked");
    await durable;
    return { approval_id: approval.id, tool_use_id: approval.tool_use_id };
  }

  /** A limit was raised elsewhere, or a new day began: nobody needs to answer then. */
  async #lookAgain(approval_id: string, shortage: Shortage): Promise<void> {
    const { ledger } = this.#session.dependencies.models;
    for (const { account, limit } of this.#spendingLimits()) {
      // Reservations of others do not count: the ledger itself waits for those.
      const { spent } = await ledger.balance(account);
      if (limit !== undefined && spent + shortage.asked_microusd > limit) return;
    }
    await this.#session.answer({ approval_id, outcome: "cancelled", by: SYSTEM, feedback: "there is money again" });
  }

  #verdict(answer: GivenAnswer, shortage: Shortage, signal: AbortSignal): Funds {
    if (signal.aborted) return STOPPED;
    switch (answer.outcome) {
      case "approved":
      case "cancelled":
        return GRANTED;
      case "rejected": {
        const why = answer.feedback === undefined ? "" : ` (${answer.feedback})`;
        return { granted: false, message: `${shortageWords(shortage)} It was not raised${why}.` };
      }
      case "timed_out":
        return { granted: false, message: `${shortageWords(shortage)} Nobody raised it in time.` };
    }
  }
}

/** Calls back at the beginning of each UTC day until the returned function is called: one check may fail, or find too little. */
function eachNewDay(clock: Clock, callback: () => void): () => void {
  let stop = (): void => undefined;
  const wait = (): void => {
    const now = clock.now();
    const next = (): void => {
      wait();
      callback();
    };
    // A clock that was set back far also begins another day, so nobody waits for the earlier date.
    stop = atWallTime(clock, { at: now - (now % DAY_MS) + DAY_MS, atMostMs: DAY_MS, callback: next });
  };
  wait();
  return () => stop();
}

/** Enough for the request, and enough that the next one does not ask at once. If possible, no more than an operator may grant. */
function proposed(shortage: Shortage, { policy = Infinity }: PolicyLimit): number {
  const { kind, limit_microusd, spent_microusd, reserved_microusd, asked_microusd } = shortage;
  const needed = spent_microusd + reserved_microusd + asked_microusd;
  // Above a threshold, a person is asked again after the same amount.
  if (kind === "threshold") return needed + limit_microusd;
  const ample = Math.max(needed, limit_microusd * 2);
  return settableKind(kind) === "session" ? Math.max(needed, Math.min(ample, policy)) : ample;
}

/** What an engine may know about a request. */
function metered({ status, outcome, code, tokens }: Exchange): MeteredRequest {
  const completed = outcome === "completed";
  return {
    status,
    completed,
    ...(outcome === "refused" ? { refusal: code ?? "model_error" } : {}),
    usage: {
      input_tokens: tokens.input,
      output_tokens: tokens.output,
      cache_read_tokens: tokens.cache_read,
      cache_write_tokens: tokens.cache_write + tokens.cache_write_1h,
      reasoning_tokens: tokens.reasoning,
      model_calls: completed ? 1 : 0,
    },
  };
}
