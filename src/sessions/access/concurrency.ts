import { Failure, type Profile } from "../../protocol/index.ts";
import type { SessionReads } from "../../store/index.ts";
import type { Caller } from "./access.ts";

/** Limits how many sessions a principal, or tokens that share a limit, may have open at once. */
export class SessionConcurrency {
  readonly #read: Pick<SessionReads, "activeSessions" | "activeSessionsMadeWith">;
  /** By principal: resolves when the pending session has been made, or failed. */
  readonly #making = new Map<string, Promise<void>>();

  constructor(read: Pick<SessionReads, "activeSessions" | "activeSessionsMadeWith">) {
    this.#read = read;
  }

  /** Makes a session if policy and token allow its principal one more. With a limit, sessions are made one at a time, so that each is counted once. */
  async make<Made>(
    caller: Caller,
    { max_concurrent }: Pick<Profile, "max_concurrent">,
    make: () => Promise<Made>,
  ): Promise<Made> {
    const limited = [
      ...caller.token.parents.map(({ id, bounds }) => ({ id, limit: bounds.max_concurrent })),
      { id: caller.id, limit: max_concurrent },
    ].filter(({ limit }) => limit !== undefined);
    // Tokens that share a limit wait in one queue: that of the first token with a limit.
    const line = limited[0]?.id;
    if (line === undefined) return make();
    const before = this.#making.get(line) ?? Promise.resolve();
    const made = before.then(async () => {
      for (const { id, limit = 0 } of limited) await this.#check(caller, id, limit);
      return make();
    });
    const over = made.then(
      () => undefined,
      () => undefined,
    );
    this.#making.set(line, over);
    try {
      return await made;
    } finally {
      if (this.#making.get(line) === over) this.#making.delete(line);
    }
  }

  /** Counts the sessions of a principal and of the tokens that it made. */
  async #check(caller: Caller, id: string, limit: number): Promise<void> {
    const active = (await this.#read.activeSessions(id)) + (await this.#read.activeSessionsMadeWith(id));
    if (active < limit) return;
    const whose = id === caller.id ? "yours" : "those who share your token's limit";
    throw new Failure(
      "limit_reached",
      `max concurrent sessions exceeded: ${limit} of ${whose} are open; close one first`,
    );
  }
}
