import { hash, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Failure, LIMITS, type RateLimit } from "../protocol/index.ts";
import type { KeyHolder, KeyLease, RequestContext } from "./proxy.ts";
import type { RateSubject } from "./rates.ts";

const PREFIX = "sp_model_";
const KEY_BYTES = 32;
/** Prefix and 256 bits in base64url. */
const KEY_CHARS = PREFIX.length + 43;

export interface KeyOwner {
  readonly holder: KeyHolder;
  /** The session's last known context; absent: none yet. */
  context: RequestContext | undefined;
  /** Whose rate limits its requests count on, and what that was derived from. */
  subjects: RateStanding;
}

interface RateStanding {
  readonly sessionRate: RateLimit | undefined;
  readonly agentRate: RateLimit | undefined;
  readonly tokenParents: RequestContext["tokenParents"];
  readonly rate: RateLimit | undefined;
  readonly list: readonly RateSubject[];
}

const UNLIMITED: RateStanding = {
  sessionRate: undefined,
  agentRate: undefined,
  tokenParents: undefined,
  rate: undefined,
  list: [],
};

/** Owners by the hash of their 256-bit random key. Lookup by hash makes the timing reveal nothing about a key. */
export class KeyRing {
  readonly #owners = new Map<string, KeyOwner>();

  /** Keys that are valid. */
  get size(): number {
    return this.#owners.size;
  }

  /**
   * A key that is valid until its owner revokes it. It does not expire: a session may wait days for a person, and a
   * machine may sleep in the middle of a turn. `again`: a key that the last server leased, to the program of the same session.
   */
  lease(holder: KeyHolder, again?: string): KeyLease {
    if (this.#owners.size >= LIMITS.sessionKeys) {
      throw new Failure("limit_reached", `${LIMITS.sessionKeys} sessions have a key already: close some of them`);
    }
    const key = again ?? PREFIX + randomBytes(KEY_BYTES).toString("base64url");
    const name = nameOf(key);
    const owner: KeyOwner = { holder, context: undefined, subjects: UNLIMITED };
    this.#owners.set(name, owner);
    // The same key may have been leased again meanwhile.
    const revoke = (): void => void (this.#owners.get(name) === owner && this.#owners.delete(name));
    return { key, revoke };
  }

  /** The owner of the key in the headers. Undefined: unknown or revoked. */
  find(headers: IncomingHttpHeaders): KeyOwner | undefined {
    const { "x-api-key": direct, authorization } = headers;
    const owner = typeof direct === "string" ? this.#use(direct) : undefined;
    return owner ?? (authorization === undefined ? undefined : this.#use(bearerOf(authorization)));
  }

  #use(key: string): KeyOwner | undefined {
    if (key.length !== KEY_CHARS || !key.startsWith(PREFIX)) return undefined;
    return this.#owners.get(nameOf(key));
  }
}

function nameOf(key: string): string {
  return hash("sha256", key, "base64");
}

function bearerOf(authorization: string): string {
  const space = authorization.indexOf(" ");
  return authorization.slice(0, space).toLowerCase() === "bearer" ? authorization.slice(space + 1).trim() : "";
}
