import { createHash } from "node:crypto";
import { canonicalJson, Failure, type PrincipalRef, type Template } from "../../protocol/index.ts";

/** What acts later, by itself, with the rights of whoever made it. */
interface TemplateUser {
  readonly created_by: Pick<PrincipalRef, "id">;
  /** Of the template when it was made. Absent: it was made before this was written down. */
  readonly template_hash?: string | undefined;
}

const CHANGED = "template_changed";

export function templateHash({ session }: Pick<Template, "session">): string {
  return createHash("sha256").update(canonicalJson(session)).digest("hex");
}

/**
 * Refuses a template that somebody with fewer rights wrote after it was chosen: it would run with the rights of whoever chose it. What that
 * person saw is fine, and so is what they or an admin saved since.
 */
export function checkAccepted(template: Template, { created_by, template_hash }: TemplateUser): void {
  const { updated_by } = template;
  if (updated_by.role === "admin" || updated_by.id === created_by.id) return;
  if (templateHash(template) === template_hash) return;
  throw new Failure(
    "conflict",
    `somebody else changed the template ${template.id} since it was chosen; whoever made this, or an admin, can look at the template, save it again, and continue this`,
    { reason: CHANGED },
  );
}

/** Whether a start was refused because of its template: it waits for a person then. */
export function isTemplateChange(error: unknown): boolean {
  return error instanceof Failure && (error.details as { reason?: unknown } | undefined)?.reason === CHANGED;
}
