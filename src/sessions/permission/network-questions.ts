import { domainToUnicode } from "node:url";
import { hostGrant, ruleOnHost } from "../../gate/index.ts";
import {
  hostAndPort,
  looksPublic,
  notAllowed,
  type EgressTarget,
  type HostAnswer,
  type RefusalReason,
} from "../../network/index.ts";
import {
  LIMITS,
  NETWORK_TOOL,
  showHidden,
  SYSTEM,
  textWarnings,
  type Approval,
  type Effect,
} from "../../protocol/index.ts";
import type { Session } from "../core/session.ts";
import type { GivenAnswer, OpenTurn } from "../core/state.ts";
import { presentProfile } from "./effective-profile.ts";
import { inputHash } from "./permit.ts";
import { contextOf } from "./ruling.ts";

const ALLOWED: HostAnswer = { allowed: true };
const QUESTION_PREFIX = "network_";

/** The hosts of one turn that people were asked about. Keys: host and port. */
interface TurnHosts {
  readonly turn_id: string;
  readonly settled: Map<string, HostAnswer>;
  readonly open: Map<string, HostQuestion>;
  asked: number;
}

interface HostQuestion {
  readonly approval_id: string;
  readonly answer: Promise<HostAnswer>;
  /** Connections that wait for the answer. */
  waiting: number;
}

/** Asks people about hosts that programs in a session's sandbox want to reach. */
export class NetworkQuestions {
  readonly #session: Session;
  #hosts: TurnHosts | undefined;
  #waiting = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Whether a connection may be made that no rule allows. `signal`: aborted when the program gives up. */
  async ask(target: EgressTarget, signal: AbortSignal): Promise<HostAnswer> {
    const effect = this.#rule(target);
    if (effect === "allow") return ALLOWED;
    const { turn } = this.#session.state;
    if (effect === "deny" || turn === undefined || !looksPublic(target.host)) return notAllowed(target);
    const hosts = this.#hostsOf(turn);
    const key = hostAndPort(target);
    const settled = hosts.settled.get(key);
    if (settled !== undefined) return settled;
    const question = hosts.open.get(key);
    if (this.#waiting >= LIMITS.egressWaiting)
      return refused(target, "not_allowed", `${this.#waiting} connections wait for answers already.`);
    if (question === undefined && hosts.asked >= LIMITS.networkQuestionsPerTurn)
      return refused(target, "not_allowed", `${hosts.asked} hosts were asked about in this turn already.`);
    return this.#wait(question ?? this.#open(hosts, turn, target), target, signal);
  }

  #rule(target: EgressTarget): Effect {
    const { dependencies, state } = this.#session;
    const profile = presentProfile(dependencies.policy(), state);
    return profile === undefined ? "deny" : ruleOnHost(target, contextOf(state, profile, []));
  }

  #hostsOf({ id }: OpenTurn): TurnHosts {
    if (this.#hosts?.turn_id !== id) this.#hosts = { turn_id: id, settled: new Map(), open: new Map(), asked: 0 };
    return this.#hosts;
  }

  /** All connections to one host and port wait for the same answer. When the last of them is gone, nobody needs it. */
  async #wait(question: HostQuestion, target: EgressTarget, signal: AbortSignal): Promise<HostAnswer> {
    let leave = (): void => undefined;
    const gone = new Promise<HostAnswer>((resolve) => {
      leave = () => resolve(refused(target, "not_approved", "The program gave up."));
    });
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    question.waiting += 1;
    this.#waiting += 1;
    try {
      return await Promise.race([question.answer, gone]);
    } finally {
      signal.removeEventListener("abort", leave);
      this.#waiting -= 1;
      question.waiting -= 1;
      if (question.waiting === 0 && signal.aborted) void withdraw(this.#session, question.approval_id, GAVE_UP);
    }
  }

