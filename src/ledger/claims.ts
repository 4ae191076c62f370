import type { Shortage } from "../protocol/index.ts";
import type { SpendingLimit } from "./ledger.ts";
import type { Account } from "./account-cache.ts";

/** One limit and its account; absent: it bounds this one amount. */
interface Limit {
  readonly kind: SpendingLimit["kind"];
  readonly limit: number;
  readonly account: Account | undefined;
}

/** A claim with its accounts and limits looked up. */
export interface ResolvedClaim {
  readonly amount: number;
  /** Each once. */
  readonly accounts: readonly Account[];
  readonly limits: readonly Limit[];
}

/** `reserved`: only reservations of others, or earlier claims, are in the way. */
export type Admission =
  | { readonly kind: "fits" }
  | { readonly kind: "short"; readonly shortage: Shortage }
  | { readonly kind: "reserved"; readonly account: Account; readonly shortage: Shortage };

const FITS: Admission = { kind: "fits" };
const NOTHING = { spent: 0, reserved: 0 };

/** The keys of the accounts that these limits count on, each once. A limit without an account bounds the amount alone. */
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

/** Whether a claim fits all its limits now. */
function admissionOf({ amount, limits }: ResolvedClaim): Admission {
  // A free request fits every limit, even one already exceeded because a request cost more than its bound.
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

/** Like `admissionOf`. In addition, a claim may not overtake earlier ones (`ticket`) that wait at one of its limited accounts. */
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
