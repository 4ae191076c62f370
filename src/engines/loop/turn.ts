import type { ErrorDetail, SessionSettings, Usage } from "../../protocol/index.ts";
import type { EngineEvent, Host } from "../engine.ts";
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
    this.#controller.abort();
  }

  /** The same id, or one like it when the conversation or a sibling has used it: sessions and models need it to be unique. */
  claimToolUseId(id: string): string {
    let claimed = id;
    for (let number = 2; this.#toolUseIds.has(claimed) || this.surroundings.root.knows(claimed); number += 1) claimed = `${id}_${number}`;
    this.#toolUseIds.add(claimed);
    return claimed;
  }

  notice(message: string): void {
    this.channel.send([{ type: "notice", message }]);
  }
}

export function usageEvent(usage: Usage): EngineEvent {
  return { type: "usage", usage };
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
