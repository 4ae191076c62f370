import {
  Failure,
  followRuntimeTurn,
  LIMITS,
  newRuntimeTurn,
  runtimeContext,
  runtimeInstructions,
  runtimeModel,
  runtimeNote,
  runtimePrompt,
  runtimeTools,
  type CreateSession,
  type Prompt,
  type PromptAccepted,
  type RuntimeContext,
  type RuntimeTurn,
  type RuntimeUserMessage,
  type SessionView,
} from "../../protocol/index.ts";
import type { Caller, Frame, MessageContext } from "../../sessions/index.ts";
import { removeQueued } from "../stop.ts";
import type { RuntimeServer } from "./server.ts";
import type { RuntimePage } from "./page.ts";
import { AnnouncedCalls } from "./announced-calls.ts";
import { TurnQuestions } from "./turn-questions.ts";

/** What the messages of one conversation share. */
export interface RuntimeSessionState {
  readonly server: RuntimeServer;
  readonly caller: Caller;
  /** The client's own name of the session. */
  readonly name: string;
  /** What the model was last told about the page; undefined: unknown. */
  told: string | undefined;
}

/** What this surface sets itself, or has already checked: visitors need no permission for it. */
const SERVERS_CHOICE = ["engine", "max_turns", "system_prompt"] as const;

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** One `user_message` from its arrival to its one answer: `final`, `error`, `aborted` or `session_reset`. */
export class MessageRun {
  readonly page: RuntimePage;
  /** The questions of its turn that wait for an answer. */
  readonly questions = new TurnQuestions();
  readonly #state: RuntimeSessionState;
  readonly #message: RuntimeUserMessage;
  readonly #context: RuntimeContext;
  readonly #shown = new AnnouncedCalls();
  #turn: RuntimeTurn | undefined;
  #session_id: string | undefined;
  #stopped = false;
  readonly #done: () => void;
  #stopTelling: () => void = () => undefined;

  constructor(
    state: RuntimeSessionState,
    asked: { readonly page: RuntimePage; readonly message: RuntimeUserMessage; readonly done: () => void },
  ) {
    this.#state = state;
    this.page = asked.page;
    this.#message = asked.message;
    this.#context = runtimeContext(asked.message.context);
    this.#done = asked.done;
  }

