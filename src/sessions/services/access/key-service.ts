import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { ACCOUNTS } from "../../../ledger/index.ts";
import {
  defined,
  Failure,
  LIMITS,
  type CreateKey,
  type KeyBounds,
  type KeyCreated,
  type KeyList,
  type KeyView,
} from "../../../protocol/index.ts";
import type { ApiKeyRequest, CallerRequest, CallerResponse, RequestContext } from "../../../proxy/index.ts";
import type { KeyRow } from "../../../store/index.ts";
import { auditRow, authorize, type Caller } from "../../access/access.ts";
import { mintKey, profileOfKey, type KeyToken } from "../../access/mint-key.ts";
import { keySpendingLimits } from "../../budget/key-limits.ts";
import type { Receipts } from "../../core/receipts.ts";
import type { Dependencies } from "../../dependencies.ts";
import { leastRate } from "../../permission/effective-profile.ts";

const PREFIX = "sp_key_";
const KEY_BYTES = 32;
const UNNAMED = "key";
/** What usage, metrics and traces name in the place of an engine. */
const NO_ENGINE = "key";

/** A valid key. */
interface LiveKey {
  readonly row: KeyRow;
  readonly caller: Caller;
  /** Ends it and its requests in the proxy. */
  readonly revoke: () => void;
  /** When its use was last written to the store. */
  usedAt: number;
}

type KeyMade = KeyView & Pick<KeyCreated, "key">;

/** API keys, for programs that are no sessions: made once, shown once, stored as hashes. All valid ones are in memory. */
export class KeyService {
  readonly #dependencies: Dependencies;
  readonly #receipts: Receipts;
  /** By id. */
  readonly #live = new Map<string, LiveKey>();

  constructor(dependencies: Dependencies, receipts: Receipts) {
    this.#dependencies = dependencies;
    this.#receipts = receipts;
  }

