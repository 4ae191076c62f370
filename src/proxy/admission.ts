import { worstCase, type Claim, type Reservation } from "../ledger/index.ts";
import { Failure, type Price, type Shortage } from "../protocol/index.ts";
import type { ProxyCall, Denial } from "./call.ts";
import type { ReservedRequest } from "./charge.ts";
import { countTokens } from "./count.ts";
import type { BodyFacts } from "./facts.ts";
import { judge, tooLong, type AdmissibleRequest, type ReceivedRequest } from "./judge.ts";
import type { Credential } from "./providers.ts";
import type { RequestContext } from "./proxy.ts";
import { outOfFunds } from "./refusals.ts";

/** A request that may go out. */
export interface Admitted {
  readonly judged: AdmissibleRequest;
  readonly credentials: readonly Credential[];
  /** Undefined: it is free in any case. */
  readonly reserved: ReservedRequest | undefined;
}

const MAX_COST_HEADER = "x-sallyport-max-cost-microusd";
const ABORTED: Denial = { failure: new Failure("aborted", "the caller is gone") };

/** Whether a request may go out, and with what money. */
export async function admit(call: ProxyCall, received: ReceivedRequest): Promise<Admitted | Denial> {
  try {
    const judged = judge(call, received);
    if ("failure" in judged) return judged;
    const credentials = await judged.provider.credentials();
    if (call.isGone) return ABORTED;
    const { asked, price } = judged;
    if (asked === undefined || price === undefined) return { judged, credentials, reserved: undefined };
    const wanted = requestClaimOf(call, judged, { price, facts: asked.facts });
    if (wanted instanceof Failure) return { failure: wanted };
    const stopped = wanted.claim.amount === 0 ? undefined : stoppedBy(call, judged.provider.id);
    if (stopped !== undefined) return stopped;
    // A request that is surely short enough need not be counted.
    if (judged.mayCount && asked.facts.bytes > (judged.context.maxContextTokens ?? Infinity)) {
      return await admitCounted(call, { judged, credentials, reserved: undefined }, wanted);
    }
    const answer = await call.state.options.ledger.reserve(wanted.claim, call.connection.signal);
    if (isReservation(answer)) return hold(call, { judged, credentials, reserved: undefined }, { ...wanted, answer });
    if (judged.mayCount && !call.isGone) {
      return await admitCounted(call, { judged, credentials, reserved: undefined }, wanted, answer);
    }
    return { failure: outOfFunds(answer), shortage: answer };
  } catch (error) {
    if (error instanceof Failure) return { failure: error };
    throw error;
  }
}

/** A provider that keeps breaking off gets no request for a while. */
function stoppedBy(call: ProxyCall, provider: string): Denial | undefined {
  const retryAfterMs = call.state.options.breaker.refusedFor(provider);
  if (retryAfterMs === undefined) return undefined;
  const seconds = Math.ceil(retryAfterMs / 1_000);
  const words =
    `the provider ${provider} broke off several times without saying what it used, so requests to it are stopped for ` +
    `${seconds} s: wait, or make sure that it works with \`sallyport provider test ${provider}\``;
  return { failure: new Failure("model_unavailable", words), status: 503, retryAfterMs };
}

/** The most that a request can cost, and whose money that is. */
interface RequestClaim {
  readonly claim: Claim;
  readonly price: Price;
  readonly facts: BodyFacts;
  readonly maxOutput: number;
}

function requestClaimOf(
  call: ProxyCall,
  judged: AdmissibleRequest,
  priced: { readonly price: Price; readonly facts: BodyFacts },
): RequestClaim | Failure {
  const { price, facts } = priced;
  const worst = worstCase(price, facts);
  if (worst instanceof Failure) return worst;
  const spendingLimits = spendingLimitsOf(call, judged.context);
  if (spendingLimits instanceof Failure) return spendingLimits;
  const { session_id, turn_id, key_id, agent, engine, provider } = judged.context;
  const { id, model } = call;
  const claim = {
    id,
    session_id,
    turn_id,
    key_id,
    agent,
    engine,
    provider,
    model,
    spendingLimits,
    amount: worst.amount,
  };
  return { claim, price, facts, maxOutput: worst.output };
}

/** The session's limits, and the request's own if it has one. */
function spendingLimitsOf(
  call: ProxyCall,
  { spendingLimits }: RequestContext,
): RequestContext["spendingLimits"] | Failure {
  const text = call.request.headers[MAX_COST_HEADER];
  if (text === undefined) return spendingLimits;
  const limit = typeof text === "string" && /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(limit)) {
    return new Failure(
      "invalid_request",
      `${MAX_COST_HEADER} must be a whole number of micro-USD: a dollar is 1000000`,
    );
  }
  // It bounds this one amount; nothing is counted on it.
  return [...spendingLimits, { kind: "request", account: "", limit }];
}

function hold(
  call: ProxyCall,
  admitted: Admitted,
  wanted: RequestClaim & { readonly answer: Reservation },
): Admitted | Denial {
  const { price, facts, maxOutput, answer } = wanted;
  if (call.isGone) {
    answer.release();
    return ABORTED;
  }
  call.reserved = answer.amount;
  return { ...admitted, reserved: { reservation: answer, price, facts, maxOutput } };
}

/**
 * Asks the provider for the prompt's length, if its bytes alone would exceed the session's context or limit.
 * `shortage`: by the byte count; absent: not tried.
 */
async function admitCounted(
  call: ProxyCall,
  admitted: Admitted,
  wanted: RequestClaim,
  shortage?: Shortage,
): Promise<Admitted | Denial> {
  const { judged, credentials } = admitted;
  const { ledger } = call.state.options;
  const counted = await countTokens(judged.upstream, {
    body: judged.asked?.sent ?? "",
    rawHeaders: call.request.rawHeaders,
    credential: credentials[0],
    signal: call.connection.signal,
  });
  if (call.isGone) return ABORTED;
  const facts = { ...wanted.facts, counted };
  const long = tooLong(judged.context, facts);
  if (long !== undefined) return { failure: long };
  if (counted === undefined && shortage !== undefined) return { failure: outOfFunds(shortage), shortage };
  const next = requestClaimOf(call, judged, { price: wanted.price, facts });
  if (next instanceof Failure) return { failure: next };
  const answer = await ledger.reserve(next.claim, call.connection.signal);
  if (isReservation(answer)) return hold(call, admitted, { ...next, answer });
  return { failure: outOfFunds(answer), shortage: answer };
}

function isReservation(answer: Reservation | Shortage): answer is Reservation {
  return "settle" in answer;
}
