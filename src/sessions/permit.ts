import { createHash } from "node:crypto";
import type { ToolCall, Verdict } from "../engines/index.ts";
import { sessionRule } from "../gate/index.ts";
import { Failure, isToolItem, startToolItem, SYSTEM, type Approval, type ToolItem } from "../protocol/index.ts";
import type { Session } from "./session.ts";
import { ruleOn, type Ruled } from "./ruling.ts";
import type { Asked } from "./state.ts";

const RESTARTED =
  "The server stopped while this tool ran, so its outcome is unknown. It was not run again: check what it did before you repeat it.";

const SECRET_LOST =
  "This call held a secret, which is not kept across a restart of the server, so it was not run. Do it without the secret.";

const WITHDRAWN =
  "The server was restarted, and this call cannot be taken up again. The model asks again if it still needs it.";

const QUESTION_TOOL = "AskUserQuestion";

/** SHA-256 over tool and input with sorted keys: what an answer must name. */
export function inputHash(tool: string, input: Readonly<Record<string, unknown>>): string {
  return createHash("sha256")
    .update(JSON.stringify([tool, sorted(input)]))
    .digest("hex");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, part]) => [key, sorted(part)]),
  );
}

/** Steps 1 to 7 of the pipeline for one call of the running turn: the gate's ruling, and a person's where it asks for one. */
export async function permit(session: Session, asked: ToolCall, signal: AbortSignal): Promise<Verdict> {
  const { services } = session;
  const call = asked.tool === QUESTION_TOOL ? { ...asked, input: unanswered(asked.input) } : asked;
  services.reach("tool.announced");
  await session.unpaused(signal);
  const turn = session.state.turn;
  if (turn === undefined || signal.aborted) return denied("Interrupted.", "interrupted");
  const workshop = await session.workshop();
  const item = itemOf(session, call);
  const ruled = await ruleOn(
    { ...call, settings: session.state.settings, grants: session.state.grants },
    services.policy(),
    workshop,
  );
  services.reach("tool.ruled");
  const effectful = hasEffects(call.tool, ruled.facts.tier);
  if (effectful && turn.running.includes(item.id)) return denied(RESTARTED, "interrupted");
  let question = await questionOf(session, call);
  if (question === "changed") return denied(SECRET_LOST, "failed");
  if (question === undefined) {
    if (ruled.ruling.effect === "deny") return refusedBy(call.tool, ruled);
    if (ruled.ruling.effect === "allow") {
      await call.ready;
      if (signal.aborted) return denied("Interrupted.", "interrupted");
      return letRun(session, item, { input: call.input, effectful });
    }
    if (call.withdraw === true) return denied("Interrupted.", "interrupted");
    question = await ask(session, call, ruled);
  }
  const answer = await answerTo(session, question, call, signal);
  if (answer.outcome === "approved") await call.ready;
  if (signal.aborted) return denied("Interrupted.", "interrupted");
  return verdictOf(session, { item, call, effectful, answer });
}

/** The answer to a question, which is withdrawn when nobody waits for it any more. */
async function answerTo(
  session: Session,
  { approval_id }: Asked,
  { tool_use_id, withdraw: withdrawn }: ToolCall,
  signal: AbortSignal,
): Promise<NonNullable<Asked["answer"]>> {
  const withdraw = (): void => {
    // It may have been answered in the same moment, or the server stops: then it stays as it is.
    const feedback = withdrawn === true ? WITHDRAWN : undefined;
    session.answer({ approval_id, outcome: "cancelled", by: SYSTEM, feedback }).catch(() => undefined);
  };
  const answered = session.answered(approval_id, tool_use_id);
  if (withdrawn === true) withdraw();
  signal.addEventListener("abort", withdraw, { once: true });
  if (signal.aborted) withdraw();
  try {
    return await answered;
  } finally {
    signal.removeEventListener("abort", withdraw);
  }
}

/**
 * The question that was asked about this call already. After a restart the call comes from the journal, which holds no
 * secret: then it may have `changed` since it was shown and hashed.
 */
