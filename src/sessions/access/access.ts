import { firstExcess, isBounded, may, type Capability } from "../../gate/index.ts";
import { Failure, type PrincipalRef, type Redactor, type Role } from "../../protocol/index.ts";
import type { AuditRow } from "../../store/index.ts";
import type { Dependencies } from "../dependencies.ts";
import type { TokenScope } from "./token-scope.ts";

/** The caller: a principal whose token was checked. */
export interface Caller extends PrincipalRef {
  readonly role: Role;
  readonly token: CallerToken;
}

/** The token that a caller presented. */
interface CallerToken extends TokenScope {
  readonly id: string;
  /** Milliseconds since the epoch. Absent: never. */
  readonly expires_at?: number | undefined;
}

/** The part of a caller's token that its sessions keep. */
export function scopeOf({ token: { bounds, parents } }: Caller): TokenScope {
  return { bounds, parents };
}

/** Throws unless the caller may do this at all. Returns whether that holds for everybody's sessions or only its own. */
export function authorize(caller: Caller, capability: Capability): "all" | "own" {
  const scope = may(caller.role, capability);
  if (scope === "no") throw new Failure("forbidden", `the role ${caller.role} may not ${capability}`);
  return scope;
}

/** Capabilities that change a session, or let it do something. */
const ACTING: ReadonlySet<Capability> = new Set([
  "session.control",
  // A link shows it to people without a token.
  "session.share",
  "approval.decide",
  "approval.answer",
  "changes.decide",
  "changes.publish",
  "shell.use",
  "budget.raise",
]);

/** A session, or something that belongs to it. */
interface Owned {
  readonly state: { readonly created_by: Pick<PrincipalRef, "id">; readonly token: TokenScope };
  readonly what: string;
}

/**
 * The same for one session. A session that the caller may not see does not exist for it. A token with its own limits acts only in
 * sessions that it or its child tokens started, and only if their limits are no wider than its own.
 */
export function authorizeFor(caller: Caller, capability: Capability, { state, what }: Owned): void {
  const scope = authorize(caller, capability);
  const isOwn = state.created_by.id === caller.id;
  if (scope === "own" && !isOwn) throw new Failure("not_found", `there is no ${what}`);
  const { id, bounds } = caller.token;
  if (!ACTING.has(capability) || !isBounded(bounds)) return;
  if (!isOwn && !state.token.parents.some((parent) => parent.id === id))
    throw new Failure(
      "forbidden",
      `this token has limits of its own, so it cannot act in ${what}, which others started`,
    );
  const wider = firstExcess(state.token.bounds, bounds);
  if (wider !== undefined && wider !== "origins")
    throw new Failure("forbidden", `${what} may do more than this token (${wider}); begin a new session`);
}

/** Something that starts sessions by itself: a long run, a schedule, a webhook. */
interface Starting {
  readonly created_by: Pick<PrincipalRef, "id">;
  readonly what: string;
}

/** The same for one of them. A token with its own limits changes only what it made itself: the others may act with more than it has. */
export function authorizeStarting(caller: Caller, capability: Capability, { created_by, what }: Starting): void {
  const scope = authorize(caller, capability);
  if (created_by.id === caller.id) return;
  if (scope === "own") throw new Failure("not_found", `there is no ${what}`);
  if (isBounded(caller.token.bounds))
    throw new Failure("forbidden", `this token has limits of its own, so it cannot change ${what}, which others made`);
}

export interface AuditedAction {
  readonly action: string;
  readonly target: string;
  readonly details?: unknown;
}

/** One row of the audit log, committed together with what it describes. */
export function auditRow(
  dependencies: Pick<Dependencies, "newId" | "clock" | "redact">,
  by: PrincipalRef,
  audited: AuditedAction,
): AuditRow {
  return {
    id: dependencies.newId("aud"),
    at: new Date(dependencies.clock.now()).toISOString(),
    by: { id: by.id, name: by.name, role: by.role },
    action: audited.action,
    target: audited.target,
    details: JSON.parse(redactedDetails(dependencies.redact, audited)) as unknown,
  };
}

/** In details that a person decided on, only known secrets are redacted: the rest is what was approved. */
function redactedDetails(redact: Redactor, { action, details = {} }: AuditedAction): string {
  const json = JSON.stringify(details);
  return action.startsWith("approval.") ? redact.exact(json) : redact(json);
}
