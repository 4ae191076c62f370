import { costOf, type Charge, type Reservation, type RequestFacts } from "../ledger/index.ts";
import { NO_TOKENS, type Price } from "../protocol/index.ts";
import type { ProxyState } from "./state.ts";
import type { AdmissibleRequest } from "./judge.ts";
import type { MeterTally } from "./meter/tally.ts";
import type { Exchange } from "./proxy.ts";

/** A request with its reserved money. */
export interface ReservedRequest {
  readonly reservation: Reservation;
  readonly price: Price;
  readonly facts: RequestFacts;
  /** The most output tokens it can have. */
  readonly maxOutput: number;
}

/** The whole reservation: the real usage is unknown. */
export function chargeAll({ reservation }: ReservedRequest): Charge {
  return { tokens: NO_TOKENS, cost: reservation.amount, bound: reservation.amount };
}

/** What the provider reported, and the bound of what it did not. */
export function chargeTold(reserved: ReservedRequest, tally: MeterTally): Charge {
  const { reservation, price, facts, maxOutput } = reserved;
  const options = { placePercent: facts.placePercent };
  const tokens = tally.tokens();
  const told = costOf(price, tokens, options);
  if (tally.input !== undefined && tally.output !== undefined && tally.isFinal) return { tokens, cost: told, bound: 0 };
  // Results of the provider's own tools are input too, and come after the input was reported.
  const isInputKnown = tally.input !== undefined && facts.serverTools.length === 0;
  const most = isInputKnown
    ? costOf(price, { ...tokens, output: Math.max(tokens.output, maxOutput) }, options)
    : reservation.amount;
  const cost = Math.max(told, most);
  return { tokens, cost, bound: cost - told };
}

/**
 * A provider that breaks off is charged the uncertain part once for all attempts of a call, and is stopped if it keeps
 * doing so. A caller that leaves does not count: the provider may still work on each of its requests.
 */
export function chargeInTheEnd(
  { options, uncertain, closing }: ProxyState,
  { provider, asked, context }: AdmissibleRequest,
  { outcome, charge }: { readonly outcome: Exchange["outcome"]; readonly charge: Charge },
): Charge {
  const call = { session: context.key_id ?? context.session_id, body: asked?.sent ?? "" };
  if (outcome === "completed") {
    options.breaker.answered(provider.id);
    uncertain.answered(call);
    return charge;
  }
  if (outcome !== "broken" || closing || charge.bound === 0) return charge;
  options.breaker.broke(provider.id);
  return uncertain.once(call, charge);
}
