import type { IncomingMessage } from "node:http";
import { may } from "../gate/index.ts";
import type { z } from "zod";
import {
  defined,
  mistakeWords,
  TerminalCommand,
  terminalMessages,
  Failure,
  permissionMode,
  toolApprovalRequest,
  type Approval,
  type ConfigureSession,
  type CreateSession,
  type Decision,
} from "../protocol/index.ts";
import type { Caller, Frame } from "../sessions/index.ts";
import type { SocketConnection } from "./connection.ts";
import { failureOf } from "./failure-of.ts";
import type { Guard } from "./guard.ts";
import { removeOwnHeld, stopWork } from "./stop.ts";
import type { SurfaceOptions } from "./surface.ts";

interface AgentPeer {
  readonly caller: Caller;
  readonly connection: SocketConnection;
  readonly request: IncomingMessage;
}

type RunMessage = Extract<TerminalCommand, { command: "run" }>;

/** Document 001's `/api/terminal/ws/agent`: one conversation on a socket, with questions shown one at a time. */
export class TerminalSocket {
  readonly #options: SurfaceOptions;
  readonly #guard: Guard;
  readonly #caller: Caller;
  readonly #connection: SocketConnection;
  readonly #cwd: string | undefined;
  #session_id: string | undefined;
  #watching = new AbortController();
  /** Questions in order of arrival; the first one is shown. */
  #questions: Approval[] = [];
  /** How many messages had been sent when the current question was shown: an earlier answer cannot mean it. */
  #shownAt = 0;
  /** Answered from here, so the sender of the next answer knows that another question is shown. */
  readonly #own = new Set<string>();
  /** Somebody else ended the shown question, so an answer without a name may still mean that one. */
  #isReplaced = false;

  constructor(options: SurfaceOptions, guard: Guard, peer: AgentPeer) {
    this.#options = options;
    this.#guard = guard;
    this.#caller = peer.caller;
    this.#connection = peer.connection;
    const query = new URLSearchParams(peer.request.url?.split("?", 2)[1] ?? "");
    this.#cwd = query.get("cwd") ?? undefined;
    peer.connection.closed.addEventListener("abort", () => this.#watching.abort());
    const session_id = query.get("session_id");
    const opened = this.#open(session_id ?? undefined);
    peer.connection.listen(
      async (message, said) => {
        await opened;
        await this.#take(message, said);
      },
      (failure) => this.#refuse(failure),
    );
  }

  /** A client that reconnects names its session and sees it from the start, including open questions. */
  async #open(session_id: string | undefined): Promise<void> {
    this.#connection.say({ type: "connected", cwd: this.#cwd ?? this.#options.describe().default_workspace });
    if (session_id === undefined) return;
    try {
      await this.#attach(session_id);
    } catch (error) {
      this.#refuse(error);
    }
  }

