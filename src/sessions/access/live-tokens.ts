import { Failure, LIMITS } from "../../protocol/index.ts";
import type { PrincipalRow, TokenStore } from "../../store/index.ts";
import type { Caller } from "./access.ts";
import type { Clock } from "../dependencies.ts";
import { atWallTime } from "../lifecycle/wall-time.ts";

/** A token in memory. */
interface LiveToken {
  readonly caller: Caller;
  readonly hash: string;
  /** Callbacks for when the token ends. */
  readonly ending: Set<() => void>;
  /** When its use was last written to the store. */
  usedAt: number;
  stopClock: () => void;
}

interface TokenServices {
  readonly store: TokenStore;
  readonly clock: Clock;
}

/** Tokens in use: found without the database, each with the callbacks for its end. */
export class LiveTokens {
  readonly #dependencies: TokenServices;
  /** By hash, the least recently used first. */
  readonly #tokens = new Map<string, LiveToken>();
  /** By a token's id. */
  readonly #hashes = new Map<string, string>();
  /** Tokens that are being read from the store. */
  #loading = 0;
  /** Tokens that ended while they were read: the result is outdated. */
  readonly #endedMeanwhile = new Set<string>();
  /** Ids of recently expired tokens: setting the clock back does not revive them. */
  readonly #expired = new Set<string>();
  /** Web origins that tokens name, with the time at which the last of those tokens expires. */
  #origins = new Map<string, number>();

  constructor(dependencies: TokenServices) {
    this.#dependencies = dependencies;
  }

  /** The caller behind a token's hash. */
  async find(hash: string): Promise<Caller> {
    const live = this.#tokens.get(hash) ?? (await this.#load(hash));
    this.#tokens.delete(hash);
    this.#tokens.set(hash, live);
    this.checkTime(live.caller);
    this.#noteUse(live);
    return live.caller;
  }

  /** Refuses a caller whose token has expired meanwhile, and runs the callbacks for its end. */
  checkTime({ token }: Caller): void {
    if (!this.#isExpired(token)) return;
    this.#expire(token.id);
    throw new Failure("unauthenticated", "this token has expired; get a new one");
  }

  #isExpired({ id, expires_at }: Caller["token"]): boolean {
    if (expires_at === undefined) return false;
    return this.#dependencies.clock.now() >= expires_at || this.#expired.has(id);
  }

  #expire(id: string): void {
    this.#expired.delete(id);
    this.#expired.add(id);
    const [oldest] = this.#expired;
    if (this.#expired.size > LIMITS.tokensInMemory && oldest !== undefined) this.#expired.delete(oldest);
    this.end([id]);
  }

  /** Calls back once when the caller's token ends, at once if it already has. Call the returned function to unsubscribe. */
  whenGone({ token }: Caller, end: () => void): () => void {
    const live = this.#tokens.get(this.#hashes.get(token.id) ?? "");
    if (live === undefined) {
      end();
      return () => undefined;
    }
    live.ending.add(end);
    if (live.ending.size === 1) this.#watchClock(live);
    return () => {
      live.ending.delete(end);
      if (live.ending.size === 0) live.stopClock();
    };
  }

  /** These tokens were deleted. */
  end(ids: readonly string[]): void {
    for (const id of ids) {
      if (this.#loading > 0) this.#endedMeanwhile.add(id);
      const live = this.#tokens.get(this.#hashes.get(id) ?? "");
      if (live === undefined) continue;
      this.#forget(live);
      for (const end of live.ending) end();
    }
  }

  /** Whether a valid token names this origin. */
  namesOrigin(origin: string): boolean {
    return (this.#origins.get(origin) ?? 0) > this.#dependencies.clock.now();
  }

  addOrigins({ bounds, expires_at = Infinity }: PrincipalRow): void {
    for (const origin of bounds.origins ?? [])
      this.#origins.set(origin, Math.max(expires_at, this.#origins.get(origin) ?? 0));
  }

  async readOrigins(): Promise<void> {
    const rows = await this.#dependencies.store.read.origins(this.#dependencies.clock.now());
    this.#origins = new Map(rows.map(({ origin, until = Infinity }) => [origin, until]));
  }

  async #load(hash: string): Promise<LiveToken> {
    const found = await this.#read(hash);
    if (found === undefined)
      throw new Failure("unauthenticated", "That token is not valid: it was deleted, or never was one of this server.");
    const { row, parents } = found;
    const known = this.#tokens.get(hash);
    if (known !== undefined) return known;
    const { id, principal_id, name, role, bounds, expires_at, last_used_at } = row;
    const token = { id, bounds, parents, ...(expires_at === undefined ? {} : { expires_at }) };
    const caller: Caller = { id: principal_id, name, role, token };
    const live: LiveToken = { caller, hash, ending: new Set(), usedAt: last_used_at ?? 0, stopClock: () => undefined };
    this.#hashes.set(id, hash);
    this.#tokens.set(hash, live);
    this.#makeRoom();
    return live;
  }

  /** A valid token. Undefined: there is none, or it was deleted while it was read. */
  async #read(
    hash: string,
  ): Promise<{ readonly row: PrincipalRow; readonly parents: Caller["token"]["parents"] } | undefined> {
    this.#loading += 1;
    try {
      const row = await this.#dependencies.store.read.principalByHash(hash);
      const parents = row === undefined ? undefined : await this.#parents(row);
      if (row === undefined || parents === undefined) return undefined;
      const isGone = [row, ...parents].some(({ id }) => this.#endedMeanwhile.has(id));
      return isGone ? undefined : { row, parents };
    } finally {
      this.#loading -= 1;
      if (this.#loading === 0) this.#endedMeanwhile.clear();
    }
  }

  /** The tokens from which this one was derived, the first one first. Undefined: one of them is gone, so this one is invalid too. */
  async #parents(row: PrincipalRow): Promise<Caller["token"]["parents"] | undefined> {
    const parents: { id: string; bounds: PrincipalRow["bounds"] }[] = [];
    for (let made_with = row.made_with; made_with !== undefined;) {
      const parent = await this.#dependencies.store.read.principal(made_with);
      if (parent === undefined || parents.length >= LIMITS.tokenDepth) return undefined;
      parents.unshift({ id: parent.id, bounds: parent.bounds });
      made_with = parent.made_with;
    }
    return parents;
  }

  #noteUse(live: LiveToken): void {
    const { clock, store } = this.#dependencies;
    const now = clock.now();
    if (now - live.usedAt < LIMITS.tokenUseMs) return;
    live.usedAt = now;
    // Nobody waits for this write; if it fails, the next use tries again.
    store.commit({ usedPrincipals: [{ id: live.caller.token.id, at: now }] }, { patient: true }).catch(() => {
      live.usedAt = 0;
    });
  }

  #watchClock(live: LiveToken): void {
    const { clock } = this.#dependencies;
    const { id, expires_at } = live.caller.token;
    if (expires_at === undefined) return;
    const callback = (): void => this.#expire(id);
    if (this.#isExpired(live.caller.token)) return callback();
    live.stopClock = atWallTime(clock, { at: expires_at, callback, checkMs: LIMITS.tokenCheckMs });
  }

  #forget(live: LiveToken): void {
    live.stopClock();
    this.#tokens.delete(live.hash);
    this.#hashes.delete(live.caller.token.id);
  }

  /** Evicts the least recently used token, unless something is subscribed to it. */
  #makeRoom(): void {
    if (this.#tokens.size <= LIMITS.tokensInMemory) return;
    for (const live of this.#tokens.values()) {
      if (live.ending.size > 0) continue;
      this.#forget(live);
      return;
    }
  }
}
