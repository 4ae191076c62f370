import type { CallerResponse } from "./caller.ts";

/** Something that a caller waits for. */
export interface Awaited {
  /** The caller is gone. */
  leave(): void;
}

/** A caller's connection: one request at a time. */
export class ProxyConnection {
  /** It came when there were too many. */
  readonly isSurplus: boolean;
  /** The last answer; the next request comes when it has ended. */
  answer: CallerResponse | undefined = undefined;
  /** The request that is under way. */
  awaited: Awaited | undefined = undefined;
  isGone = false;
  /** What comes on it cannot be read any more. */
  isGivenUp = false;
  #leaving: AbortController | undefined = undefined;

  constructor(isSurplus: boolean) {
    this.isSurplus = isSurplus;
  }

  /** Aborted when the caller leaves. One for all requests of the connection, and only where it is wanted. */
  get signal(): AbortSignal {
    this.#leaving ??= new AbortController();
    if (this.isGone) this.#leaving.abort();
    return this.#leaving.signal;
  }

  leave(): void {
    this.isGone = true;
    this.#leaving?.abort();
    this.awaited?.leave();
  }
}
