import { dayOf, type SpendingLimit } from "../../../ledger/index.ts";
import {
  defined,
  Failure,
  limitFacts,
  LIMITS,
  NO_TOKENS,
  type BudgetLine,
  type Policy,
  type Profile,
  type SessionUsage,
  type UsageLine,
  type UsageQuery,
  type UsageReport,
} from "../../../protocol/index.ts";
import { authorize, authorizeFor, type Caller } from "../../access/access.ts";
import { effectiveProfile } from "../../permission/effective-profile.ts";
import { limitNow, policyLimits, spendingLimitsOf } from "../../budget/limits.ts";
import type { Models, Dependencies } from "../../dependencies.ts";
import { fromRow, type SessionState } from "../../core/state.ts";
import { whileStoring } from "../../core/storing.ts";

interface UsageServices extends Pick<Dependencies, "store" | "clock" | "policy" | "limits"> {
  readonly models: Pick<Models, "ledger"> & { readonly providers: Pick<Models["providers"], "list"> };
}

/** What was used and what is left, for people and programs. */
export class UsageService {
  readonly #dependencies: UsageServices;

  constructor(dependencies: UsageServices) {
    this.#dependencies = dependencies;
  }

  /** Rows by group, their total, and the current accounts. An agent gets only its own. */
  async report(caller: Caller, query: UsageQuery): Promise<UsageReport> {
    const scope = authorize(caller, "usage.read");
    if (scope === "own" && query.agent !== undefined && query.agent !== caller.id)
      throw new Failure("forbidden", "an agent sees its own usage alone; leave `agent` out");
    const agent = scope === "own" ? caller.id : query.agent;
    const session = query.session === undefined ? undefined : await this.#session(caller, query.session);
    const { store } = this.#dependencies;
    await this.#flushed();
    const { by, from, to, key, limit = LIMITS.usageLinesDefault } = query;
    const filter = defined({ from, to, agent, key, session: session?.id });
    const found = await store.read.usage({ by, ...filter, limit: limit + 1 });
    const cut = found.length > limit;
    // There are few engines, so their rows are never cut: they add up to everything.
    const all = cut ? await store.read.usage({ by: ["engine"], ...filter, limit: LIMITS.usageLines }) : found;
    return {
      lines: found.slice(0, limit).map((line) => this.#marked(line)),
      total: sum(all),
      budgets: await (session === undefined
        ? this.#agentBudgets(agent ?? caller.id, scope)
        : this.#sessionBudgets(session, scope)),
      ...(cut ? { truncated: true as const } : {}),
    };
  }

  /** One session's own usage and every account that it draws on. */
  async session(caller: Caller, id: string): Promise<SessionUsage> {
    const scope = authorize(caller, "usage.read");
    const session = await this.#session(caller, id);
    const { store } = this.#dependencies;
    await this.#flushed();
    const lines = await store.read.usage({ by: ["provider", "model"], session: id, limit: LIMITS.usageLines });
    const budgets = await this.#sessionBudgets(session, scope);
    const own = budgets.find(({ kind }) => kind === "session");
    const { requests, tokens, cost_microusd, bound_microusd } = sum(lines);
    const reserved = own?.reserved_microusd ?? 0;
    const cacheWrites = tokens.cache_write + tokens.cache_write_1h;
    return {
      session_id: id,
      requests,
      tokens,
      cost_microusd,
      bound_microusd,
      reserved_microusd: reserved,
      ...defined({ limit_microusd: own?.limit_microusd, remaining_microusd: own?.remaining_microusd }),
      ...defined({ own_login: session.settings.own_login }),
      models: lines.map((line) => this.#marked(line)),
      budgets,
      input_tokens: tokens.input,
      output_tokens: tokens.output,
      cache_read_tokens: tokens.cache_read,
      cache_write_tokens: cacheWrites,
      total_tokens: tokens.input + tokens.output + tokens.cache_read + cacheWrites,
    };
  }

  /** A line of a provider that uses a person's login says so. */
  #marked(line: UsageLine): UsageLine {
    if (line.provider === undefined) return line;
    const provider = this.#dependencies.models.providers.list().find(({ id }) => id === line.provider);
    return { ...line, ...defined({ own_login: provider?.login }) };
  }

  /** Metrics hold everybody's figures: refuses callers that may not see them. */
  checkMetrics(caller: Caller): void {
    authorize(caller, "metrics.read");
  }

  /** Resolves when the store has all spending; a Failure soon after nothing can be written. */
  async #flushed(): Promise<void> {
    const { models } = this.#dependencies;
    await whileStoring(this.#dependencies, models.ledger.flush(), LIMITS.storeAnswerMs);
  }

  async #session(caller: Caller, id: string): Promise<SessionState> {
    const row = await this.#dependencies.store.read.session(id);
    if (row === undefined) throw new Failure("not_found", `there is no session ${id}`);
    const state = fromRow(row);
    authorizeFor(caller, "usage.read", { state, what: `session ${id}` });
    return state;
  }

  /** Every account that the session's next request counts on; shared ones only for callers that may see them. */
  async #sessionBudgets(state: SessionState, scope: "all" | "own"): Promise<BudgetLine[]> {
    const { store, policy: current, clock, limits } = this.#dependencies;
    const policy = current();
    const profile = rulesOf(policy, state);
    const parents = await Promise.all(
      state.ancestors.map(async (id) => {
        const row = await store.read.session(id);
        return { id, limit: row === undefined ? undefined : fromRow(row).settings.max_cost_microusd };
      }),
    );
    const context = { state, policy, profile, parents, limits, now: clock.now() };
    await limits.load(spendingLimitsOf(context));
    const others = new Set(state.token.parents.map(({ id }) => id));
    return this.#budgets(
      spendingLimitsOf(context).filter(
        ({ kind, account }) => scope === "all" || !(limitFacts(kind).shared || others.has(ownerOf(account))),
      ),
    );
  }

  /** A principal's own accounts, with the limits that a session of the default profile would have. */
  async #agentBudgets(agent: string, scope: "all" | "own"): Promise<BudgetLine[]> {
    const { policy: current, clock, limits } = this.#dependencies;
    const policy = current();
    const profile = profileNamed(policy, policy.default_profile);
    const day = dayOf(clock.now());
    const { agents, everybody } = policyLimits({ profile, policy }, agent, day);
    const spendingLimits = scope === "all" ? [...agents, ...everybody] : agents;
    await limits.load(spendingLimits);
    return this.#budgets(
      spendingLimits.map(({ kind, account, limit }) => ({
        kind,
        account,
        limit: limitNow(limits, { kind, account, said: limit, own: undefined }),
      })),
    );
  }

  async #budgets(spendingLimits: readonly SpendingLimit[]): Promise<BudgetLine[]> {
    // A threshold counts on the turn's account, which is already listed.
    const counted = spendingLimits.filter(({ kind, limit }) => kind !== "threshold" || limit !== undefined);
    return Promise.all(counted.map((spendingLimit) => this.#budget(spendingLimit)));
  }

  async #budget({ kind, account, limit }: SpendingLimit): Promise<BudgetLine> {
    const { spent, reserved } = await this.#dependencies.models.ledger.balance(account);
    const left =
      limit === undefined ? {} : { limit_microusd: limit, remaining_microusd: Math.max(0, limit - spent - reserved) };
    const of = limitFacts(kind).shared ? "" : ownerOf(account);
    return { kind, of, spent_microusd: spent, reserved_microusd: reserved, ...left };
  }
}

/** Whose an account is: the id of a session, turn or principal. */
function ownerOf(account: string): string {
  return account.split("/")[1] ?? "";
}

/** The session's rules; none if an admin has removed its profile: then it can send no more requests. */
function rulesOf(policy: Policy, state: SessionState): Profile {
  return Object.hasOwn(policy.profiles, state.settings.profile) ? effectiveProfile(policy, state) : {};
}

/** Without any limit if an admin has removed the profile: its sessions can send no more requests. */
function profileNamed(policy: Policy, name: string): Profile {
  return (Object.hasOwn(policy.profiles, name) ? policy.profiles[name] : undefined) ?? {};
}

const TOKEN_KINDS = Object.keys(NO_TOKENS) as readonly (keyof typeof NO_TOKENS)[];

function sum(lines: readonly UsageLine[]): UsageLine {
  const total = { requests: 0, tokens: { ...NO_TOKENS }, cost_microusd: 0, bound_microusd: 0 };
  for (const line of lines) {
    total.requests += line.requests;
    total.cost_microusd += line.cost_microusd;
    total.bound_microusd += line.bound_microusd;
    for (const kind of TOKEN_KINDS) total.tokens[kind] += line.tokens[kind];
  }
  return total;
}
