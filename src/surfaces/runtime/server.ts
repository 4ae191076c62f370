import { Failure, LIMITS } from "../../protocol/index.ts";
import type { Caller, Clock, Gateway } from "../../sessions/index.ts";
import { SYSTEM_CLOCK, type SurfaceOptions } from "../surface.ts";
import { RuntimeSession } from "./session.ts";

const PROFILE = "server";

/** What all sockets of document 000 share: the current conversations, and their settings. */
export class RuntimeServer {
  readonly gateway: Gateway;
  readonly clock: Clock;
  /** How long a page has for one call. */
  readonly toolMs: number;
  /** Undefined: the server's own default. */
  readonly engine: string | undefined;
  readonly profile: string;
  /** By principal and name, the least recently used first. */
  readonly #conversations = new Map<string, RuntimeSession>();

  constructor({ gateway, clock = SYSTEM_CLOCK, runtime = {} }: SurfaceOptions) {
    this.gateway = gateway;
    this.clock = runtime.clock ?? clock;
    this.toolMs = runtime.toolMs ?? LIMITS.pageToolMs;
    this.engine = runtime.engine;
    this.profile = runtime.profile ?? PROFILE;
  }

  /** A client's name is only valid for its own principal. */
  conversation(caller: Caller, name: string): RuntimeSession {
    const key = JSON.stringify([caller.id, name]);
    const known = this.#conversations.get(key);
    if (known === undefined) this.#makeRoom();
    const conversation = known ?? new RuntimeSession(this, caller, name);
    this.#conversations.delete(key);
    this.#conversations.set(key, conversation);
    return conversation;
  }

  isBusy(session_id: string): boolean {
    return [...this.#conversations.values()].some((conversation) => conversation.sessionId === session_id);
  }

  /** A session has lost its name: it ends, unless somebody else works in it. */
  async retire(caller: Caller, session_id: string): Promise<void> {
    const { sessions } = this.gateway;
    const { turn_id } = await sessions.get(caller, session_id);
    if (turn_id === undefined) await sessions.close(caller, session_id);
  }

  /** The state of an idle conversation can be restored. */
  #makeRoom(): void {
    if (this.#conversations.size < LIMITS.runtimeConversations) return;
    for (const [key, conversation] of this.#conversations) {
      if (!conversation.idle) continue;
      this.#conversations.delete(key);
      return;
    }
    throw new Failure("limit_reached", `${LIMITS.runtimeConversations} conversations are going on; wait for one`);
  }
}
