import { createHash, randomBytes } from "node:crypto";
import { Failure, type CreateToken, type TokenCreated, type TokenView } from "../protocol/index.ts";
import type { PrincipalRow } from "../store/index.ts";
import { auditRow, authorize, type Caller } from "./access.ts";
import type { Receipts } from "./receipts.ts";
import type { Services } from "./services.ts";

const TOKEN_BYTES = 32;

function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Tokens: made once, shown once, kept as hashes. */
export class TokenDesk {
  readonly #services: Services;
  /** By hash, so that a request does not wait for the database. Filled on first use, emptied when a token goes. */
  readonly #known = new Map<string, Caller>();
  /** By id, of those that are known: what ends with the token. */
  readonly #ending = new Map<string, Set<() => void>>();
  readonly #receipts: Receipts;

  constructor(services: Services, receipts: Receipts) {
    this.#services = services;
    this.#receipts = receipts;
  }

  async authenticate(token: string): Promise<Caller> {
    const hash = hashToken(token);
    const known = this.#known.get(hash);
    if (known !== undefined) return known;
    const row = await this.#services.store.read.principalByHash(hash);
    if (row === undefined) throw new Failure("unauthenticated", "this token is not known; ask an admin for one");
    const caller: Caller = { id: row.id, name: row.name, role: row.role };
    this.#known.set(hash, caller);
    if (!this.#ending.has(caller.id)) this.#ending.set(caller.id, new Set());
    return caller;
  }

  /** Calls back once when the caller's token is deleted, at once if it was already. The answer takes that back: whatever ends earlier must. */
  whenGone(caller: Caller, end: () => void): () => void {
    const ending = this.#ending.get(caller.id);
    if (ending === undefined) end();
    else ending.add(end);
    return () => ending?.delete(end);
  }

  /** The token is in no receipt: a retry under the same key is told that it was shown already. */
  async create(caller: Caller, request: CreateToken, key: string | undefined): Promise<TokenCreated> {
    authorize(caller, "token.manage");
    const made: { token?: string } = {};
    const view = await this.#receipts.once<TokenView>(
      { caller, key, question: ["token", request] },
      async (receipts) => {
        made.token = `sp_${randomBytes(TOKEN_BYTES).toString("base64url")}`;
        const row = this.#row(request, made.token);
        const audit = [auditRow(this.#services, caller, { action: "token.create", target: row.id, details: request })];
        await this.#services.store.commit({ principals: [row], audit, receipts: receipts(tokenView(row)) });
        return tokenView(row);
      },
    );
    if (made.token !== undefined) return { ...view, token: made.token };
    throw new Failure(
      "conflict",
      `this request made the token ${view.id} already and showed it once; delete it and make another`,
    );
  }

  async list(caller: Caller): Promise<readonly TokenView[]> {
    authorize(caller, "token.manage");
    return (await this.#services.store.read.principals()).map(tokenView);
  }

  async remove(caller: Caller, id: string): Promise<void> {
    authorize(caller, "token.manage");
    const row = (await this.#services.store.read.principals()).find((principal) => principal.id === id);
    if (row === undefined) throw new Failure("not_found", `there is no token ${id}`);
    const audit = [auditRow(this.#services, caller, { action: "token.delete", target: id })];
    await this.#services.store.commit({ deletedPrincipals: [id], audit });
    this.#known.delete(row.token_hash);
    const ending = this.#ending.get(id) ?? [];
    this.#ending.delete(id);
    for (const end of ending) end();
  }

  /** At start: makes sure that this very token works, as an admin's. */
  async ensureAdmin(token: string, name: string): Promise<Caller> {
    const known = await this.#services.store.read.principalByHash(hashToken(token));
    if (known === undefined)
      await this.#services.store.commit({ principals: [this.#row({ role: "admin", name }, token)] });
    return this.authenticate(token);
  }

  #row(request: CreateToken, token: string): PrincipalRow {
    return {
      id: this.#services.newId("tok"),
      name: request.name,
      role: request.role,
      token_hash: hashToken(token),
      created_at: new Date(this.#services.clock.now()).toISOString(),
    };
  }
}

function tokenView(row: PrincipalRow): TokenView {
  return { id: row.id, name: row.name, role: row.role, created_at: row.created_at };
}
