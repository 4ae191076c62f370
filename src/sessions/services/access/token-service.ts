import { createHash, randomBytes } from "node:crypto";
import {
  defined,
  Failure,
  type CreateToken,
  type Role,
  type TokenCreated,
  type TokenList,
  type TokenView,
} from "../../../protocol/index.ts";
import type { PrincipalRow } from "../../../store/index.ts";
import { auditRow, authorize, type Caller } from "../../access/access.ts";
import { LiveTokens } from "../../access/live-tokens.ts";
import { mint } from "../../access/mint.ts";
import type { Receipts } from "../../core/receipts.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { KeyService } from "./key-service.ts";

const TOKEN_BYTES = 32;
const VISITOR_ID_CHARS = 26;

export interface TokenQuery {
  /** Absent: all except visitors, of whom there may be very many. */
  readonly role?: Role | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Tokens: made once, shown once, stored as hashes. */
export class TokenService {
  readonly #dependencies: Dependencies;
  readonly #live: LiveTokens;
  readonly #receipts: Receipts;
  readonly #keys: Pick<KeyService, "ofTokens" | "end">;

  constructor(dependencies: Dependencies, receipts: Receipts, keys: Pick<KeyService, "ofTokens" | "end">) {
    this.#keys = keys;
    this.#dependencies = dependencies;
    this.#live = new LiveTokens({ store: dependencies.store, clock: dependencies.expiryClock });
    this.#receipts = receipts;
  }

  /** Loads what must be known before the first request. */
  async open(): Promise<void> {
    await this.#live.readOrigins();
  }

  async authenticate(token: string): Promise<Caller> {
    return this.#live.find(hashToken(token));
  }

  /** Refuses a caller whose token has expired since it was checked. */
  checkTime(caller: Caller): void {
    this.#live.checkTime(caller);
  }

  /**
   * Calls back once when the caller's token is deleted or expires, at once if it is already gone. Call the returned function to
   * unsubscribe.
   */
  whenGone(caller: Caller, end: () => void): () => void {
    return this.#live.whenGone(caller, end);
  }

  /** Whether a valid token is for this web origin. */
  namesOrigin(origin: string): boolean {
    return this.#live.namesOrigin(origin);
  }

  /** No receipt holds the token: a retry under the same key is told that it was already shown. */
  async create(caller: Caller, request: CreateToken, key: string | undefined): Promise<TokenCreated> {
    authorize(caller, "token.issue");
    const now = this.#dependencies.expiryClock.now();
    const minted = await mint(caller, request, { policy: this.#dependencies.policy(), now });
    const made: { token?: string } = {};
    const view = await this.#receipts.once<TokenView>(
      { caller, key, question: ["token", request] },
      async (receipts) => {
        made.token = `sp_${randomBytes(TOKEN_BYTES).toString("base64url")}`;
        const id = this.#dependencies.newId("tok");
        const principal_id = request.subject === undefined ? id : visitorId(caller, request.subject);
        const row = { ...this.#row(request, made.token), id, principal_id, ...minted };
        const audit = [auditRow(this.#dependencies, caller, { action: "token.create", target: id, details: request })];
        await this.#dependencies.store.commit({ principals: [row], audit, receipts: receipts(tokenView(row)) });
        this.#live.addOrigins(row);
        return tokenView(row);
      },
    );
    if (made.token !== undefined) return { ...view, token: made.token };
    throw new Failure(
      "conflict",
      `this request made the token ${view.id} already and showed it once; delete it and make another`,
    );
  }

  /** Everybody's, or those that the caller made. Newest first. */
  async list(caller: Caller, { role, cursor, limit }: TokenQuery): Promise<TokenList> {
    const isAll = authorize(caller, "token.issue") === "all" && caller.role === "admin";
    const page = await this.#dependencies.store.read.principals(
      defined({ limit, role, cursor, made_with: isAll ? undefined : caller.token.id }),
    );
    return { tokens: page.rows.map(tokenView), ...(page.next === undefined ? {} : { next: page.next }) };
  }

  /** Deleting a token also deletes the tokens derived from it. */
  async remove(caller: Caller, id: string): Promise<void> {
    authorize(caller, "token.issue");
    const { read } = this.#dependencies.store;
    const row = await read.principal(id);
    const isOwn = id === caller.token.id || (await read.principalsMadeWith(caller.token.id)).includes(id);
    if (row === undefined || (caller.role !== "admin" && !isOwn))
      throw new Failure("not_found", `there is no token ${id}`);
    const gone = [id, ...(await read.principalsMadeWith(id))];
    const keys = this.#keys.ofTokens(gone);
    const details = {
      ...(gone.length === 1 ? {} : { made_with_it: gone.length - 1 }),
      ...(keys.length === 0 ? {} : { keys: keys.length }),
    };
    const audit = [auditRow(this.#dependencies, caller, { action: "token.delete", target: id, details })];
    await this.#dependencies.store.commit({ deletedPrincipals: gone, deletedKeys: keys, audit });
    this.#keys.end(keys);
    this.#live.end(gone);
    await this.#live.readOrigins();
  }

  /** At start: makes sure that this token works, as an admin's. */
  async ensureAdmin(token: string, name: string): Promise<Caller> {
    const known = await this.#dependencies.store.read.principalByHash(hashToken(token));
    if (known === undefined)
      await this.#dependencies.store.commit({ principals: [this.#row({ role: "admin", name }, token)] });
    return this.authenticate(token);
  }

  #row({ name, role }: Pick<CreateToken, "name" | "role">, token: string): PrincipalRow {
    const id = this.#dependencies.newId("tok");
    const created_at = new Date(this.#dependencies.clock.now()).toISOString();
    return { id, principal_id: id, name, role, token_hash: hashToken(token), created_at, bounds: {} };
  }
}

/** The same visitor of the same product has the same id, whatever the token. */
function visitorId(maker: Caller, subject: string): string {
  const hash = createHash("sha256").update(JSON.stringify([maker.id, subject]));
  return `vis_${hash.digest("hex").slice(0, VISITOR_ID_CHARS)}`;
}

function tokenView(row: PrincipalRow): TokenView {
  const { id, principal_id, name, role, created_at, bounds, expires_at, last_used_at, made_with } = row;
  return defined({
    id,
    principal_id,
    name,
    role,
    created_at,
    expires_at: expires_at === undefined ? undefined : new Date(expires_at).toISOString(),
    last_used_at: last_used_at === undefined ? undefined : new Date(last_used_at).toISOString(),
    made_with,
    bounds,
  });
}
