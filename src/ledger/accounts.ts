import type { UsageRow } from "../store/index.ts";
import type { Charge, Claim } from "./ledger.ts";

/** The accounts that money is counted on, by key. A key is stable: it is in the store. */
export const ACCOUNTS = {
  turn: (turn_id: string): string => `turn/${turn_id}`,
  session: (session_id: string): string => `session/${session_id}`,
  agentDay: (agent: string, day: string): string => `agent_day/${agent}/${day}`,
  agent: (agent: string): string => `agent/${agent}`,
  keyDay: (key: string, day: string): string => `key_day/${key}/${day}`,
  key: (key: string): string => `key/${key}`,
  day: (day: string): string => `day/${day}`,
  total: "total",
} as const;

/** The UTC day of a time, `2026-11-15`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The usage of one request. */
export function usageRow(claim: Omit<Claim, "spendingLimits">, at: number, { tokens, cost, bound }: Charge): UsageRow {
  const { session_id, turn_id, key_id, agent, engine, provider, model } = claim;
  return {
    day: dayOf(at),
    session: session_id,
    turn: turn_id ?? "",
    key: key_id ?? "",
    agent,
    engine,
    provider,
    model,
    requests: 1,
    tokens,
    cost_microusd: cost,
    bound_microusd: bound,
  };
}
