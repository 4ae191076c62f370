import { setMaxListeners } from "node:events";
import type { ErrorDetail, SessionSettings } from "../../protocol/index.ts";
import type { ToolDefinition } from "../../tools/toolbox.ts";
import type { EngineEvent, Host, SteeredPrompt, TurnChannel } from "../engine.ts";
import type { ModelTranscript } from "./transcript.ts";
import type { Transport } from "./transport.ts";

export const ABORTED: ErrorDetail = { code: "aborted", message: "aborted" };

export interface TurnContext {
  readonly host: Host;
  /** This turn's model: the session may switch afterwards. */
  readonly model: Host["model"];
  readonly settings: SessionSettings;
  readonly transport: Transport;
  /** The same for all requests of the session: a provider that caches by it finds its cache. */
  readonly cacheKey: string;
  /** The model's window. */
  readonly contextTokens: number;
  /** The model is told nothing but what the session says. */
  readonly isPlain: boolean;
  /** The conversation at the top level. */
  readonly root: ModelTranscript;
  /** The same for the whole turn, and for the whole conversation without client tools, so that they can be cached. */
  readonly tools: readonly ToolDefinition[];
  /** Characters of `tools`. */
  readonly toolChars: number;
}

/** What the agents of one turn share: one path to the session, and one way to stop. */
export class LoopTurn {
  readonly surroundings: TurnContext;
  readonly #channel: TurnChannel;
  #room: Promise<void> = Promise.resolve();
  readonly #controller = new AbortController();
  readonly #toolUseIds = new Set<string>();
  #stopped: ErrorDetail | undefined;

  constructor(surroundings: TurnContext, channel: TurnChannel) {
    this.surroundings = surroundings;
    this.#channel = channel;
    // Every running tool listens, and sub-agents have their own tools: many listeners are no leak here.
    setMaxListeners(0, this.#controller.signal);
  }

  get host(): Host {
    return this.surroundings.host;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Resolves when the session can take more events. */
  get room(): Promise<void> {
    return this.#room;
  }

  tell(events: readonly EngineEvent[]): void {
    if (events.length > 0) this.#room = this.#channel.tell(events);
  }

  /** What people sent into the turn; see `TurnChannel.steered`. */
  steered(): Promise<readonly SteeredPrompt[]> {
    return this.#channel.steered?.() ?? Promise.resolve([]);
  }

  /** Does the turn's work; the session may stop it meanwhile. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    const { signal } = this.#channel;
    const stop = (): void => this.stop(ABORTED);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    try {
      return await work();
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** Why the turn was stopped; absent while it runs. */
  get stopped(): ErrorDetail | undefined {
    return this.#stopped;
  }

  /** The first reason counts. */
  stop(error: ErrorDetail): void {
    this.#stopped ??= error;
    this.#controller.abort(this.#stopped);
  }

  /** The id, or a similar one: well-formed for the model, and unique in the session, including sub-agents. */
  claimToolUseId(id: string): string {
    const base = id === "" ? "toolu" : id.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
    let claimed = base;
    for (let number = 2; this.#toolUseIds.has(claimed) || this.surroundings.root.knows(claimed); number += 1) {
      claimed = `${base}_${number}`;
    }
    this.#toolUseIds.add(claimed);
    return claimed;
  }

  notice(message: string): void {
    this.tell([{ type: "notice", message }]);
  }
}

/** The value, or undefined as soon as the signal is aborted. The promise's later outcome is ignored. */
export function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  if (signal.aborted) {
    promise.catch(() => undefined);
    return Promise.resolve(undefined);
  }
  return new Promise((resolve, reject) => {
    const abort = (): void => resolve(undefined);
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
