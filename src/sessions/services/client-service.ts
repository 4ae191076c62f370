import { createHash } from "node:crypto";
import { z } from "zod";
import { Failure, LIMITS, type ClientChoice, type CreateSession, type SessionView } from "../../protocol/index.ts";
import { authorize, type Caller } from "../access/access.ts";
import type { Dependencies } from "../dependencies.ts";
import { ClientQueue } from "../lifecycle/client-queue.ts";
import type { SessionService } from "./session-service.ts";

interface ClientSlot {
  readonly slot: number;
  readonly session_id: string;
}

/** One principal's names, the least recently used first. */
interface Names {
  readonly known: Map<string, ClientSlot>;
  readonly free: number[];
  /** Changes not yet on the disk: until they are, the disk is outdated. */
  writing: number;
}

/** The content of a slot's document. Undefined: the slot is free. */
const Slot = z.object({ name: z.string(), session_id: z.string() }).partial();

/**
 * The names that clients give to their sessions (document 000's `sessionId`), separate for each principal. As many
 * as the settings say; the least recently used goes first. They survive a restart: each name has a slot, and each slot is a document.
 */
export class ClientService {
  readonly #dependencies: Pick<Dependencies, "store" | "clock" | "bounds">;
  /** By principal, the least recently used first. */
  readonly #principals = new Map<string, Promise<Names>>();
  readonly #sessions: Pick<SessionService, "create" | "get" | "close">;
  /** By principal and name, the least recently used first. */
  readonly #queues = new Map<string, ClientQueue>();

  constructor(
    dependencies: Pick<Dependencies, "store" | "clock" | "bounds">,
    sessions: Pick<SessionService, "create" | "get" | "close">,
  ) {
    this.#dependencies = dependencies;
    this.#sessions = sessions;
  }

  /** The session of this name; undefined: there is none. Counts as a use. */
  async find(caller: Caller, name: string): Promise<string | undefined> {
    const { known } = await this.#names(caller);
    const key = keyOf(name);
    const place = known.get(key);
    if (place === undefined) return undefined;
    known.delete(key);
    known.set(key, place);
    return place.session_id;
  }

  /**
   * A new session under a name, which is on the disk when this resolves. The session that had the name before, and one that lost its
   * own for it, end, unless somebody works in them.
   */
  async create(
    caller: Caller,
    name: string,
    { request, given }: { readonly request: CreateSession; readonly given?: readonly ClientChoice[] },
  ): Promise<SessionView> {
    const session = await this.#sessions.create(caller, request, undefined, { given });
    let lost: readonly string[];
    try {
      lost = await this.#keep(caller, name, session.id);
    } catch (error) {
      await this.#sessions.close(caller, session.id);
      throw error;
    }
    for (const id of lost) {
      const { turn_id } = await this.#sessions.get(caller, id);
      if (turn_id === undefined) await this.#sessions.close(caller, id);
    }
    return session;
  }

  /** Forgets a name, and closes the session that had it. */
  async drop(caller: Caller, name: string): Promise<void> {
    const names = await this.#names(caller);
    const key = keyOf(name);
    const place = names.known.get(key);
    if (place === undefined) return;
    names.known.delete(key);
    await this.#write(caller, names, place.slot, {});
    names.free.push(place.slot);
    await this.#sessions.close(caller, place.session_id);
  }

  /** The queue of work in the session of this name. The same object while there is work or the name is known. */
  queue(caller: Caller, name: string): ClientQueue {
    const key = queueKey(caller, keyOf(name));
    const known = this.#queues.get(key);
    if (known === undefined) this.#makeRoom();
    const queue = known ?? new ClientQueue();
    this.#queues.delete(key);
    this.#queues.set(key, queue);
    return queue;
  }

