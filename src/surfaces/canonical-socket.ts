import {
  ClientMessage,
  Failure,
  LIMITS,
  mistakeWords,
  PROTOCOL_VERSION,
  speaksOurs,
  type ServerMessage,
} from "../protocol/index.ts";
import type { Caller, FeedBatch, Frame, PageConnection } from "../sessions/index.ts";
import type { SocketConnection } from "./connection.ts";
import { failureOf } from "./failure-of.ts";
import type { Guard } from "./guard.ts";
import type { SurfaceOptions } from "./surface.ts";

type SocketCommand = Exclude<
  ClientMessage,
  { type: "hello" | "subscribe" | "unsubscribe" | "feed" | "ping" | "tool.result" }
>;

/** `/api/ws`: many sessions over one socket: subscriptions from a seq, a feed of all changes, commands, receipts, page tools. */
export class CanonicalSocket {
  readonly #options: SurfaceOptions;
  readonly #guard: Guard;
  readonly #caller: Caller;
  readonly #connection: SocketConnection;
  readonly #pages: PageConnection;
  readonly #subscriptions = new Map<string, AbortController>();
  readonly #feed = new AbortController();
  #feeding = false;
  #greeted = false;

  constructor(
    options: SurfaceOptions,
    guard: Guard,
    peer: { readonly caller: Caller; readonly connection: SocketConnection },
  ) {
    this.#options = options;
    this.#guard = guard;
    this.#caller = peer.caller;
    this.#connection = peer.connection;
    this.#pages = options.gateway.pages.connect(peer.caller, { say: (message) => this.#say(message) });
    peer.connection.closed.addEventListener("abort", () => this.#drop());
    peer.connection.listen(
      (message) => this.#take(message),
      (failure) => this.#say({ type: "refused", error: failure.toBody().error }),
    );
  }

  #say(message: ServerMessage): void {
    this.#connection.say(message);
  }

