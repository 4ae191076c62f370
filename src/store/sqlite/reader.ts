import { LIMITS, type Approval } from "../../protocol/index.ts";
import { money } from "./money.ts";
import {
  approvalRow,
  countOf,
  documentRow,
  eventRow,
  idOf,
  keyRow,
  originRow,
  principalRow,
  receiptRow,
  seqOf,
  sessionRow,
} from "./rows.ts";
import { findAudit, findSessions, SESSION, SESSIONS } from "./find.ts";
import { counted, type List, type Select, selectOrEach, selectPage } from "./select.ts";
import type { EventRow, KeyRow, PrincipalRow, StoreReader } from "../store.ts";

const PRINCIPAL = "id, principal_id, name, role, token_hash, created_at, bounds, expires_at, last_used_at, made_with";
const PRINCIPALS: List<PrincipalRow> = {
  name: "principals",
  from: "principals",
  columns: PRINCIPAL,
  at: "created_at",
  id: "id",
  row: principalRow,
  place: ({ created_at, id }) => ({ at: created_at, id }),
};
const KEYS: List<KeyRow> = {
  name: "keys",
  from: "keys",
  columns: "id, key_hash, token_id, created_at, expires_at, last_used_at, body",
  at: "created_at",
  id: "id",
  row: keyRow,
  place: ({ created_at, id }) => ({ at: created_at, id }),
};
/** All tokens derived from one, to the greatest depth that a chain can have. */
const MADE_WITH = `WITH RECURSIVE made (id, depth) AS (
    SELECT id, 1 FROM principals WHERE made_with = ?
    UNION ALL SELECT principals.id, depth + 1 FROM principals JOIN made ON principals.made_with = made.id
    WHERE depth < ${LIMITS.tokenDepth}
  ) SELECT id FROM made`;

const APPROVALS: List<Approval> = {
  name: "approvals",
  from: "approvals",
  columns: "approvals.id, approvals.session_id, approvals.status, approvals.created_at, approvals.body",
  at: "approvals.created_at",
  id: "approvals.id",
  row: approvalRow,
  place: ({ created_at, id }) => ({ at: created_at, id }),
};

/** Each read is its own transaction on a read-only connection: it sees the last commit. */
export function makeReader(select: Select): StoreReader {
  return {
    ...journal(select),
    ...figures(select),
    ...inbox(select),
    ...registry(select),
    ...keys(select),
    ...money(select),
  };
}

function journal(
  select: Select,
): Pick<StoreReader, "session" | "sessions" | "unsettled" | "resting" | "events" | "turnEnd"> {
  return {
    session: async (id) =>
      select({ sql: `SELECT ${SESSION} FROM sessions WHERE id = ?`, values: [id], row: sessionRow, session: id })[0],
    sessions: async (query) => findSessions(select, query),
    unsettled: async () =>
      selectOrEach(select, SESSIONS, {
        rest: "FROM sessions WHERE unsettled = 1 ORDER BY created_at, id",
        values: [],
      }),
    resting: async ({ before = "~", after = { updated_at: "", id: "" }, limit }) =>
      selectOrEach(
        select,
        { ...SESSIONS, at: "updated_at" },
        {
          rest: `FROM sessions WHERE unsettled = 0 AND updated_at < ? AND (updated_at, id) > (?, ?)
                 ORDER BY updated_at, id LIMIT ?`,
          values: [before, after.updated_at, after.id, counted(limit)],
        },
      ),
    events: async ({ session_id, after, upto, limit, chars }) =>
      select({
        ...(chars === undefined ? {} : { isLast: passes(chars) }),
        sql: `SELECT session_id, seq, at, type, body, json_valid(body) AS whole FROM events
              WHERE session_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
        values: [session_id, after, upto ?? Number.MAX_SAFE_INTEGER, counted(limit)],
        row: eventRow,
        session: session_id,
      }),
    turnEnd: async ({ session_id, turn_id }) =>
      select({
        sql: "SELECT seq FROM events WHERE session_id = ? AND turn_id = ? ORDER BY seq LIMIT 1",
        values: [session_id, turn_id],
        row: seqOf,
        session: session_id,
      })[0],
  };
}

/** Figures for retention. */
function figures(select: Select): Pick<StoreReader, "sessionCount" | "lastStored" | "usedBytes"> {
  return {
    sessionCount: async () =>
      select({ sql: "SELECT count(*) AS count FROM sessions", values: [], row: countOf })[0] ?? 0,
    lastStored: async (before) =>
      select({
        sql: `SELECT max(at) AS at FROM (SELECT max(updated_at) AS at FROM sessions WHERE updated_at < ?
              UNION ALL SELECT max(at) AS at FROM audit WHERE at < ?)`,
        values: [before, before],
        row: ({ at }: { readonly at: string | null }) => at ?? undefined,
      })[0],
    usedBytes: async () => {
      const [used = 0] = select({
        sql: `SELECT (page_count - freelist_count) * page_size AS count
              FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
        values: [],
        row: countOf,
      });
      return used;
    },
  };
}

