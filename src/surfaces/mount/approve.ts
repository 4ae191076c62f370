import {
  Failure,
  FileFailure,
  ToolApproval,
  withoutQuestion,
  type Approval,
  type Decision,
} from "../../protocol/index.ts";
import type { Caller } from "../../sessions/index.ts";
import type { MountContext } from "./context.ts";
import { json, parseWritten } from "./json.ts";
import { pendingOf } from "./pending.ts";

const YES = new Set(["approve", "approved", "yes", "y", "allow"]);
const NO = new Set(["reject", "rejected", "no", "n", "deny"]);
const APPROVAL_ID = /^apr_\w+$/;
/** A malformed question name, or a blank where one should follow. */
const BROKEN_NAME = /^\s*\w+[ \t]+(\r?\n?$|apr(?!_\w+(\s|$)))/i;

/**
 * Answers the named question of a session, or the first of those that the caller was last shown. A hash alone is no name: the
 * question that replaces a changed one may have the same hash. It only chooses among what was shown.
 */
export async function answer(
  context: MountContext,
  caller: Caller,
  { id, text, shown }: { readonly id: string; readonly text: string; readonly shown: readonly string[] | undefined },
): Promise<void> {
  const { gateway, questions } = context;
  const pending = await pendingOf(gateway, caller, await gateway.sessions.get(caller, id));
  const asked = parseAnswer(text);
  const how = asked.as === undefined ? {} : { as: asked.as };
  if (asked.request_id !== undefined) {
    const named = await gateway.approvals.get(caller, asked.request_id);
    if (named.session_id !== id) throw new Failure("not_found", `session ${id} has no question ${asked.request_id}`);
    await gateway.approvals.decide(caller, named.id, decisionOf(asked, named.input_hash), how);
    forget(context, caller, named);
    return;
  }
  if (pending.length === 0)
    throw new FileFailure("EINVAL", "conflict", "no pending tool: nothing waits for an answer here");
  const ids = shown ?? questions.get(caller, id)?.ids ?? [];
  const [first] = ids;
  const meant = pending.find(({ id: open, input_hash }) =>
    asked.input_hash === undefined ? open === first : ids.includes(open) && input_hash === asked.input_hash,
  );
  if (meant === undefined)
    throw new FileFailure(
      "ESTALE",
      "input_changed",
      first === undefined ? READ_FIRST : `${NOT_OPEN} ${openNow(pending)}`,
    );
  await gateway.approvals.decide(caller, meant.id, decisionOf(asked, meant.input_hash), how);
  forget(context, caller, meant);
}

/** An answered question is no longer waited for. */
function forget({ questions }: MountContext, caller: Caller, { id, session_id }: Approval): void {
  const last = questions.get(caller, session_id);
  if (last !== undefined) questions.put(caller, session_id, withoutQuestion(last, id));
}

const READ_FIRST =
  "an answer without a name means what you were shown last, and that is nothing: read all of tools/pending first, or name the question (approve apr_...), as in a plain folder always";
const NOT_OPEN = "the question that you were shown is not open any more; read tools/pending again.";

function openNow(pending: readonly Approval[]): string {
  return `Open now: ${pending.map(({ id, tool }) => `${id} (${tool})`).join(", ")}`;
}

function decisionOf(asked: ToolApproval, hash: string): Decision {
  const { approved, feedback, updated_input, always, interrupt, input_hash = hash } = asked;
  return {
    decision: approved ? "approve" : "reject",
    input_hash,
    ...(feedback === undefined ? {} : { feedback }),
    ...(updated_input === undefined ? {} : { updated_input }),
    ...(always === true ? { scope: "session" as const } : {}),
    ...(interrupt === undefined ? {} : { interrupt, hold_queue: interrupt }),
  };
}

/** `approve`, `approve apr_…`, `reject use npm instead`, or document 003's JSON. */
function parseAnswer(text: string): ToolApproval {
  const trimmed = text.trim();
  if (trimmed.startsWith("{")) return parseJson(trimmed);
  const [word = "", ...rest] = trimmed.split(/\s+/);
  const approved = YES.has(word.toLowerCase()) ? true : NO.has(word.toLowerCase()) ? false : undefined;
  if (approved === undefined)
    throw new Failure(
      "invalid_request",
      'missing approved field: write {"approved": true}, or approve, or reject and why',
    );
  if (approved && BROKEN_NAME.test(text))
    throw new Failure(
      "invalid_request",
      "the name of the question is missing or broken: write approve apr_..., or approve alone",
    );
  const [named, ...words] = rest;
  const isNamed = named !== undefined && APPROVAL_ID.test(named);
  const feedback = (isNamed ? words : rest).join(" ");
  return parseWritten(ToolApproval, {
    approved,
    ...(isNamed ? { request_id: named } : {}),
    ...(feedback === "" ? {} : { feedback }),
  });
}

function parseJson(text: string): ToolApproval {
  const value = json(text);
  const { approved } = value as { readonly approved?: unknown };
  if (typeof approved !== "boolean")
    throw new Failure("invalid_request", 'missing approved field: write {"approved": true} or {"approved": false}');
  return parseWritten(ToolApproval, value);
}
