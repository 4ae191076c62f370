import { setMaxListeners } from "node:events";
import type { ErrorDetail, SessionSettings } from "../../protocol/index.ts";
import type { Host } from "../engine.ts";
import { Channel } from "./channel.ts";
import type { Transcript } from "./transcript.ts";
import type { Transport } from "./transport.ts";

export const ABORTED: ErrorDetail = { code: "aborted", message: "aborted" };

export interface Surroundings {
  readonly host: Host;
  readonly settings: SessionSettings;
  readonly transport: Transport;
  /** The model's window. */
  readonly contextTokens: number;
  /** The conversation at the top level. */
  readonly root: Transcript;
  /** Characters of all tool definitions. */
  readonly toolChars: number;
}

/** What the agents of one turn share: one way to the session, and one way to stop. */
export class Turn {
  readonly surroundings: Surroundings;
  readonly channel = new Channel();
  readonly #controller = new AbortController();
  readonly #toolUseIds = new Set<string>();
  #stopped: ErrorDetail | undefined;

  constructor(surroundings: Surroundings) {
    this.surroundings = surroundings;
    // Every running tool listens, and sub-agents have tools of their own: many listeners are no leak here.
    setMaxListeners(0, this.#controller.signal);
  }

  get host(): Host {
    return this.surroundings.host;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
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

  /** The same id, or one like it when the conversation or a sibling has used it: sessions and models need it to be unique. */
  claimToolUseId(id: string): string {
    let claimed = id;
    for (let number = 2; this.#toolUseIds.has(claimed) || this.surroundings.root.knows(claimed); number += 1)
      claimed = `${id}_${number}`;
    this.#toolUseIds.add(claimed);
    return claimed;
  }

  notice(message: string): void {
    this.channel.send([{ type: "notice", message }]);
  }
}

/** The value, or nothing as soon as the signal is aborted. What the promise does later is nobody's business any more. */
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