  async #take(raw: unknown, said: number): Promise<void> {
    this.#guard.meter(this.#caller);
    const parsed = TerminalCommand.safeParse(raw);
    if (!parsed.success) throw new Failure("invalid_request", wrong(raw, parsed.error.issues[0]));
    const message = parsed.data;
    switch (message.command) {
      case "run":
        return this.#run(message);
      case "cancel":
        return this.#cancel();
      case "new_session":
        return this.#reset();
      case "status":
        return this.#status();
      case "tool_approval_response":
        return this.#answer(message.request_id, message);
      case "mcp_approval_response":
        return this.#answer(message.request_id, { ...message, feedback: message.message });
      case "permission_response":
        return this.#answer(this.#onShow(said).id, message);
    }
  }

  /** The question that an answer without a name means. Refused if it may mean one that is no longer shown. */
  #onShow(said: number): Approval {
    const [question] = this.#questions;
    if (question === undefined) throw new Failure("not_found", "nothing waits for an answer");
    if (!this.#isReplaced && said >= this.#shownAt) return question;
    this.#isReplaced = false;
    this.#sayQuestion(question);
    throw new Failure(
      "input_changed",
      "the question that was on show has ended meanwhile, and another one is shown now; look at it and answer again",
    );
  }

  #sayQuestion(question: Approval): void {
    this.#connection.say(toolApprovalRequest(question));
    this.#shownAt = this.#connection.said;
  }

  /** A run's permission settings take effect now, even for a running turn. */
  async #configure(session_id: string, { permission_mode, auto_approve_safe, model }: RunMessage): Promise<void> {
    const change: ConfigureSession = defined({
      permission_mode: permission_mode === undefined ? undefined : permissionMode(permission_mode),
      ask_reads: auto_approve_safe === undefined ? undefined : !auto_approve_safe,
      model,
    });
    if (Object.keys(change).length > 0)
      await this.#options.gateway.sessions.configure(this.#caller, session_id, change, undefined);
  }

  async #run(message: RunMessage): Promise<void> {
    const { sessions } = this.#options.gateway;
    if (message.prompt.trim() === "") throw new Failure("invalid_request", "Empty prompt");
    this.#isReplaced = false;
    if (message.continue && this.#session_id !== undefined) {
      await this.#configure(this.#session_id, message);
      await sessions.prompt(this.#caller, this.#session_id, { text: message.prompt }, undefined);
      return;
    }
    if (this.#session_id !== undefined) {
      const { turn_id } = await sessions.get(this.#caller, this.#session_id);
      if (turn_id !== undefined) throw new Failure("conflict", "A prompt is running; cancel it first or continue");
      await this.#leave();
    }
    const cwd = message.cwd ?? this.#cwd;
    const request: CreateSession = defined({
      permission_mode: permissionMode(message.permission_mode ?? "sdk"),
      ask_reads: message.auto_approve_safe === false,
      prompt: { text: message.prompt },
      metadata: { surface: "approval" },
      // A caller that cannot raise a limit does not wait for somebody who can.
      at_budget_end: may(this.#caller.role, "approval.decide") === "no" ? "fail" : undefined,
      workspace: cwd,
      model: message.model,
    });
    const session = await sessions.create(this.#caller, request, undefined);
    await this.#attach(session.id);
  }

  async #cancel(): Promise<void> {
    const { sessions } = this.#options.gateway;
    const session = this.#session_id === undefined ? undefined : await sessions.get(this.#caller, this.#session_id);
    // The turn's own end sends `cancelled`.
    if (session?.turn_id === undefined) this.#connection.say({ type: "cancelled", note: "No running process" });
    else await stopWork(this.#options.gateway, this.#caller, session.id);
  }

  async #reset(): Promise<void> {
    await this.#leave();
    this.#connection.say({ type: "session_reset" });
  }

  async #status(): Promise<void> {
    const { sessions } = this.#options.gateway;
    const id = this.#session_id;
    const session = id === undefined ? undefined : await sessions.get(this.#caller, id);
    this.#connection.say({
      type: "status",
      session_info: {
        session_id: session?.id ?? null,
        model: session?.settings.model ?? null,
        tools: id === undefined ? [] : await sessions.tools(this.#caller, id),
        mcp_servers: [],
        permission_mode: session?.settings.permission_mode ?? null,
        autonomy: session?.settings.autonomy ?? null,
        auto_approve_safe: session === undefined ? null : session.settings.ask_reads !== true,
      },
      running: session?.turn_id !== undefined,
      continue_session: session !== undefined,
      status: session?.status ?? "idle",
      pending: this.#questions.map(({ id }) => id),
    });
  }

  async #answer(
    id: string,
    given: {
      approved: boolean;
      feedback?: string | undefined;
      updated_input?: Record<string, unknown> | undefined;
      always?: boolean | undefined;
      interrupt?: boolean | undefined;
      input_hash?: string | undefined;
    },
  ): Promise<void> {
    const { approvals } = this.#options.gateway;
    const input_hash = given.input_hash ?? (await approvals.get(this.#caller, id)).input_hash;
    const { feedback, updated_input, interrupt } = given;
    const decision: Decision = given.approved
      ? defined({
          decision: "approve",
          input_hash,
          scope: given.always === true ? "session" : undefined,
          updated_input,
        })
      : defined({ decision: "reject", input_hash, feedback, interrupt, hold_queue: interrupt });
    this.#own.add(id);
    try {
      const { session_id } = await approvals.decide(this.#caller, id, decision);
      this.#isReplaced = false;
      if (decision.hold_queue === true) await removeOwnHeld(this.#options.gateway, this.#caller, session_id);
    } catch (error) {
      this.#own.delete(id);
      throw error;
    }
  }

  async #attach(session_id: string): Promise<void> {
    this.#watching.abort();
    this.#watching = new AbortController();
    this.#questions = [];
    const { signal } = this.#watching;
    const frames = await this.#options.gateway.sessions.watch(this.#caller, session_id, 0, signal);
    this.#session_id = session_id;
    // The client may have disconnected while the session was created: then nothing would ever end this watch.
    if (this.#connection.closed.aborted) return;
    void this.#feed(frames);
  }

  async #feed(frames: AsyncIterable<readonly Frame[]>): Promise<void> {
    try {
      for await (const batch of frames) for (const frame of batch) this.#show(frame);
    } catch (error) {
      this.#options.log.warn({ err: error }, "an approval socket's stream ended early");
    }
  }

  #show(frame: Frame): void {
    const value = frame.value;
    if (value.type === "approval.requested") {
      this.#questions.push(value.approval);
      if (this.#questions.length === 1) this.#sayQuestion(value.approval);
      return;
    }
    if (value.type === "approval.resolved") {
      const first = this.#questions[0];
      const isOwn = this.#own.delete(value.approval_id);
      // Nobody answered a cancelled question: what it showed had changed.
      const isAnswered = isOwn && value.outcome !== "cancelled";
      if (first?.id === value.approval_id && !isAnswered) this.#isReplaced = true;
      this.#questions = this.#questions.filter(({ id }) => id !== value.approval_id);
      this.#connection.say({
        type: "tool_approval_resolved",
        request_id: value.approval_id,
        status: value.outcome === "timed_out" ? "timeout" : value.outcome,
      });
      const next = this.#questions[0];
      if (next !== undefined && next !== first) this.#sayQuestion(next);
      return;
    }
    for (const message of terminalMessages(value)) this.#connection.say(message);
  }

  /** Ends this socket's conversation; its journal stays. */
  async #leave(): Promise<void> {
    const session_id = this.#session_id;
    if (session_id === undefined) return;
    this.#session_id = undefined;
    this.#watching.abort();
    this.#questions = [];
    await this.#options.gateway.sessions.close(this.#caller, session_id);
  }

  #refuse(error: unknown): void {
    const failure = failureOf(error);
    if (failure !== error) this.#options.log.error({ err: error }, "approval socket failed");
    this.#connection.say({ type: "error", content: failure.message, code: failure.code });
  }
}

function wrong(raw: unknown, issue: z.core.$ZodIssue | undefined): string {
  const command = typeof raw === "object" && raw !== null && "command" in raw ? raw.command : undefined;
  if (issue?.path[0] === "command" || command === undefined)
    return `Unknown command: ${typeof command === "string" ? command.slice(0, 100) : String(command)}`;
  return `${issue?.path.join(".") ?? ""}: ${issue === undefined ? "not a command" : mistakeWords(issue)}`;
}
