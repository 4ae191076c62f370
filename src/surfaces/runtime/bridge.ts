import { randomUUID } from "node:crypto";
import { LIMITS, type RuntimeMessage } from "../../protocol/index.ts";
import type { Clock, ClientTool } from "../../sessions/index.ts";

type Result = Awaited<ReturnType<ClientTool["call"]>>;

export interface RuntimePageCall {
  readonly sessionId: string;
  /** The page's own name of it. */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** Resolves when the page has received everything before this call. */
  readonly shown: Promise<void>;
}

const DISCONNECTED = "Error: WebSocket disconnected";

/**
 * The path to one page's tools: a call goes out as `tool_execute` and ends with the page's `tool_result`, a timeout, or the end of the
 * connection. A failure is an answer that the model reads.
 */
export class PageBridge {
  readonly #say: (message: RuntimeMessage) => void;
  readonly #clock: Clock;
  readonly #toolMs: number;
  readonly #pending = new Map<string, (result: Result) => void>();
  #closed = false;

  constructor(options: {
    readonly say: (message: RuntimeMessage) => void;
    readonly clock: Clock;
    readonly toolMs: number;
  }) {
    this.#say = options.say;
    this.#clock = options.clock;
    this.#toolMs = options.toolMs;
  }

  async call({ sessionId, tool, args, signal, shown }: RuntimePageCall): Promise<Result> {
    if (this.#closed) return failed(DISCONNECTED);
    if (this.#pending.size >= LIMITS.runtimeCallsPerSocket)
      return failed(`Error: the browser has ${this.#pending.size} calls to answer; wait for them`);
    const callId = randomUUID();
    const late = `Error: browser did not respond to ${tool} within ${this.#toolMs / 1_000}s`;
    let end: (result: Result) => void = () => undefined;
    const ended = new Promise<Result>((resolve) => {
      end = resolve;
    });
    this.#pending.set(callId, end);
    const cancel = this.#clock.after(this.#toolMs, () => end(failed(late)));
    const stop = (): void => end(failed("Interrupted; outcome unknown."));
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    void shown.then(() => {
      if (this.#pending.has(callId)) this.#say({ type: "tool_execute", callId, tool, args, sessionId });
    });
    try {
      return await ended;
    } finally {
      cancel();
      signal.removeEventListener("abort", stop);
      this.#pending.delete(callId);
    }
  }

  /** The page's answer. Ignored if it matches no open call of this page. */
  resolve(callId: string, text: string, isError: boolean): void {
    this.#pending.get(callId)?.({ content: [{ type: "text", text }], is_error: isError });
  }

  /** The page is gone. */
  close(): void {
    this.#closed = true;
    for (const end of this.#pending.values()) end(failed(DISCONNECTED));
  }
}

function failed(text: string): Result {
  return { content: [{ type: "text", text }], is_error: true };
}
