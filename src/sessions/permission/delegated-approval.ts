import { Failure, isServerQuestion, QUESTION_TOOL, type Approval, type Decision } from "../../protocol/index.ts";
import { authorizeFor, scopeOf, type Caller } from "../access/access.ts";
import { chooseTools } from "../settings/choices.ts";
import { effectiveProfile } from "./effective-profile.ts";
import type { Registry } from "../lifecycle/registry.ts";
import { ruleOn, type RulingRequest } from "./ruling.ts";
import type { Dependencies } from "../dependencies.ts";
import type { Session } from "../core/session.ts";
import { isFinal } from "../core/state.ts";

/** On whose behalf an agent decides, as recorded in the audit log. */
export interface Delegation {
  readonly as: "creator" | "parent";
  /** With `parent`: the session that started the one that asks. */
  readonly parent_session_id?: string;
}

interface Delegated {
  readonly session: Session;
  readonly approval: Approval;
  readonly decision: Decision;
}

/**
 * Lets an agent answer for a session that it started, if the profile's `approvers` allow it: approve or reject, once, and never for
 * more than it may do itself. Throws a Failure otherwise.
 */
export async function checkDelegate(
  { dependencies, registry }: { readonly dependencies: Dependencies; readonly registry: Registry },
  caller: Caller,
  { session, approval, decision }: Delegated,
): Promise<Delegation> {
  const { state } = session;
  const what = `approval ${approval.id}`;
  authorizeFor(caller, "approval.answer", { state, what });
  if (caller.role !== "agent")
    throw new Failure("forbidden", "only an agent answers as a parent; people answer approvals themselves");
  const { approvers = [] } = effectiveProfile(dependencies.policy(), state);
  const parent = await parentOf(registry, session);
  const as = parent !== undefined && approvers.includes("parent") ? "parent" : "creator";
  if (!approvers.includes(as))
    throw new Failure(
      "forbidden",
      `a person answers for the profile ${state.settings.profile}; an admin can let agents answer for sessions that they began (approvers)`,
    );
  checkAnswer(approval, decision);
  const request = { tool: approval.tool, input: approval.input, grants: [], token: scopeOf(caller) };
  const judged: RulingRequest =
    as === "creator" || parent === undefined
      ? {
          ...request,
          created_by: caller,
          settings: withTools(state.settings, chooseTools(caller, state.settings.tools)),
        }
      : { ...request, created_by: parent.state.created_by, settings: parent.state.settings };
  const { ruling } = await ruleOn(judged, dependencies.policy(), await session.environment());
  if (decision.decision === "approve" && ruling.effect === "deny")
    throw new Failure("forbidden", `you may not do this yourself, so you cannot approve it: ${ruling.why}`, ruling);
  if (as === "creator" || parent === undefined) return { as };
  checkOpen(caller, parent);
  return { as, parent_session_id: parent.state.id };
}

/** The session named as parent when this one was created. A fork has its own history, and no parent. */
async function parentOf(registry: Registry, { state }: Session): Promise<Session | undefined> {
  const id = state.ancestors.at(-1);
  if (id === undefined || id === state.forked_from?.session_id) return undefined;
  try {
    return await registry.get(id);
  } catch (error) {
    if (error instanceof Failure && error.code === "not_found")
      throw new Failure("forbidden", `the parent session ${id} is gone; a person answers now`);
    throw error;
  }
}

function checkOpen(caller: Caller, { state }: Session): void {
  if (state.created_by.id !== caller.id)
    throw new Failure("forbidden", `the parent session ${state.id} is not yours; a person answers`);
  if (isFinal(state.status))
    throw new Failure("forbidden", `the parent session ${state.id} has ended; a person answers now`);
}

function checkAnswer({ tool }: Approval, { scope, updated_input }: Decision): void {
  if (isServerQuestion(tool) || tool === QUESTION_TOOL)
    throw new Failure("forbidden", `only a person answers for ${tool}`);
  if (scope === "session" || updated_input !== undefined)
    throw new Failure("forbidden", "an agent answers yes or no, once; leave scope and updated_input out");
}

function withTools<Settings extends { readonly tools?: string[] | undefined }>(
  settings: Settings,
  tools: string[] | undefined,
): Settings {
  return tools === undefined ? settings : { ...settings, tools };
}