  /** Loads all valid keys, before the first request. A key whose token is gone is not valid. */
  async open(): Promise<void> {
    const { read } = this.#dependencies.store;
    for (let cursor: string | undefined; ;) {
      const page = await read.keys(defined({ limit: LIMITS.pageSizeMax, cursor }));
      for (const row of page.rows)
        if (!this.#isExpired(row) && (await read.principal(row.token_id)) !== undefined) this.#add(row);
      cursor = page.next;
      if (cursor === undefined) return;
    }
  }

  /** No receipt holds the key: a retry under the same idempotency key is told that it was already shown. */
  async create(caller: Caller, request: CreateKey, idempotencyKey: string | undefined): Promise<KeyMade> {
    authorize(caller, "key.manage");
    const token = await this.#tokenFor(caller, request.token_id);
    const minted = mintKey(this.#dependencies, token, request);
    this.#makeRoom();
    const made: { key?: string } = {};
    const view = await this.#receipts.once<KeyView>(
      { caller, key: idempotencyKey, question: ["key", request] },
      async (receipts) => {
        made.key = PREFIX + randomBytes(KEY_BYTES).toString("base64url");
        const { clock, newId, store } = this.#dependencies;
        const created_at = new Date(clock.now()).toISOString();
        const { name = UNNAMED } = request;
        const row: KeyRow = { id: newId("key"), name, key_hash: hashOf(made.key), created_at, ...minted };
        const audit = [
          auditRow(this.#dependencies, caller, { action: "key.create", target: row.id, details: request }),
        ];
        const answer = await this.#view(row);
        await store.commit({ keys: [row], audit, receipts: receipts(answer) });
        this.#add(row);
        await this.#refuseOrphan(row);
        return answer;
      },
    );
    if (made.key !== undefined) return { ...view, key: made.key };
    throw new Failure(
      "conflict",
      `this request made the key ${view.id} already and showed it once; delete it and make another`,
    );
  }

  /** Everybody's, or those of the caller's token and the tokens that it made. Newest first. */
  async list(caller: Caller, { cursor, limit }: { cursor?: string | undefined; limit: number }): Promise<KeyList> {
    const isAll = authorize(caller, "key.manage") === "all";
    const { read } = this.#dependencies.store;
    const token_ids = isAll ? undefined : await this.#ownTokens(caller);
    const page = await read.keys(defined({ limit, cursor, token_ids }));
    const keys = await Promise.all(page.rows.map((row) => this.#view(row)));
    return { keys, ...defined({ next: page.next }) };
  }

  /** Running requests of the key are broken off. */
  async remove(caller: Caller, id: string): Promise<void> {
    const isAll = authorize(caller, "key.manage") === "all";
    const row = await this.#dependencies.store.read.key(id);
    if (row === undefined || (!isAll && !(await this.#ownTokens(caller)).includes(row.token_id)))
      throw new Failure("not_found", `there is no key ${id}`);
    const audit = [auditRow(this.#dependencies, caller, { action: "key.delete", target: id })];
    await this.#dependencies.store.commit({ deletedKeys: [id], audit });
    this.end([id]);
  }

  /** The valid keys that end with these tokens. */
  ofTokens(token_ids: readonly string[]): readonly string[] {
    const wanted = new Set(token_ids);
    return [...this.#live.values()].flatMap(({ row }) => (wanted.has(row.token_id) ? [row.id] : []));
  }

  /** These keys are no longer valid. */
  end(ids: readonly string[]): void {
    for (const id of ids) {
      const live = this.#live.get(id);
      this.#live.delete(id);
      live?.revoke();
    }
  }

  /** Who sends a model request. Undefined: it has no valid key. */
  callerOf(request: IncomingMessage): Caller | undefined {
    const id = this.#dependencies.models.proxy.apiKeys.idOf(request);
    const live = id === undefined ? undefined : this.#live.get(id);
    if (live === undefined) return undefined;
    if (!this.#isExpired(live.row)) return live.caller;
    this.end([live.row.id]);
    return undefined;
  }

  /** Answers a model request, in the format of its route. */
  handle(request: IncomingMessage, response: ServerResponse, from: ApiKeyRequest): void {
    const { models, drain } = this.#dependencies;
    const stopping = { failure: new Failure("shutting_down", "the server is stopping: try again in a moment") };
    models.proxy.apiKeys.handle(request, response, drain.isStarted ? { ...from, refusal: stopping } : from);
  }

  /** Answers a model request that came over a tunnel, as one of this key. */
  answer(id: string, request: CallerRequest, response: CallerResponse): void {
    const { models } = this.#dependencies;
    models.proxy.apiKeys.answer(this.#valid(id)?.row.key_hash ?? "", request, response);
  }

  /** Whose key it is. Undefined: it is not valid. */
  callerOfKey(id: string): Caller | undefined {
    return this.#valid(id)?.caller;
  }

  /** Undefined: it is not valid. */
  boundsOf(id: string): KeyBounds | undefined {
    return this.#valid(id)?.row.bounds;
  }

  /** Undefined: it is not valid. */
  async viewOf(id: string): Promise<KeyView | undefined> {
    const live = this.#valid(id);
    return live === undefined ? undefined : this.#view(live.row);
  }

  #valid(id: string): LiveKey | undefined {
    const live = this.#live.get(id);
    if (live === undefined || !this.#isExpired(live.row)) return live;
    this.end([id]);
    return undefined;
  }

  /** The token that a new key is for. A token that the caller may not make keys for does not exist for it. */
  async #tokenFor(caller: Caller, token_id: string | undefined): Promise<KeyToken> {
    const { id, name, role, token } = caller;
    if (token_id === undefined || token_id === token.id) return { ...token, owner: { id, name, role } };
    const { read } = this.#dependencies.store;
    const isMine = caller.role === "admin" || (await read.principalsMadeWith(token.id)).includes(token_id);
    const row = isMine ? await read.principal(token_id) : undefined;
    if (row === undefined) throw new Failure("not_found", `there is no token ${token_id}`);
    const parents: KeyRow["token"]["parents"][number][] = [];
    for (let next = row.made_with; next !== undefined && parents.length < LIMITS.tokenDepth;) {
      const parent = await read.principal(next);
      if (parent === undefined) throw new Failure("not_found", `the token ${token_id} is no longer valid`);
      parents.unshift({ id: parent.id, bounds: parent.bounds });
      next = parent.made_with;
    }
    const owner = { id: row.principal_id, name: row.name, role: row.role };
    return { id: row.id, owner, bounds: row.bounds, parents, ...defined({ expires_at: row.expires_at }) };
  }

  async #ownTokens({ token }: Caller): Promise<readonly string[]> {
    return [token.id, ...(await this.#dependencies.store.read.principalsMadeWith(token.id))];
  }

  /** Its token may have been deleted while the key was made. */
  async #refuseOrphan({ id, token_id }: KeyRow): Promise<void> {
    const { store } = this.#dependencies;
    if ((await store.read.principal(token_id)) !== undefined) return;
    this.end([id]);
    await store.commit({ deletedKeys: [id] });
    throw new Failure("unauthenticated", `the token ${token_id} was deleted meanwhile, and the key with it`);
  }

  #makeRoom(): void {
    if (this.#live.size < LIMITS.apiKeys) return;
    this.end([...this.#live.values()].flatMap(({ row }) => (this.#isExpired(row) ? [row.id] : [])));
    if (this.#live.size >= LIMITS.apiKeys)
      throw new Failure("limit_reached", `there are ${LIMITS.apiKeys} keys already: delete some of them`);
  }

  #isExpired({ expires_at }: KeyRow): boolean {
    return expires_at !== undefined && this.#dependencies.expiryClock.now() >= expires_at;
  }

  #add(row: KeyRow): void {
    const { id, owner, token_id, token } = row;
    const role = owner.role === "system" ? "admin" : owner.role;
    const revoke = this.#dependencies.models.proxy.apiKeys.add(
      { id, hash: row.key_hash },
      { context: () => this.#context(row), begin: () => this.#begin(id) },
    );
    const caller: Caller = { ...owner, role, token: { id: token_id, ...token } };
    this.#live.set(id, { row, caller, revoke, usedAt: row.last_used_at ?? 0 });
  }

  /** Loads the limits that people set for the accounts of this key. */
  async #begin(id: string): Promise<void> {
    const live = this.#live.get(id);
    if (live === undefined) return;
    this.#noteUse(live);
    const context = this.#context(live.row);
    if (!(context instanceof Failure)) await this.#dependencies.limits.load(context.spendingLimits);
  }

  #context(row: KeyRow): RequestContext | Failure {
    const { policy: current, limits, clock } = this.#dependencies;
    if (this.#isExpired(row)) return new Failure("unauthenticated", "this API key has expired: make another one");
    try {
      const policy = current();
      const profile = profileOfKey(policy, row);
      return {
        session_id: "",
        key_id: row.id,
        agent: row.owner.id,
        engine: NO_ENGINE,
        provider: row.bounds.provider,
        allowedProviders: profile.allowed_providers,
        allowedHosts: profile.provider_hosts,
        allowedModels: profile.allowed_models,
        blockedModels: profile.blocked_models,
        keyModels: row.bounds.models,
        maxContextTokens: profile.max_context_tokens,
        spendingLimits: keySpendingLimits({ policy, profile, limits, now: clock.now() }, row),
        sessionRate: leastRate(profile.session_rate, row.bounds.rate),
        agentRate: profile.agent_rate,
        tokenParents: row.token.parents,
      };
    } catch (error) {
      // The profile is gone from the policy: then nothing is allowed.
      if (error instanceof Failure) return error;
      throw error;
    }
  }

  #noteUse(live: LiveKey): void {
    const { clock, store } = this.#dependencies;
    const now = clock.now();
    if (now - live.usedAt < LIMITS.tokenUseMs) return;
    live.usedAt = now;
    // Nobody waits for this write; if it fails, the next use tries again.
    store.commit({ usedKeys: [{ id: live.row.id, at: now }] }, { patient: true }).catch(() => {
      live.usedAt = 0;
    });
  }

  async #view(row: KeyRow): Promise<KeyView> {
    const { id, name, owner, token_id, created_at, bounds, expires_at, last_used_at } = row;
    const { spent, reserved } = await this.#dependencies.models.ledger.balance(ACCOUNTS.key(id));
    return {
      id,
      name,
      principal: owner,
      token_id,
      created_at,
      ...defined({ expires_at: timeOf(expires_at), last_used_at: timeOf(last_used_at) }),
      bounds,
      spent_microusd: spent,
      reserved_microusd: reserved,
    };
  }
}

function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

function timeOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
