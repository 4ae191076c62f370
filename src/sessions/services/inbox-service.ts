import {
  Failure,
  headOf,
  LIMITS,
  NETWORK_TOOL,
  type Approval,
  type DecisionBatch,
  type DecisionResults,
  type ExtendApproval,
  type PromptAccepted,
  type RevokeGrant,
  type SessionView,
} from "../../protocol/index.ts";
import { auditRow, authorize, authorizeFor, type Caller } from "../access/access.ts";
import { view } from "../core/state.ts";
import type { Dependencies } from "../dependencies.ts";
import type { Registry } from "../lifecycle/registry.ts";
import type { ApprovalService } from "./approval-service.ts";
import type { SessionService } from "./session-service.ts";

interface InboxServiceParts {
  readonly dependencies: Dependencies;
  readonly registry: Registry;
  readonly approvals: ApprovalService;
  readonly sessions: SessionService;
}

/** What people do with questions besides answering one: several at once, more time, asking again, and taking a grant back. */
export class InboxService {
  readonly #parts: InboxServiceParts;

  constructor(parts: InboxServiceParts) {
    this.#parts = parts;
  }

  /** Answers several questions, each as if it came alone. One that is refused changes nothing for the others. */
  async decideAll(caller: Caller, { decisions }: DecisionBatch): Promise<DecisionResults> {
    authorize(caller, "approval.answer");
    const results: DecisionResults["results"] = [];
    // In order: calls of one message run in the order in which they are approved.
    for (const { id, ...decision } of decisions) {
      try {
        results.push({ id, approval: await this.#parts.approvals.decide(caller, id, decision) });
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        results.push({ id, error: error.toBody().error });
      }
    }
    return { results };
  }

  /** Gives a question more time, from now on. One without an end keeps none. */
  async extend(caller: Caller, id: string, { ms }: ExtendApproval): Promise<Approval> {
    const { dependencies, registry, approvals } = this.#parts;
    const approval = await approvals.open(caller, id);
    if (approval.tool === NETWORK_TOOL)
      throw new Failure("unsupported", "a program waits for this connection and gives up by itself; answer it in time");
    if (approval.expires_at === undefined) return approval;
    const ends = Date.parse(approval.expires_at);
    const given = ms ?? ends - Date.parse(approval.created_at);
    const until = dependencies.clock.now() + Math.min(given, LIMITS.approvalExtensionMs);
    if (until <= ends) return approval;
    const session = await registry.get(approval.session_id);
    const expires_at = new Date(until).toISOString();
    const audit = [auditRow(dependencies, caller, { action: "approval.extend", target: id, details: { expires_at } })];
    await session.execute({ type: "extend", approval_id: id, expires_at, by: ref(caller) }, { audit });
    return approvals.get(caller, id);
  }

  /** Lets the agent make a call again whose question expired: it gets a prompt that quotes the call. */
  async askAgain(caller: Caller, id: string): Promise<PromptAccepted> {
    const approval = await this.#parts.approvals.get(caller, id);
    if (approval.status !== "timed_out")
      throw new Failure("conflict", `this approval is ${approval.status}; only one that expired can be asked again`);
    const input = JSON.stringify(approval.input, undefined, 2);
    const quoted =
      input.length > LIMITS.askAgainChars ? `${headOf(input, LIMITS.askAgainChars)}\n… (the rest is left out)` : input;
    const text = `Nobody answered in time when you asked for approval of ${approval.tool}, so it did not run. Somebody is here now. If it is still needed, make the same call again:\n\n${quoted}`;
    return this.#parts.sessions.prompt(caller, approval.session_id, { text }, undefined);
  }

  /** Takes back a rule that somebody granted for the session. The next call is asked about again. */
  async revoke(caller: Caller, session_id: string, { rule }: RevokeGrant): Promise<SessionView> {
    const { dependencies, registry } = this.#parts;
    authorize(caller, "session.control");
    const session = await registry.get(session_id);
    authorizeFor(caller, "session.control", { state: session.state, what: `session ${session_id}` });
    const audited = { action: "approval.revoke", target: session_id, details: { rule } };
    await session.execute({ type: "revoke", rule }, { audit: [auditRow(dependencies, caller, audited)] });
    return view(session.state);
  }
}

function ref({ id, name, role }: Caller): { id: string; name: string; role: Caller["role"] } {
  return { id, name, role };
}
