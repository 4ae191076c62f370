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
  readonly answer: Promise<HostAnswer>;
  /** Connections that wait for the answer. */
  waiting: number;
  /** Nobody waits any more. */
  withdraw(): void;
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
    const { turn } = this.#session.state;
    const hosts = turn === undefined ? undefined : this.#hostsOf(turn);
    const key = hostAndPort(target);
    const settled = hosts?.settled.get(key);
    const effect = this.#rule(target, settled);
    if (effect === "allow") return ALLOWED;
    if (settled?.allowed === false) return settled;
    if (effect === "deny" || turn === undefined || hosts === undefined || !looksPublic(target.host))
      return notAllowed(target);
    const question = hosts.open.get(key);
    if (this.#waiting >= LIMITS.egressWaiting)
      return refused(target, "not_allowed", `${this.#waiting} connections wait for answers already.`);
    if (question === undefined && hosts.asked >= LIMITS.networkQuestionsPerTurn)
      return refused(target, "not_allowed", `${hosts.asked} hosts were asked about in this turn already.`);
    const answer = await this.#wait(question ?? this.#open(hosts, turn, target), target, signal);
    // The policy may have changed meanwhile.
    return answer.allowed && this.#rule(target, answer) !== "allow" ? notAllowed(target) : answer;
  }

  /** `answer`: what a person said in this turn. A yes counts like a grant, and a rule that denies wins over both. */
  #rule(target: EgressTarget, answer: HostAnswer | undefined): Effect {
    const { dependencies, state } = this.#session;
    const profile = presentProfile(dependencies.policy(), state);
    if (profile === undefined) return "deny";
    const grants = answer?.allowed === true ? [...state.grants, hostGrant(target)] : state.grants;
    return ruleOnHost(
      target,
      contextOf({ ...state, grants }, profile, { extraRead: [], sandbox: { kind: state.settings.sandbox } }),
    );
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
      if (question.waiting === 0 && signal.aborted) question.withdraw();
    }
  }

  #open(hosts: TurnHosts, turn: OpenTurn, target: EgressTarget): HostQuestion {
    const key = hostAndPort(target);
    const approval = this.#approval(turn, target);
    hosts.asked += 1;
    const forget = (): void => {
      if (hosts.open.get(key) === question) hosts.open.delete(key);
    };
    const question: HostQuestion = {
      answer: this.#answer(approval, target).then((given) => {
        forget();
        // A yes for the session is a grant, which may be taken back.
        const isGranted = this.#session.state.grants.includes(hostGrant(target));
        if (given !== undefined && !(given.allowed && isGranted)) hosts.settled.set(key, given);
        return given ?? refused(target, "not_approved", "The question was withdrawn, or could not be asked.");
      }),
      waiting: 0,
      withdraw: () => {
        // Immediately, so that the next connection asks again.
        forget();
        void withdraw(this.#session, approval.id);
      },
    };
    hosts.open.set(key, question);
    return question;
  }

  /** Undefined: it was withdrawn, or could not be asked. */
  async #answer(approval: Approval, target: EgressTarget): Promise<HostAnswer | undefined> {
    const session = this.#session;
    try {
      await session.execute({ type: "ask", approval });
    } catch {
      // Too many questions wait already, or the server stops.
      return undefined;
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
      reason: `The profile ${profile} does not let programs in the sandbox reach ${hostAndPort(target)}.`,
      session_rule: hostGrant(target),
      session_rules: [{ rule: hostGrant(target), reach: "exact", allows: "Any connection to this host." }],
      unattended,
      created_at: new Date(now).toISOString(),
      // Also where others are parked: no program waits for days.
      expires_at: new Date(now + Math.min(approval_timeout_ms, LIMITS.networkQuestionMs)).toISOString(),
      status: "pending",
    };
  }
}

/** After a restart: the programs that waited for an answer ended with the server. */
export async function withdrawNetworkQuestions(session: Session): Promise<void> {
  for (const [tool_use_id, { approval_id, answer }] of Object.entries(session.state.turn?.asked ?? {}))
    if (tool_use_id.startsWith(QUESTION_PREFIX) && answer === undefined) await withdraw(session, approval_id);
}

function withdraw(session: Session, approval_id: string): Promise<void> {
  const feedback = "the program gave up";
  // It may have been answered at the same moment.
  return session.answer({ approval_id, outcome: "cancelled", by: SYSTEM, feedback }).catch(() => undefined);
}

function refused(target: EgressTarget, reason: RefusalReason, why: string): HostAnswer {
  return { allowed: false, reason, message: `This session may not connect to ${hostAndPort(target)}. ${why}` };
}

/** With the name as people write it, if that differs. */
function shownTarget(target: EgressTarget): string {
  const written = domainToUnicode(target.host);
  const place = hostAndPort(target);
  return written === target.host || written === "" ? place : `${place} (${showHidden(written, "command")})`;
}
