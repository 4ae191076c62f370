import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { LIMITS } from "../protocol/index.ts";

const MINUTE_MS = 60_000;

/** Counts messages that nobody asked for: requests and notifications of a server. */
export class MessageRate {
  readonly #now: () => number;
  #since: number;
  #count = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.#since = now();
  }

  /** Why it is too much; undefined: it is not. */
  excess(message: JSONRPCMessage): string | undefined {
    if (!("method" in message)) return undefined;
    const now = this.#now();
    if (now - this.#since >= MINUTE_MS || now < this.#since) {
      this.#since = now;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count > LIMITS.mcpNotificationsPerMinute
      ? `it sent more than ${LIMITS.mcpNotificationsPerMinute} messages in a minute that nobody asked for`
      : undefined;
  }
}
