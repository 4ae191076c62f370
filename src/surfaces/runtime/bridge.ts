import { randomUUID } from "node:crypto";
import {
  RUNTIME_PAGE,
  type PageMessage,
  type RuntimeMessage,
  type RuntimeRequest,
  type RuntimeTool,
} from "../../protocol/index.ts";
import type { Caller, Clock, Gateway, PageConnection, PageProtocol } from "../../sessions/index.ts";
import type { AnnouncedCalls } from "./announced-calls.ts";

export interface RuntimeBridgeOptions {
  readonly pages: Gateway["pages"];
  readonly caller: Caller;
  readonly clock: Clock;
  /** How long the page has for one call. */
  readonly toolMs: number;
  readonly say: (message: RuntimeMessage) => void;
}

/** The tools of one page at one session. */
interface RuntimeRegistration {
  readonly session_id: string;
  /** The client's own name of the session. */
  readonly name: string;
  readonly tools: readonly RuntimeTool[];
  readonly announced: AnnouncedCalls;
}

/** The tools of the page behind one socket, in document 000's words: calls go out as `tool_execute`, answers come as `tool_result`. */
export class RuntimeBridge {
  readonly #options: RuntimeBridgeOptions;
  readonly #pages: PageConnection;
  readonly #instance = randomUUID();
  readonly #registrations = new Map<string, RuntimeRegistration>();

  constructor(options: RuntimeBridgeOptions) {
    this.#options = options;
    const peer = { say: (message: PageMessage, tool_use_id?: string) => void this.#send(message, tool_use_id) };
    this.#pages = options.pages.connect(options.caller, peer, protocolOf(options.clock));
  }

  /** Resolves when turns that begin have these tools; what is given back takes them away. */
  async register(registration: RuntimeRegistration): Promise<() => Promise<void>> {
    const { session_id } = registration;
    const tools = registration.tools.map((tool) => ({ ...tool, timeout_ms: this.#options.toolMs }));
    const place = { session_id, page: RUNTIME_PAGE };
    this.#registrations.set(session_id, registration);
    try {
      await this.#pages.declare({ ...place, instance: this.#instance, tools });
    } catch (error) {
      this.#registrations.delete(session_id);
      throw error;
    }
    return async () => {
      await this.#pages.withdraw(place);
      this.#registrations.delete(session_id);
    };
  }

  /** The page's answer. One to no call of this page, or to one that has ended, changes nothing. */
  answer({ callId, result, isError }: Extract<RuntimeRequest, { type: "tool_result" }>): void {
    const content = [{ type: "text" as const, text: result }];
    const is_error = isError ?? result.startsWith("Error:");
    this.#pages.answer({ type: "tool.result", call_id: callId, result: { content, is_error } });
  }

  /** The page is gone. */
  close(): void {
    this.#pages.close();
  }

  async #send(message: PageMessage, tool_use_id: string | undefined): Promise<void> {
    const registration = message.type === "tool.call" ? this.#registrations.get(message.session_id) : undefined;
    if (message.type !== "tool.call" || registration === undefined) return;
    const { call_id: callId, tool, input: args } = message;
    await registration.announced.of(tool_use_id);
    if (this.#pages.awaits(callId))
      this.#options.say({ type: "tool_execute", callId, tool, args, sessionId: registration.name });
  }
}

/** Calls end with their socket, and what the model reads is the document's. */
function protocolOf(clock: Clock): PageProtocol {
  const failed = (text: string) => ({ content: [{ type: "text" as const, text }], is_error: true });
  return {
    clock,
    newCallId: randomUUID,
    returns: false,
    withdrawn: () => undefined,
    words: {
      busy: (_page, calls) => failed(`Error: the browser has ${calls} calls to answer; wait for them`),
      gone: () => failed("Error: WebSocket disconnected"),
      late: ({ tool, ms }) => failed(`Error: browser did not respond to ${tool} within ${ms / 1_000}s`),
    },
  };
}
