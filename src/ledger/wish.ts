import type { Shortage } from "../protocol/index.ts";
import type { Purse } from "./ledger.ts";
import type { Account } from "./vault.ts";

/** One limit, with the account that it counts on; absent: it bounds this one amount. */
interface Limit {
  readonly kind: Purse["kind"];
  readonly limit: number;
  readonly account: Account | undefined;
}

/** Money that somebody wants set aside. */
export interface Wish {
  readonly amount: number;
  /** Each once. */
  readonly accounts: readonly Account[];
  readonly limits: readonly Limit[];
}

/** `reserved`: only what others reserved stands in the way, or that they came first. */
export type Standing =
  | { readonly kind: "fits" }
  | { readonly kind: "short"; readonly shortage: Shortage }
  | { readonly kind: "reserved"; readonly account: Account; readonly shortage: Shortage };

const FITS: Standing = { kind: "fits" };
const NOTHING = { spent: 0, reserved: 0 };

/** The keys of the accounts that these count on, each once. A purse without one bounds the amount alone. */
export function keysOf(purses: readonly Purse[]): readonly string[] {
  return [...new Set(purses.flatMap(({ account }) => (account === "" ? [] : [account])))];
}

/** `accounts` are those of `keysOf(purses)`. */
export function wishOf(purses: readonly Purse[], accounts: readonly Account[], amount: number): Wish {
  const limits = purses.flatMap(({ kind, limit, account }) =>
    limit === undefined ? [] : [{ kind, limit, account: accounts.find(({ key }) => key === account) }],
  );
  return { amount, accounts, limits };
}

/** Whether a wish passes each of its limits now. */
function standingOf({ amount, limits }: Wish): Standing {
  // What costs nothing passes every limit, also one that is behind us because a request cost more than its bound.
  if (amount === 0) return FITS;
  let waits: Standing | undefined;
  for (const limit of limits) {
    const { spent, reserved } = limit.account ?? NOTHING;
    if (amount > limit.limit - spent) return { kind: "short", shortage: shortageAt(limit, amount) };
    if (waits !== undefined || limit.account === undefined || amount <= limit.limit - spent - reserved) continue;
    waits = { kind: "reserved", account: limit.account, shortage: shortageAt(limit, amount) };
  }
  return waits ?? FITS;
}

/** As `standingOf`; besides, nobody passes those who came earlier (`ticket`) and wait at one of its limited accounts. */
export function standingInLine(wish: Wish, ticket: number): Standing {
  const standing = standingOf(wish);
  if (standing.kind !== "fits" || wish.amount === 0) return standing;
  for (const limit of wish.limits) {
    const first = limit.account?.waiting[0];
    if (limit.account === undefined || first === undefined || first.ticket >= ticket) continue;
    return { kind: "reserved", account: limit.account, shortage: shortageAt(limit, wish.amount) };
  }
  return standing;
}

function shortageAt({ kind, limit, account }: Limit, asked_microusd: number): Shortage {
  const { spent, reserved } = account ?? NOTHING;
  return { kind, limit_microusd: limit, spent_microusd: spent, reserved_microusd: reserved, asked_microusd };
}