  #open(hosts: TurnHosts, turn: OpenTurn, target: EgressTarget): HostQuestion {
    const key = hostAndPort(target);
    const approval = this.#approval(turn, target);
    hosts.asked += 1;
    const answer = this.#answer(approval, target).then((given) => {
      hosts.open.delete(key);
      // A question that was withdrawn may be asked again.
      if (given !== undefined) hosts.settled.set(key, given);
      return given ?? refused(target, "not_approved", "The question was withdrawn.");
    });
    const question = { approval_id: approval.id, answer, waiting: 0 };
    hosts.open.set(key, question);
    return question;
  }

  /** Undefined: it was withdrawn. */
  async #answer(approval: Approval, target: EgressTarget): Promise<HostAnswer | undefined> {
    const session = this.#session;
    try {
      await session.execute({ type: "ask", approval });
    } catch {
      // Too many questions wait already, or the server stops.
      return notAllowed(target);
    }
    if (session.state.turn?.id !== approval.turn_id) return undefined;
    return this.#verdict(await session.answered(approval.id, approval.tool_use_id), target);
  }

  #verdict({ outcome, feedback, interrupt, by }: GivenAnswer, target: EgressTarget): HostAnswer | undefined {
    switch (outcome) {
      case "approved":
        return ALLOWED;
      case "cancelled":
        return undefined;
      case "timed_out":
        return refused(target, "not_approved", "Nobody answered in time. Work without it in this turn.");
      case "rejected":
        // No engine waits for this answer, so nobody else ends the turn.
        if (interrupt === true) void this.#session.interrupt({ by }).catch(() => undefined);
        return refused(
          target,
          "not_approved",
          `A person refused it${feedback === undefined ? "" : `: ${feedback}`}. Work without it in this turn.`,
        );
    }
  }

  #approval(turn: OpenTurn, target: EgressTarget): Approval {
    const { dependencies, state } = this.#session;
    const now = dependencies.clock.now();
    const input = { host: target.host, port: target.port };
    const { profile, approval_timeout_ms, unattended } = state.settings;
    return {
      id: dependencies.newId("apr"),
      session_id: state.id,
      turn_id: turn.id,
      item_id: "",
      tool: NETWORK_TOOL,
      tool_use_id: `${QUESTION_PREFIX}${dependencies.newId("item")}`,
      tier: "network",
      input,
      input_hash: inputHash(NETWORK_TOOL, input),
      preview: { type: "network", summary: `A program wants to connect to ${shownTarget(target)}.`, ...input },
      warnings: textWarnings("The host", domainToUnicode(target.host), "command").map((message) => ({
        kind: "dangerous",
        message,
      })),
      reason: `A program in the sandbox wants to connect to ${hostAndPort(target)}, which the profile ${profile} does not allow.`,
      session_rule: hostGrant(target),
      unattended,
      created_at: new Date(now).toISOString(),
      // Also where others are parked: no program waits for days.
      expires_at: new Date(now + Math.min(approval_timeout_ms, LIMITS.networkQuestionMs)).toISOString(),
      status: "pending",
    };
  }
}

const GAVE_UP = "the program gave up";

/** After a restart: the programs that waited for an answer ended with the server. */
export async function withdrawNetworkQuestions(session: Session): Promise<void> {
  for (const [tool_use_id, { approval_id, answer }] of Object.entries(session.state.turn?.asked ?? {}))
    if (tool_use_id.startsWith(QUESTION_PREFIX) && answer === undefined) await withdraw(session, approval_id, GAVE_UP);
}

function withdraw(session: Session, approval_id: string, feedback: string): Promise<void> {
  // It may have been answered at the same moment.
  return session.answer({ approval_id, outcome: "cancelled", by: SYSTEM, feedback }).catch(() => undefined);
}

function refused(target: EgressTarget, reason: RefusalReason, why: string): HostAnswer {
  return { allowed: false, reason, message: `This session may not connect to ${hostAndPort(target)}. ${why}` };
}

/** With the name as people write it, where that is another one. */
function shownTarget(target: EgressTarget): string {
  const written = domainToUnicode(target.host);
  const place = hostAndPort(target);
  return written === target.host || written === "" ? place : `${place} (${showHidden(written, "command")})`;
}
