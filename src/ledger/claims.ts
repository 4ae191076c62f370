import type { Shortage } from "../protocol/index.ts";
import type { SpendingLimit } from "./ledger.ts";
import type { Account } from "./account-cache.ts";

/** One limit, with the account that it counts on; absent: it bounds this one amount. */
interface Limit {
  readonly kind: SpendingLimit["kind"];
  readonly limit: number;
  readonly account: Account | undefined;
}

/** Money that somebody wants set aside. */
export interface ResolvedClaim {
  readonly amount: number;
  /** Each once. */
  readonly accounts: readonly Account[];
  readonly limits: readonly Limit[];
}

/** `reserved`: only what others reserved stands in the way, or that they came first. */
export type Admission =
  | { readonly kind: "fits" }
  | { readonly kind: "short"; readonly shortage: Shortage }
  | { readonly kind: "reserved"; readonly account: Account; readonly shortage: Shortage };

const FITS: Admission = { kind: "fits" };
const NOTHING = { spent: 0, reserved: 0 };

/** The keys of the accounts that these count on, each once. A limit without one bounds the amount alone. */
export function keysOf(spendingLimits: readonly SpendingLimit[]): readonly string[] {
  return [...new Set(spendingLimits.flatMap(({ account }) => (account === "" ? [] : [account])))];
}

/** `accounts` are those of `keysOf(spendingLimits)`. */
export function resolveClaim(
  spendingLimits: readonly SpendingLimit[],
  accounts: readonly Account[],
  amount: number,
): ResolvedClaim {
  const limits = spendingLimits.flatMap(({ kind, limit, account }) =>
    limit === undefined ? [] : [{ kind, limit, account: accounts.find(({ key }) => key === account) }],
  );
  return { amount, accounts, limits };
}

/** Whether a claim passes each of its limits now. */
function admissionOf({ amount, limits }: ResolvedClaim): Admission {
  // What costs nothing passes every limit, also one that is behind us because a request cost more than its bound.
  if (amount === 0) return FITS;
  let waits: Admission | undefined;
  for (const limit of limits) {
    const { spent, reserved } = limit.account ?? NOTHING;
    if (amount > limit.limit - spent) return { kind: "short", shortage: shortageAt(limit, amount) };
    if (waits !== undefined || limit.account === undefined || amount <= limit.limit - spent - reserved) continue;
    waits = { kind: "reserved", account: limit.account, shortage: shortageAt(limit, amount) };
  }
  return waits ?? FITS;
}

/** As `admissionOf`; besides, nobody passes those who came earlier (`ticket`) and wait at one of its limited accounts. */
export function admissionInLine(claim: ResolvedClaim, ticket: number): Admission {
  const admission = admissionOf(claim);
  if (admission.kind !== "fits" || claim.amount === 0) return admission;
  for (const limit of claim.limits) {
    const first = limit.account?.waiting[0];
    if (limit.account === undefined || first === undefined || first.ticket >= ticket) continue;
    return { kind: "reserved", account: limit.account, shortage: shortageAt(limit, claim.amount) };
  }
  return admission;
}

function shortageAt({ kind, limit, account }: Limit, asked_microusd: number): Shortage {
  const { spent, reserved } = account ?? NOTHING;
  return { kind, limit_microusd: limit, spent_microusd: spent, reserved_microusd: reserved, asked_microusd };
}