  #makeRoom(): void {
    if (this.#queues.size < LIMITS.runtimeConversations) return;
    const [oldest] = [...this.#queues].find(([, { running }]) => running === undefined) ?? [];
    if (oldest === undefined)
      throw new Failure("limit_reached", `${LIMITS.runtimeConversations} conversations are going on; wait for one`);
    this.#queues.delete(oldest);
  }

  /** Returns the sessions that lost their name by it. */
  async #keep(caller: Caller, name: string, session_id: string): Promise<readonly string[]> {
    const names = await this.#names(caller);
    const key = keyOf(name);
    const before = names.known.get(key);
    const evicted = before === undefined && names.free.length === 0 ? this.#oldest(caller, names) : undefined;
    const slot = before?.slot ?? evicted?.place.slot ?? names.free.pop();
    if (slot === undefined)
      throw new Failure(
        "limit_reached",
        `all ${this.#dependencies.bounds.clientSessions} client sessions are at work; wait for one`,
      );
    if (evicted !== undefined) names.known.delete(evicted.key);
    names.known.delete(key);
    names.known.set(key, { slot, session_id });
    await this.#write(caller, names, slot, { name: key, session_id });
    return [before, evicted?.place].flatMap((place) => place?.session_id ?? []);
  }

  /** The least recently used one that nobody works in. */
  #oldest(caller: Caller, { known }: Names): { readonly key: string; readonly place: ClientSlot } | undefined {
    for (const [key, place] of known)
      if (this.#queues.get(queueKey(caller, key))?.running === undefined) return { key, place };
    return undefined;
  }

  async #write(caller: Caller, names: Names, slot: number, body: z.infer<typeof Slot>): Promise<void> {
    const at = new Date(this.#dependencies.clock.now()).toISOString();
    const by = { id: caller.id, name: caller.name, role: caller.role };
    names.writing += 1;
    try {
      await this.#dependencies.store.commit({
        documents: [{ name: documentOf(caller, slot), at, by, body: JSON.stringify(body), keep: 1 }],
      });
    } catch (error) {
      // Memory is ahead of the disk: the next request reads it again.
      this.#principals.delete(caller.id);
      throw error;
    } finally {
      names.writing -= 1;
    }
  }

  #names(caller: Caller): Promise<Names> {
    authorize(caller, "session.create");
    const known = this.#principals.get(caller.id) ?? this.#load(caller);
    this.#principals.delete(caller.id);
    this.#principals.set(caller.id, known);
    if (this.#principals.size > LIMITS.clientPrincipals) void this.#forgetOne();
    known.catch(() => this.#principals.delete(caller.id));
    return known;
  }

  /** Evicts the least recently used principal; it is loaded again when it returns. */
  async #forgetOne(): Promise<void> {
    for (const [id, loading] of this.#principals) {
      const names = await loading.catch(() => undefined);
      if (names !== undefined && names.writing > 0) continue;
      if (this.#principals.get(id) === loading) this.#principals.delete(id);
      return;
    }
  }

  async #load(caller: Caller): Promise<Names> {
    const { bounds, store } = this.#dependencies;
    const { read } = store;
    const found: { readonly key: string; readonly place: ClientSlot; readonly used: string }[] = [];
    const free: number[] = [];
    for (let slot = 0; slot < bounds.clientSessions; slot += 1) {
      const [row] = await read.documents({ name: documentOf(caller, slot), limit: 1 });
      const { name, session_id } = row === undefined ? {} : Slot.parse(JSON.parse(row.body));
      const session = session_id === undefined ? undefined : await read.session(session_id);
      // The session's own time shows when the name was last used.
      if (name === undefined || session === undefined) free.push(slot);
      else found.push({ key: name, place: { slot, session_id: session.id }, used: session.updated_at });
    }
    const ordered = found.toSorted((left, right) => (left.used < right.used ? -1 : 1));
    return { known: new Map(ordered.map(({ key, place }) => [key, place])), free: free.toReversed(), writing: 0 };
  }
}

/** A name may be anything, even something that must not be stored. */
function keyOf(name: string): string {
  return createHash("sha256").update(name).digest("hex");
}

function queueKey(caller: Caller, key: string): string {
  return `${caller.id}/${key}`;
}

function documentOf(caller: Caller, slot: number): string {
  return `client/${caller.id}/${slot}`;
}