  /** Another message is ahead of it: says so now and from time to time. */
  wait(): void {
    this.#stopTelling();
    const tell = (): void => {
      if (this.page.closed.aborted) return;
      this.page.say({ type: "queued", sessionId: this.#state.name });
      this.#stopTelling = this.#state.server.clock.after(LIMITS.runtimeQueuedMs, tell);
    };
    tell();
  }

  /** It will not be run. */
  drop(): void {
    this.#sayAborted();
    this.#done();
  }

  #sayAborted(): void {
    this.#stopTelling();
    this.page.say({ type: "aborted", sessionId: this.#state.name });
  }

  /** Ends it, wherever it is. */
  stop(): void {
    this.#stopped = true;
    if (this.#turn !== undefined) void this.#interrupt(this.#turn);
  }

  async run(): Promise<void> {
    this.#stopTelling();
    const { name } = this.#state;
    try {
      // A page that left before its turn came has nobody for whom to do it.
      if (this.page.closed.aborted) return;
      const note = runtimeNote(this.#context);
      const session = await this.#session(note);
      if (session === undefined) return;
      this.#session_id = session.id;
      const unregister = await this.page.bridge.register({
        session_id: session.id,
        name,
        tools: runtimeTools(this.#context),
        announced: this.#shown,
      });
      try {
        await this.#send(session, note);
      } finally {
        await unregister();
      }
    } catch (error) {
      this.page.refuse(name, error);
    } finally {
      this.#stopTelling();
      this.#shown.end();
      this.#done();
    }
  }

  async #send(session: SessionView, note: string): Promise<void> {
    const { server, caller } = this.#state;
    const prompt = runtimePrompt(this.#message, note === this.#state.told ? "" : note);
    if (prompt === undefined)
      throw new Failure("invalid_request", `an image must be base64, at most ${LIMITS.attachmentBytes} bytes`);
    const found = await this.#partsFor(session, prompt);
    if (this.#stopped) return this.#sayAborted();
    const whole =
      found === undefined ? prompt : { ...prompt, attachments: [...(prompt.attachments ?? []), found.attachment] };
    const accepted = await server.gateway.sessions.prompt(caller, session.id, whole, undefined);
    if (found !== undefined) {
      found.taken();
      this.page.say({ type: "repository_context", sessionId: this.#state.name, parts: found.parts });
    }
    this.#state.told = note;
    await this.#follow(session.id, accepted);
  }

  /** Parts of the workspace's files that fit the prompt. Undefined: there are none. */
  async #partsFor({ id }: SessionView, { text, attachments = [] }: Prompt): Promise<MessageContext | undefined> {
    const { server, caller } = this.#state;
    if (!server.hasRepositoryContext || attachments.length >= LIMITS.attachmentsPerPrompt) return undefined;
    return server.gateway.instructions.repositoryContext(caller, id, text);
  }

  /** The session of this conversation, created or changed as the message wants. Undefined: the client was told why there is none. */
  async #session(note: string): Promise<SessionView | undefined> {
    const { server, caller, name } = this.#state;
    const known = await server.gateway.clients.find(caller, name);
    const session = known === undefined ? undefined : await server.gateway.sessions.get(caller, known);
    if (session === undefined || session.status === "complete" || session.status === "failed") {
      if (this.#message.resumeExpected === true) {
        this.page.say({ type: "session_reset", sessionId: name, reason: "not_found" });
        return undefined;
      }
      const made = await this.#make(this.#request());
      this.#state.told = note;
      return made;
    }
    const model = runtimeModel(this.#message);
    if (model === undefined || model === session.settings.model) return session;
    // A session keeps its model: another one goes on with all that was said in this one.
    return this.#make({ resume_session_id: session.id, model });
  }

  #request(): CreateSession {
    const { server, caller, name } = this.#state;
    const { engine, profile, max_turns, systemPromptMode } = this.#message;
    const { policy } = server.gateway;
    const given = policy.profileFor(caller, server.profile);
    const chosen = { engine, profile, max_turns };
    const fields = (["profile", "engine", "max_turns"] as const).filter((field) => isGiven(chosen[field]));
    policy.checkClientChoices(caller, given, fields);
    const model = runtimeModel(this.#message);
    const system_prompt = runtimeInstructions(this.#context, systemPromptMode ?? undefined);
    const wanted = engine ?? server.engine;
    const profileName = profile ?? given;
    return {
      ...(profileName === undefined ? {} : { profile: profileName }),
      // A page cannot show that question: its message ends with an error.
      at_budget_end: "fail",
      metadata: { surface: "runtime", client_session_id: name },
      ...(system_prompt === "" ? {} : { system_prompt }),
      ...(wanted === undefined ? {} : { engine: wanted }),
      ...(model === undefined ? {} : { model }),
      ...(typeof max_turns === "number" ? { max_turns } : {}),
    };
  }

  #make(request: CreateSession): Promise<SessionView> {
    const { server, caller, name } = this.#state;
    return server.gateway.clients.create(caller, name, { request, given: SERVERS_CHOICE });
  }

  /** Reports the turn to the page until it has ended. A page that leaves ends nothing: its tools then answer that it is gone. */
  async #follow(session_id: string, accepted: PromptAccepted): Promise<void> {
    const { server, caller, name } = this.#state;
    this.#turn = newRuntimeTurn(name, accepted.turn_id);
    if (accepted.queued) this.wait();
    const watching = new AbortController();
    try {
      const { sessions } = server.gateway;
      const frames = await sessions.watch(caller, session_id, accepted.seq - 1, watching.signal);
      for await (const batch of frames) {
        for (const frame of batch) {
          this.#turn = await this.#take(this.#turn, frame);
          if (this.#turn.ended) return;
        }
      }
      throw new Failure("shutting_down", "the server is stopping; the turn goes on when it is back");
    } finally {
      watching.abort();
    }
  }

  async #take(turn: RuntimeTurn, frame: Frame): Promise<RuntimeTurn> {
    const told = followRuntimeTurn(turn, frame.value);
    if (turn.begun === undefined && told.turn.begun !== undefined) {
      this.#stopTelling();
      if (this.#stopped) void this.#interrupt(told.turn);
    }
    for (const message of told.messages) {
      await this.page.tell(message);
      this.questions.told(this.page, message);
      if (message.type === "tool_use") this.#shown.mark(message.tool_use_id);
    }
    return told.turn;
  }

  /** A message that waits behind another client's is removed from the queue: it never begins. */
  async #interrupt({ turn_id, begun }: RuntimeTurn): Promise<void> {
    const { server, caller, name } = this.#state;
    const id = this.#session_id;
    if (id === undefined) return;
    try {
      if (begun === undefined && (await removeQueued(server.gateway, caller, { id, turn_id }))) return;
      const { turn_id: open } = await server.gateway.sessions.get(caller, id);
      if (open === turn_id) await server.gateway.sessions.interrupt(caller, id, { hold_queue: true });
    } catch (error) {
      this.page.refuse(name, error);
    }
  }
}