  async #take(raw: unknown): Promise<void> {
    this.#options.gateway.tokens.checkTime(this.#caller);
    const parsed = ClientMessage.safeParse(raw);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      const why = `${issue?.path.join(".") ?? ""}: ${issue === undefined ? "not a message" : mistakeWords(issue)}`;
      // An invalid answer is an answer too: the agent need not wait for its timeout.
      if (isAnswer(raw) && this.#pages.garbled(raw.call_id, why)) return;
      this.#guard.meter(this.#caller);
      throw new Failure("invalid_request", why);
    }
    if (parsed.data.type === "tool.result" && this.#pages.awaits(parsed.data.call_id)) {
      this.#pages.answer(parsed.data);
      return;
    }
    try {
      this.#guard.meter(this.#caller);
      await this.#handle(parsed.data);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#say({ type: "refused", ...aboutOf(parsed.data), error: error.toBody().error });
    }
  }

  async #handle(message: ClientMessage): Promise<void> {
    if (message.type === "hello") {
      this.#greet(message.protocol);
      return;
    }
    if (!this.#greeted)
      throw new Failure("protocol_mismatch", `say hello first: {"type":"hello","protocol":"${PROTOCOL_VERSION}"}`);
    if (message.type === "ping") this.#say({ type: "pong" });
    else if (message.type === "subscribe") await this.#subscribe(message.session_id, message.after ?? 0);
    else if (message.type === "unsubscribe") this.#unsubscribe(message.session_id);
    else if (message.type === "feed") this.#openFeed();
    else if (message.type === "tool.result") this.#pages.answer(message);
    else void this.#command(message);
  }

  #greet(protocol: string): void {
    if (!speaksOurs(protocol)) {
      throw new Failure("protocol_mismatch", `this server speaks protocol ${PROTOCOL_VERSION}, not ${protocol}`);
    }
    this.#greeted = true;
    this.#say({ type: "welcome", protocol: PROTOCOL_VERSION, server: this.#options.version });
  }

  async #subscribe(session_id: string, after: number): Promise<void> {
    if (this.#subscriptions.has(session_id)) throw new Failure("conflict", `this socket watches ${session_id} already`);
    if (this.#subscriptions.size >= LIMITS.socketSubscriptions) {
      throw new Failure("limit_reached", `a socket may watch ${LIMITS.socketSubscriptions} sessions`);
    }
    const controller = new AbortController();
    const frames = await this.#options.gateway.sessions.watch(this.#caller, session_id, after, controller.signal);
    if (this.#connection.closed.aborted) return;
    this.#subscriptions.set(session_id, controller);
    this.#say({ type: "subscribed", session_id, after });
    void this.#forward(session_id, frames, controller);
  }

  async #forward(session_id: string, frames: AsyncIterable<Frame[]>, controller: AbortController): Promise<void> {
    let ended = false;
    try {
      for await (const batch of frames) await this.#connection.push(batch, controller.signal);
      if (controller.signal.aborted) return;
      const { status } = await this.#options.gateway.sessions.get(this.#caller, session_id);
      ended = status === "complete" || status === "failed";
    } catch (error) {
      this.#options.log.warn({ err: error, session: session_id }, "a subscription ended early");
    }
    if (this.#subscriptions.get(session_id) !== controller) return;
    this.#subscriptions.delete(session_id);
    this.#say({ type: "unsubscribed", session_id, ...(ended ? { ended } : {}) });
  }

  /** A repeated request only confirms that it is open. */
  #openFeed(): void {
    const batches = this.#feeding ? undefined : this.#options.gateway.feed.open(this.#caller, this.#feed.signal);
    this.#feeding = true;
    this.#say({ type: "feeding" });
    if (batches !== undefined) void this.#forwardFeed(batches);
  }

  async #forwardFeed(batches: AsyncIterable<FeedBatch>): Promise<void> {
    try {
      for await (const { anew, lines } of batches) {
        if (anew) this.#say({ type: "feeding" });
        await this.#connection.push([...lines]);
      }
    } catch (error) {
      this.#options.log.warn({ err: error }, "a feed ended early");
    }
  }

  #unsubscribe(session_id: string): void {
    const controller = this.#subscriptions.get(session_id);
    if (controller === undefined) throw new Failure("not_found", `this socket does not watch ${session_id}`);
    this.#subscriptions.delete(session_id);
    controller.abort();
    this.#say({ type: "unsubscribed", session_id });
  }

  /** Runs beside the next messages: an interrupt must not wait for the prompt before it. */
  async #command(message: SocketCommand): Promise<void> {
    const { command_id } = message;
    try {
      this.#say({ type: "receipt", command_id, result: await this.#run(message) });
    } catch (error) {
      const failure = failureOf(error);
      if (failure !== error) this.#options.log.error({ err: error, command: message.type }, "command failed");
      this.#say({ type: "refused", command_id, error: failure.toBody().error });
    }
  }

  async #run(message: SocketCommand): Promise<unknown> {
    const { sessions, approvals } = this.#options.gateway;
    const pages = this.#pages;
    const caller = this.#caller;
    switch (message.type) {
      case "create":
        return sessions.create(caller, message.session, message.command_id);
      case "prompt":
        return sessions.prompt(caller, message.session_id, message.prompt, message.command_id);
      case "interrupt":
        return sessions.interrupt(caller, message.session_id, message);
      case "pause":
      case "resume":
      case "close":
        return sessions[message.type](caller, message.session_id);
      case "fork":
        return sessions.fork(caller, message.session_id, message.fork ?? {}, message.command_id);
      case "configure":
        return sessions.configure(caller, message.session_id, message.settings, message.command_id);
      case "decide":
        return approvals.decide(caller, message.approval_id, message.decision);
      case "tools.declare":
        return pages.declare(message);
      case "tools.withdraw":
        return pages.withdraw(message);
    }
  }

  #drop(): void {
    for (const controller of this.#subscriptions.values()) controller.abort();
    this.#subscriptions.clear();
    this.#feed.abort();
    this.#pages.close();
  }
}

function isAnswer(raw: unknown): raw is { readonly call_id: string } {
  const { type, call_id } = (raw ?? {}) as Readonly<Record<string, unknown>>;
  return type === "tool.result" && typeof call_id === "string";
}

/** What a refusal is about, so that a client with many requests can match it. */
function aboutOf(message: ClientMessage): { command_id?: string; session_id?: string; feed?: true } {
  if (message.type === "feed") return { feed: true };
  if (message.type === "subscribe") return { session_id: message.session_id };
  return "command_id" in message ? { command_id: message.command_id } : {};
}
