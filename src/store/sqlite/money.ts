import { Failure, USAGE_GROUPS, type UsageGroup } from "../../protocol/index.ts";
import { countOf, reservationRow, spentOf, usageLine } from "./rows.ts";
import { counted, type Select } from "./select.ts";
import { USAGE_SUMS } from "./statements.ts";
import type { StoreReader } from "../store.ts";

const RESERVATION = "id, at, session_id, turn_id, key_id, agent, engine, provider, model, accounts, amount";

/** A double adds integers exactly up to 2^53, where the sum is capped: it cannot overflow, however many rows there are. */
const SUMS = USAGE_SUMS.map((column) => `CAST(MIN(TOTAL(${column}), ${Number.MAX_SAFE_INTEGER}) AS INTEGER) ${column}`);

/** The only names that a usage query puts into SQL. */
const COLUMNS: Readonly<Record<UsageGroup, string>> = {
  day: "day",
  agent: "agent",
  model: "model",
  provider: "provider",
  session: "session",
  engine: "engine",
  turn: "turn",
  key: "key",
};

export function money(
  select: Select,
): Pick<StoreReader, "reservations" | "spent" | "usage" | "activeSessions" | "activeSessionsMadeWith"> {
  return {
    reservations: async () =>
      select({
        sql: `SELECT ${RESERVATION} FROM reservations ORDER BY at, id`,
        values: [],
        row: reservationRow,
      }),
    spent: async (account) =>
      select({ sql: "SELECT spent FROM accounts WHERE key = ?", values: [account], row: spentOf })[0] ?? 0,
    usage: async ({ by, from, to, session, agent, key, limit }) => {
      const columns = columnsOf(by).join(", ");
      const filters = [
        { sql: "day >= ?", value: from },
        { sql: "day <= ?", value: to },
        { sql: "session = ?", value: session },
        { sql: "agent = ?", value: agent },
        { sql: "key = ?", value: key },
      ].flatMap(({ sql, value }) => (value === undefined ? [] : [{ sql, value }]));
      const where = filters.length === 0 ? "" : `WHERE ${filters.map(({ sql }) => sql).join(" AND ")}`;
      return select({
        sql: `SELECT ${columns}, ${SUMS.join(", ")} FROM usage ${where} GROUP BY ${columns} ORDER BY ${columns} LIMIT ?`,
        values: [...filters.map(({ value }) => value), counted(limit)],
        row: usageLine,
      });
    },
    activeSessions: async (created_by) =>
      select({
        // Matches the condition of the index `sessions_active`.
        sql: "SELECT COUNT(*) count FROM sessions WHERE created_by = ? AND status NOT IN ('complete', 'failed')",
        values: [created_by],
        row: countOf,
      })[0] ?? 0,
    activeSessionsMadeWith: async (token_id) =>
      select({
        sql: `SELECT COUNT(*) count FROM sessions INDEXED BY sessions_active_by_token
              WHERE instr(token_parents, ?) > 0 AND status NOT IN ('complete', 'failed')`,
        values: [` ${token_id} `],
        row: countOf,
      })[0] ?? 0,
  };
}

function columnsOf(by: readonly UsageGroup[]): readonly string[] {
  const known = by.every((group) => Object.hasOwn(COLUMNS, group));
  if (known && by.length > 0 && new Set(by).size === by.length) return by.map((group) => COLUMNS[group]);
  throw new Failure(
    "invalid_request",
    `Usage is grouped by one or more of ${USAGE_GROUPS.join(", ")}, each once, not by "${by.join(", ")}".`,
  );
}
