import type { SqlValue } from "./binding.ts";

/** The columns of `usage` that are added up. */
export const USAGE_SUMS = [
  "requests",
  "input",
  "output",
  "cache_read",
  "cache_write",
  "cache_write_1h",
  "reasoning",
  "web_searches",
  "cost_microusd",
  "bound_microusd",
] as const;

/** Two integers below 2^53 never overflow SQLite's 64 bits; stored sums stay below 2^53. */
function sum(column: string): string {
  return `MIN(${Number.MAX_SAFE_INTEGER}, ${column} + excluded.${column})`;
}

/** The last event of each session that some fork begins with. An unreadable row begins with nothing. */
const NEEDED = `
  SELECT json_extract(segment.value, '$.session_id') AS id, max(json_extract(segment.value, '$.upto')) AS upto
  FROM sessions, json_each(CASE WHEN json_valid(state) THEN state ELSE '{}' END, '$.lineage') segment
  WHERE parent_id IS NOT NULL GROUP BY 1`;

/** All write statements, by name. */
export const WRITES = {
  session: `
    INSERT INTO sessions (id, status, seq, created_at, updated_at, created_by, parent_id, parent_seq, unsettled, engine,
      search, token_parents, state)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET status = excluded.status, seq = excluded.seq, created_at = excluded.created_at,
      updated_at = excluded.updated_at, created_by = excluded.created_by, parent_id = excluded.parent_id,
      parent_seq = excluded.parent_seq, unsettled = excluded.unsettled, engine = excluded.engine,
      search = excluded.search, token_parents = excluded.token_parents, state = excluded.state`,
  // A session changes far more often than what its indexes are about: their pages are then left alone. Same values.
  sessionAsIndexed: `
    UPDATE sessions SET seq = ?3, updated_at = ?5, search = ?11, state = ?13
    WHERE id = ?1 AND status = ?2 AND created_at = ?4 AND created_by = ?6 AND parent_id IS ?7 AND parent_seq IS ?8
      AND unsettled = ?9 AND engine = ?10 AND token_parents = ?12`,
  event: "INSERT INTO events (session_id, seq, at, type, turn_id, body) VALUES (?, ?, ?, ?, ?, ?)",
  approval: `
    INSERT INTO approvals (id, session_id, status, created_at, body) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET session_id = excluded.session_id, status = excluded.status,
      created_at = excluded.created_at, body = excluded.body`,
  receipt: `
    INSERT INTO receipts (principal_id, key, request_hash, answer, expires_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (principal_id, key) DO UPDATE SET request_hash = excluded.request_hash, answer = excluded.answer,
      expires_at = excluded.expires_at`,
  deletedPrincipal: "DELETE FROM principals WHERE id = ?",
  principal: `
    INSERT INTO principals (id, principal_id, name, role, token_hash, created_at, bounds, expires_at, last_used_at,
      made_with)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET principal_id = excluded.principal_id, name = excluded.name, role = excluded.role,
      token_hash = excluded.token_hash, created_at = excluded.created_at, bounds = excluded.bounds,
      expires_at = excluded.expires_at, last_used_at = excluded.last_used_at, made_with = excluded.made_with`,
  usedPrincipal: "UPDATE principals SET last_used_at = ? WHERE id = ?",
  deletedKey: "DELETE FROM keys WHERE id = ?",
  key: `
    INSERT INTO keys (id, key_hash, token_id, created_at, expires_at, last_used_at, body) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET key_hash = excluded.key_hash, token_id = excluded.token_id,
      created_at = excluded.created_at, expires_at = excluded.expires_at, last_used_at = excluded.last_used_at,
      body = excluded.body`,
  usedKey: "UPDATE keys SET last_used_at = ? WHERE id = ?",
  audit: `
    INSERT INTO audit (id, at, by, action, target, details) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET at = excluded.at, by = excluded.by, action = excluded.action,
      target = excluded.target, details = excluded.details`,
  document: "INSERT INTO documents (name, at, by, body) VALUES (?, ?, ?, ?)",
  olderDocuments: `
    DELETE FROM documents WHERE name = ?1
      AND id <= (SELECT id FROM documents WHERE name = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`,
  deletedDocument: "DELETE FROM documents WHERE name = ?",
  endedReservation: "DELETE FROM reservations WHERE id = ?",
  reservation: `
    INSERT INTO reservations (id, at, session_id, turn_id, key_id, agent, engine, provider, model, accounts, amount)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  spending: `
    INSERT INTO accounts (key, spent) VALUES (?, ?)
    ON CONFLICT (key) DO UPDATE SET spent = ${sum("spent")}`,
  usage: `
    INSERT INTO usage (day, session, turn, key, agent, engine, provider, model, ${USAGE_SUMS.join(", ")})
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ${USAGE_SUMS.map(() => "?").join(", ")})
    ON CONFLICT (session, key, day, turn, agent, engine, provider, model)
    DO UPDATE SET ${USAGE_SUMS.map((column) => `${column} = ${sum(column)}`).join(", ")}`,
  deletedApprovals: "DELETE FROM approvals WHERE session_id = ?",
  deletedSession: "DELETE FROM sessions WHERE id = ?",
  deletedMark: "INSERT INTO deleted_sessions (id) VALUES (?) ON CONFLICT (id) DO NOTHING",
  // What a fork begins with stays until the fork is deleted.
  deletedEvents: `
    WITH needed AS MATERIALIZED (${NEEDED})
    DELETE FROM events WHERE rowid IN (
      SELECT events.rowid FROM deleted_sessions LEFT JOIN needed ON needed.id = deleted_sessions.id
      JOIN events ON events.session_id = deleted_sessions.id AND events.seq > coalesce(needed.upto, 0)
      WHERE deleted_sessions.id NOT IN (SELECT value FROM json_each(?)) LIMIT ?)`,
  // The same for one session, so that only a session on a damaged page keeps its events.
  deletedEventsOf: `
    WITH needed AS MATERIALIZED (${NEEDED})
    DELETE FROM events WHERE rowid IN (
      SELECT rowid FROM events
      WHERE session_id = ? AND seq > coalesce((SELECT upto FROM needed WHERE needed.id = events.session_id), 0) LIMIT ?)`,
  deletedForGood: `
    DELETE FROM deleted_sessions WHERE id NOT IN (SELECT value FROM json_each(?))
      AND NOT EXISTS (SELECT 1 FROM events WHERE events.session_id = deleted_sessions.id)`,
  sweep: "DELETE FROM receipts WHERE rowid IN (SELECT rowid FROM receipts WHERE expires_at <= ? LIMIT ?)",
  sweepPrincipals: "DELETE FROM principals WHERE rowid IN (SELECT rowid FROM principals WHERE expires_at <= ? LIMIT ?)",
  sweepKeys: "DELETE FROM keys WHERE rowid IN (SELECT rowid FROM keys WHERE expires_at <= ? LIMIT ?)",
} as const;

export type WriteName = keyof typeof WRITES;

/** One statement to run: plain values only, so that passing it to the writer's thread is cheap and cannot fail. */
export type WriteOperation = readonly [name: WriteName, values: readonly SqlValue[]];
