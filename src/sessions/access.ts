import { may, type Capability } from "../gate/index.ts";
import { Failure, type PrincipalRef, type Redactor, type Role } from "../protocol/index.ts";
import type { AuditRow } from "../store/index.ts";
import type { Services } from "./services.ts";

/** Who is calling: a principal whose token was checked. */
export interface Caller extends PrincipalRef {
  readonly role: Role;
}

/** Throws unless the caller may do this at all. Answers whether it is so for everybody's sessions or only its own. */
export function authorize(caller: Caller, capability: Capability): "all" | "own" {
  const scope = may(caller.role, capability);
  if (scope === "no") throw new Failure("forbidden", `the role ${caller.role} may not ${capability}`);
  return scope;
}

/** The same for one session. To a stranger a session that is not its own does not exist. */
export function authorizeFor(
  caller: Caller,
  capability: Capability,
  owned: { readonly owner: string; readonly what: string },
): void {
  if (authorize(caller, capability) === "own" && owned.owner !== caller.id)
    throw new Failure("not_found", `there is no ${owned.what}`);
}

export interface Deed {
  readonly action: string;
  readonly target: string;
  readonly details?: unknown;
}

/** One line of the audit log, to be committed beside what it tells of. */
export function auditRow(
  services: Pick<Services, "newId" | "clock" | "redact">,
  by: PrincipalRef,
  deed: Deed,
): AuditRow {
  return {
    id: services.newId("aud"),
    at: new Date(services.clock.now()).toISOString(),
    by: { id: by.id, name: by.name, role: by.role },
    action: deed.action,
    target: deed.target,
    details: JSON.parse(redactedDetails(services.redact, deed)) as unknown,
  };
}

/** Of what a person decided on only known secrets are taken out: the rest is what was approved. */
function redactedDetails(redact: Redactor, { action, details = {} }: Deed): string {
  const json = JSON.stringify(details);
  return action.startsWith("approval.") ? redact.exact(json) : redact(json);
}