async function questionOf({ services, state }: Session, call: ToolCall): Promise<Asked | "changed" | undefined> {
  const asked = state.turn?.asked[call.tool_use_id];
  const approval = asked === undefined ? undefined : await services.store.read.approval(asked.approval_id);
  // A model may give one id to several calls: an answer is good for the one that it was given to.
  if (asked === undefined || approval?.item_id !== call.item_id) return undefined;
  return approval.input_hash === inputHash(call.tool, call.input) ? asked : "changed";
}

/** Only a person answers a question: what the model filled in itself does not count. */
function unanswered({ answers: _answers, ...input }: ToolCall["input"]): ToolCall["input"] {
  return input;
}

function hasEffects(tool: string, tier: Ruled["facts"]["tier"]): boolean {
  // A sub-agent's own calls are each permitted: taking it up again repeats nothing.
  if (tool === "Task" || tool === "Agent") return false;
  return tier === "page" || tier === "write" || tier === "execute";
}

function itemOf(session: Session, call: ToolCall): ToolItem {
  const known = session.state.turn?.items[call.item_id];
  return known !== undefined && isToolItem(known) ? known : startToolItem({ ...call, id: call.item_id });
}

async function ask(session: Session, call: ToolCall, ruled: Ruled): Promise<Asked> {
  const { services, state } = session;
  const workshop = await session.workshop();
  const { preview, warnings } = await workshop.toolbox.preview(call.tool, call.input);
  services.reach("approval.previewed");
  const turn = session.state.turn;
  if (turn === undefined) throw new Failure("aborted", "aborted");
  const now = services.clock.now();
  const rule = sessionRule(ruled.call, ruled.standing);
  const { unattended, approval_timeout_ms } = state.settings;
  const approval: Approval = {
    id: services.newId("apr"),
    session_id: state.id,
    turn_id: turn.id,
    item_id: call.item_id,
    tool: call.tool,
    tool_use_id: call.tool_use_id,
    tier: ruled.facts.tier,
    input: { ...call.input },
    input_hash: inputHash(call.tool, call.input),
    preview,
    warnings: [...warnings],
    reason: ruled.ruling.why,
    ...(rule === undefined ? {} : { session_rule: rule }),
    unattended,
    created_at: new Date(now).toISOString(),
    ...(unattended === "park" ? {} : { expires_at: new Date(now + approval_timeout_ms).toISOString() }),
    status: "pending",
  };
  const durable = session.execute({ type: "ask", approval });
  services.reach("approval.decided");
  await durable;
  services.reach("approval.durable");
  return { approval_id: approval.id };
}

interface Answered {
  readonly item: ToolItem;
  readonly call: ToolCall;
  readonly effectful: boolean;
  readonly answer: NonNullable<Asked["answer"]>;
}

async function verdictOf(session: Session, { item, call, effectful, answer }: Answered): Promise<Verdict> {
  switch (answer.outcome) {
    case "approved":
      return letRun(session, item, { input: call.input, edited: answer.updated_input, effectful });
    case "rejected":
      return denied(`User rejected: ${answer.feedback ?? "No reason provided"}`, "declined", answer.interrupt === true);
    case "timed_out":
      return denied("Approval timeout: nobody answered in time, so the tool was not run.", "declined");
    case "cancelled":
      return denied("Interrupted.", "interrupted");
  }
}

/** Says yes once it is on the disk that the tool is about to run: after a crash nobody has to guess. */
async function letRun(
  session: Session,
  item: ToolItem,
  run: Pick<ToolCall, "input"> & { readonly edited?: ToolCall["input"] | undefined; readonly effectful: boolean },
): Promise<Verdict> {
  const { input, edited, effectful } = run;
  if (effectful || edited !== undefined) {
    await session.execute({
      type: "run",
      item: edited === undefined ? item : { ...item, approved_input: { ...edited } },
    });
    session.services.reach("tool.marked");
  }
  return { effect: "allow", input: edited ?? input };
}

function refusedBy(tool: string, { ruling, facts }: Ruled): Verdict {
  if (!facts.known) return denied(`Unknown tool: ${tool}`, "failed");
  if (facts.schemaError !== undefined) return denied(facts.schemaError, "failed");
  return denied(`Denied by policy (${ruling.rule}): ${ruling.why}`, "declined");
}

function denied(message: string, status: "declined" | "failed" | "interrupted", interrupt = false): Verdict {
  return { effect: "deny", message, status, interrupt };
}
