import type { Approval, PrincipalRef, TokenCount, UsageGroup, UsageLine } from "../protocol/index.ts";
import type { AuditRow, DocumentRow, EventRow, PrincipalRow, ReceiptRow, ReservationRow, SessionRow } from "./store.ts";

// What SQLite gives back, and the rows that are made of it.

type SessionRecord = Omit<SessionRow, "parent_id" | "parent_seq" | "unsettled"> & {
  readonly parent_id: string | null;
  readonly parent_seq: number | null;
  readonly unsettled: number;
};
type AuditRecord = Omit<AuditRow, "by" | "details"> & { readonly by: string; readonly details: string | null };
type ReservationRecord = Omit<ReservationRow, "turn_id" | "accounts"> & {
  readonly turn_id: string | null;
  readonly accounts: string;
};
type UsageRecord = Readonly<Partial<Record<UsageGroup, string>>> &
  Readonly<Record<keyof TokenCount | "requests" | "cost_microusd" | "bound_microusd", number>>;
type DocumentRecord = Omit<DocumentRow, "by"> & { readonly by: string };

export function sessionRow({ parent_id, parent_seq, unsettled, ...record }: SessionRecord): SessionRow {
  return {
    ...record,
    ...(parent_id === null ? {} : { parent_id }),
    ...(parent_seq === null ? {} : { parent_seq }),
    unsettled: unsettled === 1,
  };
}

export function eventRow({ session_id, seq, at, type, body }: EventRow): EventRow {
  return { session_id, seq, at, type, body };
}

export function seqOf({ seq }: { readonly seq: number }): number {
  return seq;
}

export function approvalRow({ body }: { readonly body: string }): Approval {
  return JSON.parse(body) as Approval;
}

export function receiptRow(record: ReceiptRow): ReceiptRow {
  return { ...record };
}

export function principalRow(record: PrincipalRow): PrincipalRow {
  return { ...record };
}

export function auditRow(record: AuditRecord): AuditRow {
  return {
    ...record,
    by: JSON.parse(record.by) as PrincipalRef,
    details: record.details === null ? undefined : (JSON.parse(record.details) as unknown),
  };
}

export function documentRow(record: DocumentRecord): DocumentRow {
  return { ...record, by: JSON.parse(record.by) as PrincipalRef };
}

export function reservationRow({ turn_id, ...record }: ReservationRecord): ReservationRow {
  return {
    ...record,
    ...(turn_id === null ? {} : { turn_id }),
    accounts: JSON.parse(record.accounts) as readonly string[],
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
