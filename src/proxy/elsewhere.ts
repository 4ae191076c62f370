import { costOf, type Charge, type Reservation, type SpendingLimit } from "../ledger/index.ts";
import { refusedModel } from "../gate/index.ts";
import { Failure, LIMITS, NO_TOKENS, type ClaudeUsage, type Price } from "../protocol/index.ts";
import type { Denial } from "./call.ts";
import { rulesOf, subjectsOf, unpriced } from "./judge.ts";
import type { KeyOwner } from "./keys.ts";
import type { Exchange, ReservedTurn, RequestContext, TurnReport } from "./proxy.ts";
import type { RateSubject } from "./rates.ts";
import type { ProxyState } from "./state.ts";
import { outOfFunds } from "./refusals.ts";

/** In the log of model requests, in the place of a path. */
const ROUTE = "turn elsewhere";

/** One turn of a session that another machine runs: its money is reserved as a whole, and settled with what that machine reports. */
export async function reserveElsewhere(
  state: ProxyState,
  owner: KeyOwner,
  { model, signal }: { readonly model: string; readonly signal: AbortSignal },
): Promise<ReservedTurn | Denial> {
  const turn = new TurnElsewhere(state, owner, model);
  try {
    return await turn.reserve(signal);
  } catch (error) {
    if (error instanceof Failure) return turn.refuse({ failure: error });
    throw error;
  }
}

class TurnElsewhere implements ReservedTurn {
  readonly #state: ProxyState;
  readonly #owner: KeyOwner;
  readonly #model: string;
  readonly #id: string;
  readonly #startedAt: number;
  /** Absent: it was refused before that was known. */
  #context: RequestContext | undefined = undefined;
  #subjects: readonly RateSubject[] = [];
  #reservation: Reservation | undefined = undefined;
  #price: Price | undefined = undefined;
  #isOver = false;

  constructor(state: ProxyState, owner: KeyOwner, model: string) {
    this.#state = state;
    this.#owner = owner;
    this.#model = model;
    this.#id = state.options.newId("req");
    this.#startedAt = state.options.now();
  }

  get amount(): number {
    return this.#reservation?.amount ?? 0;
  }

  async reserve(signal: AbortSignal): Promise<ReservedTurn | Denial> {
    const { options, prices, rates } = this.#state;
    const context = this.#owner.holder.context();
    if (context instanceof Failure) return this.refuse({ failure: context });
    this.#context = context;
    const provider = options.providers.get(context.provider);
    const refused = refusedModel(rulesOf(context, true), { provider: provider.id, model: this.#model });
    if (refused !== undefined) return this.refuse({ failure: refused });
    this.#price = prices.priceOf(provider, this.#model)?.price;
    if (this.#price === undefined) return this.refuse({ failure: unpriced(provider, this.#model) });
    const subjects = subjectsOf(this.#owner, context, provider);
    const limited = rates.take(subjects);
    if (limited !== undefined) return this.refuse(limited);
    this.#subjects = subjects;
    const answer = await options.ledger.reserve(await this.#claim(context), signal);
    if (!("settle" in answer)) return this.refuse({ failure: outOfFunds(answer), shortage: answer });
    this.#reservation = answer;
    return this;
  }

  /** The other machine has said what the turn has cost. */
  settle({ usage, cost_microusd }: TurnReport): void {
    const tokens = tokensOf(usage);
    const told = cost_microusd ?? (this.#price === undefined ? undefined : costOf(this.#price, tokens, USUAL_PLACE));
    this.#end("completed", { tokens, cost: told ?? this.amount, bound: told === undefined ? this.amount : 0 });
  }

  /** Nobody knows what it has cost: the other machine keeps to the amount. */
  settleAll(): void {
    this.#end("broken", { tokens: NO_TOKENS, cost: this.amount, bound: this.amount });
  }

  /** Nothing was sent. */
  release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reservation?.release();
  }

  refuse(denial: Denial): Denial {
    this.#tell({ outcome: "refused", status: 0, denial });
    return denial;
  }

  async #claim(context: RequestContext): Promise<Parameters<ProxyState["options"]["ledger"]["reserve"]>[0]> {
    const { session_id, turn_id, agent, engine, provider, spendingLimits } = context;
    const amount = await this.#room(spendingLimits);
    const who = { session_id, turn_id, agent, engine, provider };
    return { id: this.#id, ...who, model: this.#model, spendingLimits, amount };
  }

  /** What every limit leaves now. Where one leaves nothing, the ledger says which. */
  async #room(spendingLimits: readonly SpendingLimit[]): Promise<number> {
    let room: number = LIMITS.tunnelTurnMicrousd;
    for (const { account, limit } of spendingLimits) {
      if (limit === undefined) continue;
      const { spent, reserved } = await this.#state.options.ledger.balance(account);
      room = Math.min(room, limit - spent - reserved);
    }
    return Math.max(1, room);
  }

  #end(outcome: "completed" | "broken", charge: Charge): void {
    if (this.#isOver) return;
    this.#reservation?.settle(charge);
    this.#tell({ outcome, status: outcome === "completed" ? 200 : 0, charge });
  }

  #tell({
    outcome,
    status,
    charge,
    denial,
  }: Pick<Exchange, "outcome" | "status"> & {
    readonly charge?: Charge | undefined;
    readonly denial?: Denial | undefined;
  }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { options, rates } = this.#state;
    const { session_id = "", turn_id, agent = "", engine = "", provider = "" } = this.#context ?? {};
    const tokens = charge?.tokens ?? NO_TOKENS;
    const exchange: Exchange = {
      id: this.#id,
      started_at: this.#startedAt,
      session_id,
      turn_id,
      agent,
      engine,
      provider,
      wire: "anthropic",
      route: ROUTE,
      model: this.#model,
      stream: true,
      request_bytes: 0,
      response_bytes: 0,
      status,
      outcome,
      code: denial?.failure.code,
      shortage: denial?.shortage,
      tokens,
      reserved_microusd: this.amount,
      cost_microusd: charge?.cost ?? 0,
      bound_microusd: charge?.bound ?? 0,
      attempts: denial === undefined ? 1 : 0,
      duration_ms: options.now() - this.#startedAt,
    };
    rates.used(this.#subjects, tokens.input + tokens.output + tokens.cache_read + tokens.cache_write);
    options.told(exchange);
    this.#owner.holder.told?.(exchange);
  }
}

const USUAL_PLACE = { placePercent: 100 };

function tokensOf(usage: ClaudeUsage | undefined): Charge["tokens"] {
  if (usage === undefined) return NO_TOKENS;
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = usage;
  return {
    ...NO_TOKENS,
    input: input_tokens,
    output: output_tokens,
    cache_read: cache_read_tokens,
    cache_write: cache_write_tokens,
  };
}
