import { Failure, type Profile } from "../../protocol/index.ts";
import type { StoreReader } from "../../store/index.ts";
import type { Caller } from "./access.ts";

/** How many sessions may be open at once, of a principal and of the tokens that share a limit. */
export class SessionConcurrency {
  readonly #read: Pick<StoreReader, "activeSessions" | "activeSessionsMadeWith">;
  /** By principal: resolves when the last session that is being made is there, or is not. */
  readonly #making = new Map<string, Promise<void>>();

  constructor(read: Pick<StoreReader, "activeSessions" | "activeSessionsMadeWith">) {
    this.#read = read;
  }

  /** Makes a session where policy and token let its principal have one more. With a limit one is made after the other, so that each is counted once. */
  async make<Made>(
    caller: Caller,
    { max_concurrent }: Pick<Profile, "max_concurrent">,
    make: () => Promise<Made>,
  ): Promise<Made> {
    const limited = [
      ...caller.token.parents.map(({ id, bounds }) => ({ id, limit: bounds.max_concurrent })),
      { id: caller.id, limit: max_concurrent },
    ].filter(({ limit }) => limit !== undefined);
    // Who shares a limit waits in one line: that of the first token that has one.
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

  /** Sessions of a principal count, and those of the tokens that it made. */
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
