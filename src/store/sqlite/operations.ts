import { Failure, LIMITS, type Approval } from "../../protocol/index.ts";
import type { WriteOperation } from "./statements.ts";
import type {
  AuditRow,
  EventRow,
  KeyRow,
  NewDocument,
  PrincipalRow,
  ReceiptRow,
  ReservationRow,
  SessionRow,
  SpendingRow,
  UsageRow,
  Write,
} from "../store.ts";

/** A Write as the writer takes it. */
export interface Encoded {
  readonly operations: readonly WriteOperation[];
  /** UTF-16 units of all text. */
  readonly chars: number;
}

/** Encoded when the Write is requested: later changes to the caller's objects do not affect what is stored. */
export function encode(write: Write): Encoded {
  return measured([
    ...(write.deletedSessions ?? []).flatMap(deletedSession),
    ...(write.sessions ?? []).map(session),
    ...(write.events ?? []).map(event),
    ...(write.approvals ?? []).map(approval),
    ...(write.receipts ?? []).map(receipt),
    // Before the new ones, so that one Write can move a token to another principal.
    ...(write.deletedPrincipals ?? []).map((id): WriteOperation => ["deletedPrincipal", [id]]),
    ...(write.principals ?? []).map(principal),
    ...(write.usedPrincipals ?? []).map(({ id, at }): WriteOperation => ["usedPrincipal", [at, id]]),
    ...(write.deletedKeys ?? []).map((id): WriteOperation => ["deletedKey", [id]]),
    ...(write.keys ?? []).map(key),
    ...(write.usedKeys ?? []).map(({ id, at }): WriteOperation => ["usedKey", [at, id]]),
    ...(write.audit ?? []).map(audit),
    ...(write.deletedDocuments ?? []).map((name): WriteOperation => ["deletedDocument", [name]]),
    ...(write.documents ?? []).flatMap(document),
    ...(write.endedReservations ?? []).map((id): WriteOperation => ["endedReservation", [id]]),
    ...(write.reservations ?? []).map(reservation),
    ...(write.spending ?? []).map(spending),
    ...(write.usage ?? []).map(usage),
  ]);
}

function deletedSession(id: string): readonly WriteOperation[] {
  return [
    ["deletedApprovals", [id]],
    ["deletedSession", [id]],
    ["deletedMark", [id]],
  ];
}

/** Deletes part of what deleted sessions left; the last statement says how many rows. Damaged ones are skipped. */
export function encodeDeletedEvents(limit: number, damaged: Iterable<string>): Encoded {
  const skipped = JSON.stringify([...damaged]);
  return {
    operations: [
      ["deletedForGood", [skipped]],
      ["deletedEvents", [skipped, limit]],
    ],
    chars: skipped.length * 2,
  };
}

/** The same for one session. */
export function encodeDeletedEventsOf(session_id: string, limit: number): Encoded {
  return { operations: [["deletedEventsOf", [session_id, limit]]], chars: session_id.length };
}

/** The index of the session id in an operation's values. */
const SESSION_AT: Partial<Readonly<Record<WriteOperation[0], number>>> = {
  session: 0,
  event: 0,
  approval: 1,
  deletedApprovals: 0,
  deletedSession: 0,
  deletedMark: 0,
  deletedEventsOf: 0,
};

/** The session that a Write is about; undefined: none, or several. */
export function sessionIn(operations: readonly WriteOperation[]): string | undefined {
  const named = operations.flatMap(([name, values]) => {
    const at = SESSION_AT[name];
    return at === undefined ? [] : [values[at]];
  });
  const [first] = new Set(named);
  return typeof first === "string" && named.every((id) => id === first) ? first : undefined;
}

/** What a sweep deletes, one kind of row after the other. */
export const SWEEPS = ["sweep", "sweepPrincipals", "sweepKeys"] as const satisfies readonly WriteOperation[0][];

export function encodeSweep(
  what: (typeof SWEEPS)[number],
  { now, limit }: { readonly now: number; readonly limit: number },
): Encoded {
  const before = what === "sweep" ? now : now - LIMITS.expiredTokenKeptMs;
  return { operations: [[what, [before, limit]]], chars: 0 };
}

/** The bindings silently end a text at its first NUL: two keys could become one. Such text is refused instead. */
export function storable(text: string): string {
  if (!text.includes("\0")) return text;
  throw new Failure("invalid_request", "Text with a NUL character cannot be stored: remove it.");
}

