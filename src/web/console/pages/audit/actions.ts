import type { AuditEntry } from "../../../../protocol/index.ts";
import { t } from "../../../ui/language/t.ts";

/** Every audited action, in words. One that is missing here is shown by its name. */
export const ACTIONS: Readonly<Record<string, string>> = {
  "session.create": t("started a session"),
  "session.prompt": t("sent a prompt"),
  "session.interrupt": t("stopped a turn"),
  "session.pause": t("paused a session"),
  "session.resume": t("resumed a session"),
  "session.close": t("closed a session"),
  "session.fork": t("forked a session"),
  "session.unqueue": t("removed a queued prompt"),
  "session.edit_prompt": t("changed a queued prompt"),
  "session.reorder": t("reordered queued prompts"),
  "shell.open": t("opened a terminal"),
  "shell.output": t("a terminal showed"),
  "shell.close": t("closed a terminal"),
  "session.send_now": t("sent a queued prompt into the running turn"),
  "session.configure": t("changed a session"),
  "budget.set": t("set a session’s limit"),
  "approval.decide": t("answered an approval"),
  "approval.timeout": t("approval expired"),
  "policy.set": t("changed the policy"),
  "pool.set": t("changed the pool of workers"),
  "provider.test": t("tested a provider"),
  "provider.set": t("set a provider"),
  "provider.remove": t("removed a provider"),
  "failover.set": t("set other places for a model"),
  "failover.remove": t("removed other places for a model"),
  "price.set": t("set a price"),
  "price.remove": t("removed a price"),
  "changes.apply": t("applied changes of a session"),
  "changes.commit": t("committed changes of a session"),
  "changes.discard": t("discarded changes of a session"),
  "changes.rewind": t("put files of a session back"),
  "changes.push": t("pushed a commit of a session"),
  "changes.pull_request": t("opened a pull request from a session"),
  "template.set": t("saved a template"),
  "template.delete": t("removed a template"),
  "project.set": t("saved a project of the workbench"),
  "project.delete": t("deleted a project of the workbench"),
  "token.create": t("created a token"),
  "token.delete": t("removed a token"),
};

export function actionWords({ action, details }: Pick<AuditEntry, "action" | "details">): string {
  if (action === "approval.decide") return decisionWords(details) ?? ACTIONS[action] ?? action;
  return ACTIONS[action] ?? action;
}

/** The decision on an approval; undefined: the entry does not say. */
function decisionWords(details: unknown): string | undefined {
  if (typeof details !== "object" || details === null || !("decision" in details)) return undefined;
  if (details.decision === "reject") return t("rejected a call");
  if ("limit_microusd" in details) return t("approved a new limit");
  if ("edited" in details && details.edited === true) return t("approved a changed call");
  return "scope" in details && details.scope === "session"
    ? t("approved a call for the session")
    : t("approved a call");
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
