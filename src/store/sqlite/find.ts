import { LIMITS } from "../../protocol/index.ts";
import { fromCursor, toCursor, type PageEnd } from "./cursor.ts";
import { isDamagedPage } from "./damage.ts";
import { auditRow, sessionRow } from "./rows.ts";
import { counted, type List, type Select, selectPage } from "./select.ts";
import type { AuditRow, RowPage, StoreReader, SessionRow } from "../store.ts";

export const SESSION =
  "id, status, seq, created_at, updated_at, created_by, parent_id, parent_seq, unsettled, engine, search, token_parents, state";
export const SESSIONS: List<SessionRow> = {
  name: "sessions",
  from: "sessions",
  columns: SESSION,
  at: "created_at",
  id: "id",
  row: sessionRow,
  place: ({ created_at, id }) => ({ at: created_at, id }),
  one: oneSession,
};

/** The readable part of a session on a damaged page: the columns before the long ones, or only its position. */
function oneSession(select: Select, { at, id }: PageEnd): SessionRow {
  const readable = `${SESSION.replace(", engine, search, token_parents, state", "")}, '' AS engine, '' AS search,
    '' AS token_parents, '' AS state`;
  for (const columns of [SESSION, readable]) {
    try {
      const sql = `SELECT ${columns} FROM sessions WHERE id = ?`;
      const [row] = select({ sql, values: [id], row: sessionRow, session: id });
      if (row !== undefined) return row;
    } catch (error) {
      if (!isDamagedPage(error)) throw error;
    }
  }
  const unknown = { created_by: "", engine: "", search: "", token_parents: "", state: "" };
  return { id, status: "failed", seq: 0, created_at: at, updated_at: at, unsettled: false, ...unknown };
}

const AUDIT: List<AuditRow> = {
  name: "audit",
  from: "audit",
  columns: "id, at, by, action, target, details",
  at: "at",
  id: "id",
  row: auditRow,
  place: ({ at, id }) => ({ at, id }),
};

/** A row may be damaged. */
const PROJECTION = "CASE WHEN json_valid(state) THEN state ELSE '{}' END";

/** No index helps to find a word inside a text. So a page examines a bounded number of sessions, the newest first. */
export function findSessions(select: Select, query: Parameters<StoreReader["sessions"]>[0]): RowPage<SessionRow> {
  const { status, created_by, engine, words = [], archived, tag, workspace, from, to, cursor, limit } = query;
  const where = [
    { sql: "status = ?", value: status },
    { sql: "created_by = ?", value: created_by },
    { sql: "engine = ?", value: engine },
    { sql: "created_at >= ?", value: from },
    { sql: "created_at < ?", value: to },
    { sql: `coalesce(json_extract(${PROJECTION}, '$.archived'), 0) = 1`, value: archived === true ? [] : undefined },
    { sql: `coalesce(json_extract(${PROJECTION}, '$.archived'), 0) = 0`, value: archived === false ? [] : undefined },
    { sql: `EXISTS (SELECT 1 FROM json_each(${PROJECTION}, '$.tags') WHERE value = ?)`, value: tag },
    {
      sql: `? IN (json_extract(${PROJECTION}, '$.settings.workspace'), json_extract(${PROJECTION}, '$.settings.source'))`,
      value: workspace,
    },
    ...words.map((word) => ({ sql: "instr(search, ?) > 0", value: word })),
  ];
  const isIndexed = [engine, archived, tag, workspace, words[0]].every((value) => value === undefined);
  if (isIndexed) return selectPage(select, SESSIONS, { where, cursor, limit });
  const last = lastLookedAt(select, cursor);
  const bounded = [...where, { sql: "(created_at, id) >= (?, ?)", value: last && [last.at, last.id] }];
  const page = selectPage(select, SESSIONS, { where: bounded, cursor, limit });
  return page.next !== undefined || last === undefined ? page : { ...page, next: toCursor("sessions", last) };
}

/** Where a search that begins at a cursor ends; absent: at the oldest session. */
function lastLookedAt(select: Select, cursor: string | undefined): PageEnd | undefined {
  const from = cursor === undefined ? undefined : fromCursor("sessions", cursor);
  const [last, more] = select({
    sql: `SELECT created_at AS at, id FROM sessions ${from === undefined ? "" : "WHERE (created_at, id) < (?, ?)"}
          ORDER BY created_at DESC, id DESC LIMIT 2 OFFSET ?`,
    values: [...(from === undefined ? [] : [from.at, from.id]), LIMITS.searchedSessions - 1],
    row: ({ at, id }: PageEnd): PageEnd => ({ at, id }),
  });
  return more === undefined ? undefined : last;
}

/** There are few kinds of actions, each with its own index range: a page is merged from all of them. */
export function findAudit(select: Select, query: Parameters<StoreReader["audit"]>[0]): RowPage<AuditRow> {
  const { action, by, cursor, limit } = query;
  if (action === undefined && by === undefined) return selectPage(select, AUDIT, { where: [], cursor, limit });
  if (cursor !== undefined) fromCursor("audit", cursor);
  const pages = actionsLike(select, action ?? "").map((exact) => {
    const where = [
      { sql: "json_extract(by, '$.id') = ?", value: by },
      { sql: "action = ?", value: exact },
    ];
    return selectPage(select, AUDIT, { where, cursor, limit: counted(limit) });
  });
  const merged = pages.flatMap(({ rows }) => rows).sort(newestFirst);
  const rows = merged.slice(0, counted(limit));
  const last = rows.at(-1);
  const more = merged.length > rows.length || pages.some(({ next }) => next !== undefined);
  return more && last !== undefined ? { rows, next: toCursor("audit", AUDIT.place(last)) } : { rows };
}

/** The actions with this prefix, found one after the other in the index. */
function actionsLike(select: Select, prefix: string): readonly string[] {
  return select({
    sql: `WITH RECURSIVE known (action) AS (
            SELECT min(action) FROM audit WHERE action >= ?
            UNION ALL SELECT (SELECT min(action) FROM audit WHERE audit.action > known.action) FROM known
            WHERE instr(known.action, ?) = 1
          ) SELECT action FROM known WHERE instr(action, ?) = 1`,
    values: [prefix, prefix, prefix],
    row: ({ action }: { readonly action: string }) => action,
  });
}

function newestFirst(one: AuditRow, other: AuditRow): number {
  if (one.at !== other.at) return one.at < other.at ? 1 : -1;
  return one.id < other.id ? 1 : -1;
}