function measured(operations: readonly WriteOperation[]): Encoded {
  let chars = 0;
  for (const [, values] of operations) {
    for (const value of values) if (typeof value === "string") chars += storable(value).length;
  }
  return { operations, chars };
}

function session(row: SessionRow): WriteOperation {
  const parent = [row.parent_id ?? null, row.parent_seq ?? null];
  const { id, status, seq, created_at, updated_at, created_by, unsettled, engine, search, token_parents, state } = row;
  const found = [engine, search, token_parents, state];
  return ["session", [id, status, seq, created_at, updated_at, created_by, ...parent, unsettled ? 1 : 0, ...found]];
}

function event(row: EventRow): WriteOperation {
  return ["event", [row.session_id, row.seq, row.at, row.type, endedTurn(row), row.body]];
}

/** The turn that this event ends, for `turnEnd`; null for every other event. */
function endedTurn(row: EventRow): string | null {
  if (row.type !== "turn.completed" && row.type !== "turn.failed") return null;
  const body = JSON.parse(row.body) as { readonly turn_id?: unknown };
  return typeof body.turn_id === "string" ? body.turn_id : null;
}

function approval(row: Approval): WriteOperation {
  return ["approval", [row.id, row.session_id, row.status, row.created_at, JSON.stringify(row)]];
}

function receipt(row: ReceiptRow): WriteOperation {
  return ["receipt", [row.principal_id, row.key, row.request_hash, row.answer, row.expires_at]];
}

function principal(row: PrincipalRow): WriteOperation {
  const { id, principal_id, name, role, token_hash, created_at, bounds, expires_at, last_used_at, made_with } = row;
  const times = [expires_at ?? null, last_used_at ?? null];
  const who = [id, principal_id, name, role, token_hash, created_at];
  return ["principal", [...who, JSON.stringify(bounds), ...times, made_with ?? null]];
}

function key(row: KeyRow): WriteOperation {
  const { id, key_hash, token_id, created_at, expires_at, last_used_at, name, owner, token, bounds } = row;
  const times = [created_at, expires_at ?? null, last_used_at ?? null];
  storable(name);
  return ["key", [id, key_hash, token_id, ...times, JSON.stringify({ name, owner, token, bounds })]];
}

function audit(row: AuditRow): WriteOperation {
  // JSON.stringify returns undefined for undefined, whatever its type says.
  const details = (JSON.stringify(row.details) as string | undefined) ?? null;
  return ["audit", [row.id, row.at, JSON.stringify(row.by), row.action, row.target, details]];
}

function document({ name, at, by, body, keep }: NewDocument): readonly WriteOperation[] {
  const added: WriteOperation = ["document", [name, at, JSON.stringify(by), body]];
  return keep === undefined ? [added] : [added, ["olderDocuments", [name, keep]]];
}

function reservation(row: ReservationRow): WriteOperation {
  const { id, at, session_id, turn_id, key_id, agent, engine, provider, model, accounts, amount } = row;
  const who = [id, at, session_id, turn_id ?? null, key_id ?? null, agent, engine, provider, model];
  for (const account of accounts) storable(account);
  return ["reservation", [...who, JSON.stringify(accounts), whole(amount)]];
}

function spending({ account, amount }: SpendingRow): WriteOperation {
  return ["spending", [account, whole(amount)]];
}

function usage(row: UsageRow): WriteOperation {
  const { day, session, turn, key: ofKey, agent, engine, provider, model, tokens } = row;
  // In the order of USAGE_SUMS.
  const sums = [
    row.requests,
    tokens.input,
    tokens.output,
    tokens.cache_read,
    tokens.cache_write,
    tokens.cache_write_1h,
    tokens.reasoning,
    tokens.web_searches,
    row.cost_microusd,
    row.bound_microusd,
  ];
  return ["usage", [day, session, turn, ofKey, agent, engine, provider, model, ...sums.map(whole)]];
}

/** Money and tokens are only ever added, as integers that a double holds exactly. */
function whole(amount: number): number {
  if (Number.isSafeInteger(amount) && amount >= 0) return amount;
  throw new Failure("invalid_request", `Money and tokens are whole numbers from 0, not ${amount}.`);
}
