import { DAMAGED_TOOL } from "./damaged.ts";
import type { Approval, PrincipalRef, TokenBounds, TokenCount, UsageGroup, UsageLine } from "../../protocol/index.ts";
import type {
  AuditRow,
  DocumentRow,
  EventRow,
  KeyRow,
  OriginRow,
  PrincipalRow,
  ReceiptRow,
  ReservationRow,
  SessionRow,
} from "../store.ts";

// SQLite's raw records, and the rows made from them.

type SessionRecord = Omit<SessionRow, "parent_id" | "parent_seq" | "unsettled"> & {
  readonly parent_id: string | null;
  readonly parent_seq: number | null;
  readonly unsettled: number;
};
type AuditRecord = Omit<AuditRow, "by" | "details"> & { readonly by: string; readonly details: string | null };
type ReservationRecord = Omit<ReservationRow, "turn_id" | "key_id" | "accounts"> & {
  readonly turn_id: string | null;
  readonly key_id: string | null;
  readonly accounts: string;
};
type UsageRecord = Readonly<Partial<Record<UsageGroup, string>>> &
  Readonly<Record<keyof TokenCount | "requests" | "cost_microusd" | "bound_microusd", number>>;
type PrincipalRecord = Omit<PrincipalRow, "bounds" | "expires_at" | "last_used_at" | "made_with"> & {
  readonly bounds: string;
  readonly expires_at: number | null;
  readonly last_used_at: number | null;
  readonly made_with: string | null;
};
type KeyRecord = Pick<KeyRow, "id" | "key_hash" | "token_id" | "created_at"> & {
  readonly expires_at: number | null;
  readonly last_used_at: number | null;
  readonly body: string;
};
type DocumentRecord = Omit<DocumentRow, "by"> & { readonly by: string };

export function sessionRow({ parent_id, parent_seq, unsettled, ...record }: SessionRecord): SessionRow {
  return {
    ...record,
    ...(parent_id === null ? {} : { parent_id }),
    ...(parent_seq === null ? {} : { parent_seq }),
    unsettled: unsettled === 1,
  };
}

type EventRecord = EventRow & { readonly whole: number };

/** Replaces an event whose row is damaged. */
const DAMAGED_EVENT = {
  type: "error",
  body: JSON.stringify({ type: "error", message: "This event is damaged in the database and cannot be shown." }),
};

export function eventRow({ session_id, seq, at, type, body, whole }: EventRecord): EventRow {
  return { session_id, seq, at, ...(whole === 1 ? { type, body } : DAMAGED_EVENT) };
}

/** A JSON column of a row that may be damaged. */
function parsed<Value>(text: string, instead: Value): Value {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return instead;
  }
}

const NOBODY: PrincipalRef = { id: "", name: "(damaged)", role: "viewer" };

export function seqOf({ seq }: { readonly seq: number }): number {
  return seq;
}

type ApprovalRecord = Pick<Approval, "id" | "session_id" | "status" | "created_at"> & { readonly body: string };

/** A question whose row is damaged is shown as such. Nobody can answer it: it has no hash. */
export function approvalRow({ id, session_id, status, created_at, body }: ApprovalRecord): Approval {
  const damaged: Approval = {
    id,
    session_id,
    status,
    created_at,
    turn_id: "",
    item_id: "",
    tool: DAMAGED_TOOL,
    tool_use_id: "",
    tier: "execute",
    input: {},
    input_hash: "",
    preview: { type: "generic", summary: "The row of this approval is damaged in the database." },
    warnings: [],
    reason: "damaged",
    unattended: "deny",
  };
  return parsed<Approval>(body, damaged);
}

export function receiptRow(record: ReceiptRow): ReceiptRow {
  return { ...record };
}

export function principalRow(record: PrincipalRecord): PrincipalRow {
  const { bounds, expires_at, last_used_at, made_with, ...row } = record;
  return {
    ...row,
    bounds: JSON.parse(bounds) as TokenBounds,
    ...(expires_at === null ? {} : { expires_at }),
    ...(last_used_at === null ? {} : { last_used_at }),
    ...(made_with === null ? {} : { made_with }),
  };
}

export function keyRow({ body, expires_at, last_used_at, ...record }: KeyRecord): KeyRow {
  return {
    ...record,
    ...(JSON.parse(body) as Pick<KeyRow, "name" | "owner" | "token" | "bounds">),
    ...(expires_at === null ? {} : { expires_at }),
    ...(last_used_at === null ? {} : { last_used_at }),
  };
}

export function originRow({ origin, until }: { readonly origin: string; readonly until: number | null }): OriginRow {
  return { origin, ...(until === null ? {} : { until }) };
}

export function idOf({ id }: { readonly id: string }): string {
  return id;
}

export function auditRow(record: AuditRecord): AuditRow {
  return {
    ...record,
    by: parsed(record.by, NOBODY),
    details: record.details === null ? undefined : parsed<unknown>(record.details, "(damaged)"),
  };
}

export function documentRow(record: DocumentRecord): DocumentRow {
  return { ...record, by: parsed(record.by, NOBODY) };
}

export function reservationRow({ turn_id, key_id, ...record }: ReservationRecord): ReservationRow {
  return {
    ...record,
    ...(turn_id === null ? {} : { turn_id }),
    ...(key_id === null ? {} : { key_id }),
    accounts: parsed<readonly string[]>(record.accounts, []),
  };
}

export function spentOf({ spent }: { readonly spent: number }): number {
  return spent;
}

export function countOf({ count }: { readonly count: number }): number {
  return count;
}

export function usageLine(record: UsageRecord): UsageLine {
  const { input, output, cache_read, cache_write, cache_write_1h, reasoning, web_searches, ...line } = record;
  return { ...line, tokens: { input, output, cache_read, cache_write, cache_write_1h, reasoning, web_searches } };
}