/** Counts characters; true from the row on that exceeds the bound. */
function passes(chars: number): (row: EventRow) => boolean {
  let seen = 0;
  return ({ body }) => {
    seen += body.length;
    return seen >= chars;
  };
}

function inbox(select: Select): Pick<StoreReader, "approval" | "approvals" | "receipt"> {
  return {
    approval: async (id) =>
      select({
        sql: "SELECT id, session_id, status, created_at, body FROM approvals WHERE id = ?",
        values: [id],
        row: approvalRow,
      })[0],
    approvals: async ({ status, session_id, created_by, cursor, limit }) => {
      const where = [
        { sql: "approvals.status = ?", value: status },
        { sql: "approvals.session_id = ?", value: session_id },
        { sql: "sessions.created_by = ?", value: created_by },
      ];
      // CROSS keeps approvals as the outer loop, in the order of their index, so that a page ends the search.
      const from = "approvals CROSS JOIN sessions ON sessions.id = approvals.session_id";
      const list = created_by === undefined ? APPROVALS : { ...APPROVALS, from };
      return selectPage(select, list, { where, cursor, limit });
    },
    receipt: async ({ principal_id, key, now }) =>
      select({
        sql: `SELECT principal_id, key, request_hash, answer, expires_at FROM receipts
              WHERE principal_id = ? AND key = ? AND expires_at > ?`,
        values: [principal_id, key, now],
        row: receiptRow,
      })[0],
  };
}

function keys(select: Select): Pick<StoreReader, "keys" | "key"> {
  return {
    keys: async ({ token_ids, cursor, limit }) => {
      const value = token_ids === undefined ? undefined : JSON.stringify(token_ids);
      const where = [{ sql: "token_id IN (SELECT value FROM json_each(?))", value }];
      return selectPage(select, KEYS, { where, cursor, limit });
    },
    key: async (id) => select({ sql: `SELECT ${KEYS.columns} FROM keys WHERE id = ?`, values: [id], row: keyRow })[0],
  };
}

const FOR_EVER = Number.MAX_SAFE_INTEGER;

function registry(
  select: Select,
): Pick<
  StoreReader,
  "principals" | "principal" | "principalByHash" | "principalsMadeWith" | "origins" | "audit" | "documents"
> {
  return {
    principals: async ({ role, made_with, cursor, limit }) => {
      const where = [
        role === undefined ? { sql: "role <> ?", value: "visitor" } : { sql: "role = ?", value: role },
        { sql: "made_with = ?", value: made_with },
      ];
      return selectPage(select, PRINCIPALS, { where, cursor, limit });
    },
    principal: async (id) =>
      select({ sql: `SELECT ${PRINCIPAL} FROM principals WHERE id = ?`, values: [id], row: principalRow })[0],
    principalsMadeWith: async (id) => select({ sql: MADE_WITH, values: [id], row: idOf }),
    origins: async (now) =>
      select({
        sql: `SELECT value AS origin, nullif(max(coalesce(expires_at, ?)), ?) AS until
              FROM principals, json_each(bounds, '$.origins') WHERE coalesce(expires_at, ?) > ? GROUP BY value`,
        values: [FOR_EVER, FOR_EVER, FOR_EVER, now],
        row: originRow,
      }),
    principalByHash: async (token_hash) =>
      select({
        sql: `SELECT ${PRINCIPAL} FROM principals WHERE token_hash = ?`,
        values: [token_hash],
        row: principalRow,
      })[0],
    audit: async (query) => findAudit(select, query),
    documents: async ({ name, limit }) =>
      select({
        sql: "SELECT name, at, by, body FROM documents WHERE name = ? ORDER BY id DESC LIMIT ?",
        values: [name, counted(limit)],
        row: documentRow,
      }),
  };
}
