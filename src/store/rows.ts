import type { Approval, PrincipalRef } from "../protocol/index.ts";
import type { AuditRow, DocumentRow, EventRow, PrincipalRow, ReceiptRow, SessionRow } from "./store.ts";

// What SQLite gives back, and the rows that are made of it.

type SessionRecord = Omit<SessionRow, "parent_id" | "parent_seq" | "unsettled"> & {
  readonly parent_id: string | null;
  readonly parent_seq: number | null;
  readonly unsettled: number;
};
type AuditRecord = Omit<AuditRow, "by" | "details"> & { readonly by: string; readonly details: string | null };
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
