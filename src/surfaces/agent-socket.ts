import type { IncomingMessage } from "node:http";
import {
  ApprovalCommand,
  approvalMessages,
  Failure,
  permissionMode,
  toolApprovalRequest,
  type Approval,
  type CreateSession,
  type Decision,
} from "../protocol/index.ts";
import type { Caller, Frame } from "../sessions/index.ts";
import type { Connection } from "./connection.ts";
import type { Guard } from "./guard.ts";
import type { SurfaceOptions } from "./surface.ts";

interface Peer {
  readonly caller: Caller;
  readonly connection: Connection;
  readonly request: IncomingMessage;
}

type Run = Extract<ApprovalCommand, { command: "run" }>;

/** Document 001's `/api/terminal/ws/agent`: one conversation on a socket, with questions shown one at a time. */
export class AgentSocket {
  readonly #options: SurfaceOptions;
  readonly #guard: Guard;
  readonly #caller: Caller;
  readonly #connection: Connection;
  readonly #cwd: string | undefined;
  #session_id: string | undefined;
  #watching = new AbortController();
  /** Questions in the order they came; the first is the one on show. */
  #questions: Approval[] = [];

  constructor(options: SurfaceOptions, guard: Guard, peer: Peer) {
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
      async (message) => {
        await opened;
        await this.#take(message);
      },
      (failure) => this.#refuse(failure),
    );
  }

  /** A client that comes back names its session and sees it from the start, open questions included. */
  async #open(session_id: string | undefined): Promise<void> {
    this.#connection.say({ type: "connected", cwd: this.#cwd ?? this.#options.describe().default_workspace });
    if (session_id === undefined) return;
    try {
      await this.#attach(session_id);
    } catch (error) {
      this.#refuse(error);
    }
  }

  async #take(raw: unknown): Promise<void> {
    await this.#guard.meter(this.#caller);
    const parsed = ApprovalCommand.safeParse(raw);
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
      case "permission_response": {
        const oldest = this.#questions[0];
        if (oldest === undefined) throw new Failure("not_found", "nothing waits for an answer");
        return this.#answer(oldest.id, message);
      }
    }
  }

  async #run(message: Run): Promise<void> {
    const { sessions } = this.#options.gateway;
    if (message.prompt.trim() === "") throw new Failure("invalid_request", "Empty prompt");
    if (message.continue && this.#session_id !== undefined) {
      await sessions.prompt(this.#caller, this.#session_id, { text: message.prompt }, undefined);
      return;
    }
    if (this.#session_id !== undefined) {
      const { turn_id } = await sessions.get(this.#caller, this.#session_id);
      if (turn_id !== undefined) throw new Failure("conflict", "A prompt is running; cancel it first or continue");
      await this.#leave();
    }
    const cwd = message.cwd ?? this.#cwd;
    const request: CreateSession = {
      permission_mode: permissionMode(message.permission_mode),
      ask_reads: !message.auto_approve_safe,
      prompt: { text: message.prompt },
      metadata: { surface: "approval" },
      ...(cwd === undefined ? {} : { workspace: cwd }),
      ...(message.model === undefined ? {} : { model: message.model }),
    };
    const session = await sessions.create(this.#caller, request, undefined);
    await this.#attach(session.id);
  }

  async #cancel(): Promise<void> {
    const { sessions } = this.#options.gateway;
    const session = this.#session_id === undefined ? undefined : await sessions.get(this.#caller, this.#session_id);
    // The turn's own end says `cancelled`.
    if (session?.turn_id === undefined) this.#connection.say({ type: "cancelled", note: "No running process" });
    else await sessions.interrupt(this.#caller, session.id);
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
    },
  ): Promise<void> {
    const { approvals } = this.#options.gateway;
    const { input_hash } = await approvals.get(this.#caller, id);
    const { feedback, updated_input, interrupt } = given;
    const decision: Decision = given.approved
      ? {
          decision: "approve",
          input_hash,
          ...(given.always === true ? { scope: "session" } : {}),
          ...(updated_input === undefined ? {} : { updated_input }),
        }
      : {
          decision: "reject",
          input_hash,
          ...(feedback === undefined ? {} : { feedback }),
          ...(interrupt === undefined ? {} : { interrupt }),
        };
    await approvals.decide(this.#caller, id, decision);
  }

  async #attach(session_id: string): Promise<void> {
    this.#watching.abort();
    this.#watching = new AbortController();
    this.#questions = [];
    const { signal } = this.#watching;
    const frames = await this.#options.gateway.sessions.watch(this.#caller, session_id, 0, signal);
    this.#session_id = session_id;
    // It may have gone while the session was made: nobody would ever end this watch.
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
      if (this.#questions.length === 1) this.#connection.say(toolApprovalRequest(value.approval));
      return;
    }
    if (value.type === "approval.resolved") {
      const first = this.#questions[0];
      this.#questions = this.#questions.filter(({ id }) => id !== value.approval_id);
      this.#connection.say({
        type: "tool_approval_resolved",
        request_id: value.approval_id,
        status: value.outcome === "timed_out" ? "timeout" : value.outcome,
      });
      const next = this.#questions[0];
      if (next !== undefined && next !== first) this.#connection.say(toolApprovalRequest(next));
      return;
    }
    for (const message of approvalMessages(value)) this.#connection.say(message);
  }

  /** Ends the conversation that this socket had; its journal stays. */
  async #leave(): Promise<void> {
    const session_id = this.#session_id;
    if (session_id === undefined) return;
    this.#session_id = undefined;
    this.#watching.abort();
    this.#questions = [];
    await this.#options.gateway.sessions.close(this.#caller, session_id);
  }

  #refuse(error: unknown): void {
    const failure =
      error instanceof Failure
        ? error
        : new Failure("internal", "something went wrong here; the server's log says what");
    if (failure !== error) this.#options.log.error({ err: error }, "approval socket failed");
    this.#connection.say({ type: "error", content: failure.message, code: failure.code });
  }
}

function wrong(raw: unknown, issue: { path: PropertyKey[]; message: string } | undefined): string {
  const command = typeof raw === "object" && raw !== null && "command" in raw ? raw.command : undefined;
  if (issue?.path[0] === "command" || command === undefined)
    return `Unknown command: ${typeof command === "string" ? command.slice(0, 100) : String(command)}`;
  return `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not a command"}`;
}
