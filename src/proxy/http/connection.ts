import type { Failure } from "../../protocol/index.ts";
import type { CallerResponse } from "./caller.ts";

/** Something that a caller waits for. */
export interface Awaited {
  /** The caller has disconnected. */
  leave(): void;
  /** The caller's key has ended. */
  revoke(failure: Failure): void;
}

/** A caller's connection: one request at a time. */
export class ProxyConnection {
  /** It arrived when there were too many. */
  readonly isSurplus: boolean;
  /** The last answer; the next request comes after it has ended. */
  answer: CallerResponse | undefined = undefined;
  /** The request under way. */
  awaited: Awaited | undefined = undefined;
  isGone = false;
  /** Its input can no longer be read. */
  isGivenUp = false;
  #leaving: AbortController | undefined = undefined;

  constructor(isSurplus: boolean) {
    this.isSurplus = isSurplus;
  }

  /** Aborted when the caller disconnects. One for all requests of the connection, made on first use. */
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
