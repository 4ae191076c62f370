import { LIMITS } from "../../protocol/index.ts";
import type { Caller, ClientQueue, Clock, Gateway } from "../../sessions/index.ts";
import { SYSTEM_CLOCK, type SurfaceOptions } from "../surface.ts";
import { RuntimeSession } from "./session.ts";

const PROFILE = "server";

/** What all sockets of document 000 share: how conversations are set up. */
export class RuntimeServer {
  readonly gateway: Gateway;
  readonly clock: Clock;
  /** How long a page has for one call. */
  readonly toolMs: number;
  /** Undefined: the server's own default. */
  readonly engine: string | undefined;
  readonly profile: string;
  readonly hasRepositoryContext: boolean;
  readonly #conversations = new WeakMap<ClientQueue, RuntimeSession>();

  constructor({ gateway, clock = SYSTEM_CLOCK, runtime = {} }: SurfaceOptions) {
    this.gateway = gateway;
    this.clock = clock;
    this.toolMs = runtime.toolMs ?? LIMITS.pageToolMs;
    this.engine = runtime.engine;
    this.profile = runtime.profile ?? PROFILE;
    this.hasRepositoryContext = runtime.repositoryContext ?? true;
  }

  /** A client's name is only valid for its own principal. */
  conversation(caller: Caller, name: string): RuntimeSession {
    const queue = this.gateway.clients.queue(caller, name);
    const conversation = this.#conversations.get(queue) ?? new RuntimeSession({ server: this, caller, name, queue });
    this.#conversations.set(queue, conversation);
    return conversation;
  }
}
