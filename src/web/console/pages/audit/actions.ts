import type { AuditEntry } from "../../../../protocol/index.ts";

/** Every audited action, in words. One that is missing here is shown by its name. */
export const ACTIONS: Readonly<Record<string, string>> = {
  "session.create": "started a session",
  "session.prompt": "sent a prompt",
  "session.interrupt": "stopped a turn",
  "session.pause": "paused a session",
  "session.resume": "resumed a session",
  "session.close": "closed a session",
  "session.fork": "forked a session",
  "session.unqueue": "removed a queued prompt",
  "session.edit_prompt": "changed a queued prompt",
  "session.reorder": "reordered queued prompts",
  "session.configure": "changed a session",
  "budget.set": "set a session’s limit",
  "approval.decide": "answered an approval",
  "approval.timeout": "approval expired",
  "policy.set": "changed the policy",
  "pool.set": "changed the pool of workers",
  "provider.test": "tested a provider",
  "provider.set": "set a provider",
  "provider.remove": "removed a provider",
  "failover.set": "set other places for a model",
  "failover.remove": "removed other places for a model",
  "price.set": "set a price",
  "price.remove": "removed a price",
  "changes.apply": "applied changes of a session",
  "changes.commit": "committed changes of a session",
  "changes.discard": "discarded changes of a session",
  "changes.rewind": "put files of a session back",
  "changes.push": "pushed a commit of a session",
  "changes.pull_request": "opened a pull request from a session",
  "template.set": "saved a template",
  "template.delete": "removed a template",
  "token.create": "created a token",
  "token.delete": "removed a token",
};

export function actionWords({ action, details }: Pick<AuditEntry, "action" | "details">): string {
  if (action === "approval.decide") return decisionWords(details) ?? ACTIONS[action] ?? action;
  return ACTIONS[action] ?? action;
}

/** The decision on an approval; undefined: the entry does not say. */
function decisionWords(details: unknown): string | undefined {
  if (typeof details !== "object" || details === null || !("decision" in details)) return undefined;
  if (details.decision === "reject") return "rejected a call";
  if ("limit_microusd" in details) return "approved a new limit";
  if ("edited" in details && details.edited === true) return "approved a changed call";
  return "scope" in details && details.scope === "session" ? "approved a call for the session" : "approved a call";
}

/** The session of a target, if it has one. */
export function sessionOf({ target }: Pick<AuditEntry, "target">): string | undefined {
  return target.startsWith("ses_") ? target : undefined;
}

export function approvalOf({ target }: Pick<AuditEntry, "target">): string | undefined {
  return target.startsWith("apr_") ? target : undefined;
}

/** Details in one short line: the names and values of a flat object; absent: there are none. */
export function detailWords(details: unknown): string | undefined {
  if (details === undefined || details === null) return undefined;
  if (typeof details !== "object") return JSON.stringify(details);
  const words = Object.entries(details).map(([name, value]) => `${name}: ${short(value)}`);
  return words.length === 0 ? undefined : words.join(", ");
}

const SHORT_CHARS = 80;

function short(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > SHORT_CHARS ? `${text.slice(0, SHORT_CHARS)}…` : text;
}
