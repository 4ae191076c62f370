import { createHash, randomBytes } from "node:crypto";
import { roleWithin } from "../../../gate/index.ts";
import {
  defined,
  Failure,
  LIMITS,
  type CreatePairing,
  type PairingCreated,
  type PairingView,
  type RedeemPairing,
  type Role,
  type TokenCreated,
} from "../../../protocol/index.ts";
import { auditRow, authorize, type Caller } from "../../access/access.ts";
import { storedCaller } from "../../access/stored-caller.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { TokenService } from "./token-service.ts";

const CODE_BYTES = 24;

interface Pairing {
  readonly id: string;
  /** SHA-256 of the code. Gone once it was used. */
  hash: string | undefined;
  /** Whose code it is: the token is made with this one's rights. */
  readonly token_id: string;
  readonly principal_id: string;
  readonly name: string;
  readonly role: Role;
  readonly life_s: number;
  /** Milliseconds since the epoch. */
  readonly expires_at: number;
  /** The token that the phone got. Absent: none yet. */
  made?: string;
}

/** Codes that a phone exchanges for a token of its own: used once, for minutes. In memory alone: a restart ends them. */
export class PairingService {
  readonly #dependencies: Dependencies;
  readonly #tokens: TokenService;
  readonly #pairings = new Map<string, Pairing>();

  constructor(dependencies: Dependencies, tokens: TokenService) {
    this.#dependencies = dependencies;
    this.#tokens = tokens;
  }

  async create(caller: Caller, request: CreatePairing): Promise<PairingCreated> {
    authorize(caller, "token.manage");
    const { role = roleWithin("operator", caller.role) ? "operator" : caller.role } = request;
    if (role === "visitor" || role === "issuer")
      throw new Failure("invalid_request", `role: a phone cannot have the role ${role}`);
    if (!roleWithin(role, caller.role))
      throw new Failure("forbidden", `the role ${caller.role} may not make tokens of the role ${role}`);
    this.#sweep();
    if (this.#pairings.size >= LIMITS.pairings)
      throw new Failure("limit_reached", "too many codes wait for a phone; try again in a few minutes");
    const { newId, expiryClock, store } = this.#dependencies;
    const code = randomBytes(CODE_BYTES).toString("base64url");
    const { name = `Phone of ${caller.name}`, expires_in_s: life_s = LIMITS.pairedTokenS } = request;
    const id = newId("pair");
    const expires_at = expiryClock.now() + LIMITS.pairingMs;
    const audited = { action: "token.pair", target: id, details: { role, name, expires_in_s: life_s } };
    await store.commit({ audit: [auditRow(this.#dependencies, caller, audited)] });
    const owner = { token_id: caller.token.id, principal_id: caller.id };
    this.#pairings.set(id, { id, hash: hashOf(code), ...owner, name: name.slice(0, 200), role, life_s, expires_at });
    return { id, code, role, expires_at: new Date(expires_at).toISOString(), token_expires_in_s: life_s };
  }

  /** What became of a code of the caller's own. */
  get(caller: Caller, id: string): PairingView {
    const pairing = this.#own(caller, id);
    if (pairing.made !== undefined) return { id, state: "used", token_id: pairing.made };
    return { id, state: this.#isOver(pairing) ? "ended" : "waiting" };
  }

  /** The code cannot be used any more. A token that was made with it stays. */
  end(caller: Caller, id: string): void {
    this.#pairings.delete(this.#own(caller, id).id);
  }

  /** Whether a code can be used. Says nothing of why not. */
  isOpen({ code }: RedeemPairing): boolean {
    return this.#find(code) !== undefined;
  }

  /** The phone's token, made with the rights that the code's maker has now. */
  async redeem({ code }: RedeemPairing): Promise<TokenCreated> {
    const pairing = this.#find(code);
    if (pairing === undefined) throw refused();
    // Used, whatever follows: nobody else gets a second try with it.
    pairing.hash = undefined;
    const { store, expiryClock } = this.#dependencies;
    const caller = await storedCaller(store.read, pairing.token_id, expiryClock.now());
    if (caller === undefined) throw refused();
    const { role, name, life_s } = pairing;
    const made = await this.#tokens.create(caller, { role, name, ...defined({ expires_in_s: life_s }) }, undefined);
    pairing.made = made.id;
    return made;
  }

  #own(caller: Caller, id: string): Pairing {
    authorize(caller, "token.manage");
    const pairing = this.#pairings.get(id);
    if (pairing === undefined || pairing.principal_id !== caller.id)
      throw new Failure("not_found", `there is no code ${id}, or none any more`);
    return pairing;
  }

  #find(code: string): Pairing | undefined {
    const hash = hashOf(code);
    const pairing = [...this.#pairings.values()].find((known) => known.hash === hash);
    return pairing === undefined || this.#isOver(pairing) ? undefined : pairing;
  }

  #isOver({ expires_at }: Pairing): boolean {
    return this.#dependencies.expiryClock.now() >= expires_at;
  }

  #sweep(): void {
    for (const pairing of this.#pairings.values()) if (this.#isOver(pairing)) this.#pairings.delete(pairing.id);
  }
}

function refused(): Failure {
  return new Failure("unauthenticated", "this code was used already or has expired; make a new one");
}

function hashOf(code: string): string {
  return createHash("sha256").update(code).digest("hex");
}
