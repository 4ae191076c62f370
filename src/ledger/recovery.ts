import { type NewId, NO_TOKENS, SYSTEM, type Log } from "../protocol/index.ts";
import type { MoneyStore } from "../store/index.ts";
import { usageRow } from "./accounts.ts";

/** What the ledger works with. */
export interface Recovery {
  readonly store: MoneyStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly newId: NewId;
  readonly log: Log;
}

/**
 * Reservations found in the store at start belong to a dead process. The cost of their requests can no longer be known,
 * so each counts as fully spent and is marked as a bound. All in one write.
 */
export async function settleLeft({ store, now, newId, log }: Recovery): Promise<void> {
  const left = await store.read.reservations();
  if (left.length === 0) return;
  const spending = new Map<string, number>();
  for (const { accounts, amount } of left) {
    for (const account of accounts) {
      spending.set(account, Math.min((spending.get(account) ?? 0) + amount, Number.MAX_SAFE_INTEGER));
    }
  }
  const details = {
    reservations: left.length,
    amount_microusd: Math.min(
      left.reduce((sum, { amount }) => sum + amount, 0),
      Number.MAX_SAFE_INTEGER,
    ),
  };
  const audit = { id: newId("aud"), at: new Date(now()).toISOString(), by: SYSTEM, action: "ledger.settle_left" };
  await store.commit({
    endedReservations: left.map(({ id }) => id),
    spending: [...spending].map(([account, amount]) => ({ account, amount })),
    usage: left.map((row) =>
      usageRow(row, Date.parse(row.at), { tokens: NO_TOKENS, cost: row.amount, bound: row.amount }),
    ),
    audit: [{ ...audit, target: "ledger", details }],
  });
  log.warn(details, "Requests were under way when the last process ended: their reservations count as spent");
}
