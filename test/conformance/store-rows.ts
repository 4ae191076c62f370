import { type Approval, NO_TOKENS, type PrincipalRef } from "../../src/protocol/index.ts";
import type {
  AuditRow,
  DocumentRow,
  EventRow,
  KeyRow,
  PrincipalRow,
  ReceiptRow,
  ReservationRow,
  SessionRow,
  Store,
  UsageRow,
} from "../../src/store/index.ts";

// Rows with everything filled in, so that a test only says what it is about.

const OPERATOR: PrincipalRef = { id: "tok_operator", name: "Zoë", role: "operator" };

/** ISO time, `seconds` after a fixed moment. */
export function at(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
}

export function sessionRow(row: Partial<SessionRow> & { readonly id: string }): SessionRow {
  return {
    status: "idle",
    seq: 0,
    created_at: at(0),
    updated_at: at(0),
    created_by: "tok_alice",
    unsettled: false,
    engine: "loop",
    search: row.id,
    token_parents: "",
    state: "{}",
    ...row,
  };
}

export function eventRow(session_id: string, seq: number, row: Partial<EventRow> = {}): EventRow {
  const body = JSON.stringify({ type: "error", message: `event ${seq}` });
  return { session_id, seq, at: at(0), type: "error", body, ...row };
}

/** Events `from` to `to`, both included. */
export function eventRows(session_id: string, from: number, to: number): readonly EventRow[] {
  return Array.from({ length: to - from + 1 }, (_, index) => eventRow(session_id, from + index));
}

export function turnEvent(session_id: string, seq: number, type: string, turn_id: string): EventRow {
  return eventRow(session_id, seq, { type, body: JSON.stringify({ type, turn_id }) });
}

export function approval(row: Partial<Approval> & { readonly id: string }): Approval {
  return {
    session_id: "ses_1",
    turn_id: "turn_1",
    item_id: "item_1",
    tool: "Bash",
    tool_use_id: "toolu_1",
    tier: "execute",
    input: { command: "echo 'hi' | tee ümlaut.txt" },
    input_hash: "0".repeat(64),
    preview: { type: "generic", summary: "runs a command" },
    warnings: [{ kind: "pipe", message: "pipes" }],
    reason: "supervised",
    unattended: "deny",
    created_at: at(0),
    expires_at: at(300),
    status: "pending",
    ...row,
  };
}

export function receipt(row: Partial<ReceiptRow> = {}): ReceiptRow {
  return {
    principal_id: "tok_alice",
    key: "key-1",
    request_hash: "a".repeat(64),
    answer: '{"turn_id":"turn_1"}',
    expires_at: 1_000,
    ...row,
  };
}

export function principal(row: Partial<PrincipalRow> & { readonly id: string }): PrincipalRow {
  const own = { principal_id: row.id, token_hash: `hash of ${row.id}`, bounds: {} };
  return { name: "Alice", role: "admin", created_at: at(0), ...own, ...row };
}

export function keyRow(row: Partial<KeyRow> & { readonly id: string }): KeyRow {
  return {
    name: "Notebook",
    key_hash: `hash of ${row.id}`,
    owner: { id: "tok_alice", name: "Alice", role: "operator" },
    token_id: "tok_alice",
    token: { bounds: { max_cost_microusd: 9 }, parents: [{ id: "tok_root", bounds: {} }] },
    bounds: { provider: "cloud", models: ["claude-*"], max_cost_microusd: 5 },
    created_at: at(0),
    ...row,
  };
}

export function auditRow(row: Partial<AuditRow> & { readonly id: string }): AuditRow {
  return { at: at(0), by: OPERATOR, action: "token.create", target: "tok_2", details: { role: "agent" }, ...row };
}

export function documentRow(row: Partial<DocumentRow> = {}): DocumentRow {
  return { name: "policy", at: at(0), by: OPERATOR, body: "tools:\n  - Read\n", ...row };
}

export function reservationRow(row: Partial<ReservationRow> & { readonly id: string }): ReservationRow {
  return {
    at: at(0),
    session_id: "ses_1",
    turn_id: "turn_1",
    agent: "tok_alice",
    engine: "loop",
    provider: "cloud",
    model: "claude-sonnet-5",
    accounts: ["session/ses_1", "total"],
    amount: 1_000,
    ...row,
  };
}

export function usageRow(row: Partial<UsageRow> = {}): UsageRow {
  return {
    day: "2026-01-01",
    session: "ses_1",
    turn: "turn_1",
    key: "",
    agent: "tok_alice",
    engine: "loop",
    provider: "cloud",
    model: "claude-sonnet-5",
    requests: 1,
    tokens: NO_TOKENS,
    cost_microusd: 0,
    bound_microusd: 0,
    ...row,
  };
}

export async function seqs(store: Store, session_id: string): Promise<readonly number[]> {
  const events = await store.read.events({ session_id, after: 0, limit: 1_000_000 });
  return events.map(({ seq }) => seq);
}

/** The code of each answer: "ok", or that of the failure. */
export async function codes(answers: readonly Promise<unknown>[]): Promise<readonly string[]> {
  const settled = await Promise.allSettled(answers);
  return settled.map((answer) =>
    answer.status === "fulfilled" ? "ok" : String((answer.reason as { readonly code?: unknown }).code),
  );
}
