import { Failure, FileFailure, ToolApproval, type Decision } from "../../protocol/index.ts";
import type { Caller, Gateway } from "../../sessions/index.ts";
import { json } from "./json.ts";
import { pendingOf } from "./pending.ts";

const YES = new Set(["approve", "approved", "yes", "y", "allow"]);
const NO = new Set(["reject", "rejected", "no", "n", "deny"]);
const APPROVAL_ID = /^apr_\w+$/;

/** Answers the oldest question of a session, or the one that is named. */
export async function answer(
  gateway: Gateway,
  caller: Caller,
  { id, text }: { readonly id: string; readonly text: string },
): Promise<void> {
  const pending = await pendingOf(gateway, caller, await gateway.sessions.get(caller, id));
  const asked = parseAnswer(text);
  if (asked.request_id !== undefined) {
    const named = await gateway.approvals.get(caller, asked.request_id);
    if (named.session_id !== id) throw new Failure("not_found", `session ${id} has no question ${asked.request_id}`);
    await gateway.approvals.decide(caller, named.id, decisionOf(asked, named.input_hash));
    return;
  }
  const [oldest] = pending;
  if (oldest === undefined)
    throw new FileFailure("EINVAL", "conflict", "no pending tool: nothing waits for an answer here");
  await gateway.approvals.decide(caller, oldest.id, decisionOf(asked, oldest.input_hash));
}

function decisionOf(asked: ToolApproval, hash: string): Decision {
  const { approved, feedback, updated_input, always, interrupt, input_hash = hash } = asked;
  return {
    decision: approved ? "approve" : "reject",
    input_hash,
    ...(feedback === undefined ? {} : { feedback }),
    ...(updated_input === undefined ? {} : { updated_input }),
    ...(always === true ? { scope: "session" as const } : {}),
    ...(interrupt === undefined ? {} : { interrupt }),
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
  const [named, ...words] = rest;
  const isNamed = named !== undefined && APPROVAL_ID.test(named);
  const feedback = (isNamed ? words : rest).join(" ");
  return ToolApproval.parse({
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
  const parsed = ToolApproval.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Failure("invalid_request", `invalid request: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`);
}
