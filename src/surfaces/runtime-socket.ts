import {
  Failure,
  INVALID_FORMAT,
  LIMITS,
  readRuntimeRequest,
  runtimeError,
  type RuntimeMessage,
  type RuntimeRequest,
} from "../protocol/index.ts";
import type { Caller } from "../sessions/index.ts";
import type { SocketConnection } from "./connection.ts";
import { failureOf } from "./failure-of.ts";
import type { Guard } from "./guard.ts";
import { RuntimeBridge } from "./runtime/bridge.ts";
import type { RuntimeServer } from "./runtime/server.ts";
import type { RuntimePage } from "./runtime/page.ts";
import type { SurfaceOptions } from "./surface.ts";

const encoder = new TextEncoder();

/** Document 000's `/ws`: any number of conversations over one socket, and the tools of the page behind it. */
export class RuntimeConnection implements RuntimePage {
  readonly caller: Caller;
  readonly bridge: RuntimeBridge;
  readonly #server: RuntimeServer;
  readonly #guard: Guard;
  readonly #log: SurfaceOptions["log"];
  readonly #connection: SocketConnection;
  /** Messages that are not answered yet. */
  #open = 0;

  constructor(
    parts: { readonly server: RuntimeServer; readonly guard: Guard; readonly log: SurfaceOptions["log"] },
    peer: { readonly caller: Caller; readonly connection: SocketConnection },
  ) {
    this.#server = parts.server;
    this.#guard = parts.guard;
    this.#log = parts.log;
    this.caller = peer.caller;
    this.#connection = peer.connection;
    const { gateway, clock, toolMs } = parts.server;
    const say = (message: RuntimeMessage): void => this.say(message);
    this.bridge = new RuntimeBridge({ pages: gateway.pages, caller: peer.caller, clock, toolMs, say });
    peer.connection.closed.addEventListener("abort", () => this.bridge.close());
    peer.connection.listen(
      (raw, said) => this.#take(raw, said),
      ({ code, message }) => this.say(runtimeError("", { code, message: INVALID_FORMAT, details: message })),
    );
  }

  get closed(): AbortSignal {
    return this.#connection.closed;
  }

  get said(): number {
    return this.#connection.said;
  }

  say(message: RuntimeMessage): void {
    this.#connection.say(message);
  }

  async tell(message: RuntimeMessage): Promise<void> {
    await this.#connection.push([{ bytes: encoder.encode(JSON.stringify(message)) }]);
  }

  refuse(sessionId: string, error: unknown): void {
    const failure = failureOf(error);
    if (failure !== error) this.#log.error({ err: error }, "runtime socket failed");
    this.say(runtimeError(sessionId, failure.toBody().error));
  }

  /** Returns as soon as the message was checked: a query runs beside the next messages. */
  async #take(raw: unknown, said: number): Promise<void> {
    const request = readRuntimeRequest(raw);
    const sessionId = "sessionId" in request ? request.sessionId : "";
    try {
      this.#guard.meter(this.caller);
      if (request.type === "error") this.say(request);
      else this.#handle(request, said);
    } catch (error) {
      this.refuse(sessionId, error);
    }
  }

  #handle(request: RuntimeRequest, said: number): void {
    if (request.type === "tool_result") return this.bridge.answer(request);
    const conversation = this.#server.conversation(this.caller, request.sessionId);
    switch (request.type) {
      case "user_message":
        this.#begin();
        return conversation.submit(this, request, () => this.#end());
      case "abort":
        return conversation.abort(this);
      case "new_chat":
      case "session.clear":
        this.#begin();
        return conversation.clear(this, () => this.#end());
      case "input_response":
        conversation.answer(this, request, said).catch((error: unknown) => this.refuse(request.sessionId, error));
    }
  }

  #begin(): void {
    if (this.#open >= LIMITS.runtimePromptsPerSocket)
      throw new Failure("queue_full", `${this.#open} messages of this connection wait already; wait for an answer`);
    this.#open += 1;
  }

  #end(): void {
    this.#open -= 1;
  }
}
