import { hash, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Failure, LIMITS, type RateLimit } from "../protocol/index.ts";
import type { ProxyConnection } from "./http/connection.ts";
import type { ApiKeyName, KeyHolder, KeyLease, RequestContext } from "./proxy.ts";
import type { RateSubject } from "./rates.ts";

const SESSION_PREFIX = "sp_model_";
const KEY_BYTES = 32;
/** Prefix and 256 bits in base64url. */
const SESSION_KEY_CHARS = SESSION_PREFIX.length + 43;

export interface KeyOwner {
  readonly holder: KeyHolder;
  /** The session's last known context; absent: none yet. */
  context: RequestContext | undefined;
  /** Whose rate limits its requests count on, and what that was derived from. */
  subjects: RateStanding;
  /** Connections with a request under way. */
  readonly open: Set<ProxyConnection>;
}

/** Finds out whose request it is. */
export interface KeyFinder {
  /** The owner of the key in the headers. Undefined: unknown or revoked. */
  find(headers: IncomingHttpHeaders): KeyOwner | undefined;
  /** What the caller of an unknown key is told. */
  readonly unknown: Failure;
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
export class KeyRing implements KeyFinder {
  readonly unknown = new Failure("unauthenticated", "this key belongs to no open session: use the session's own key");
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
    const key = again ?? SESSION_PREFIX + randomBytes(KEY_BYTES).toString("base64url");
    const name = nameOf(key);
    const owner = ownerOf(holder);
    this.#owners.set(name, owner);
    // The same key may have been leased again meanwhile.
    const revoke = (): void => void (this.#owners.get(name) === owner && this.#owners.delete(name));
    return { key, revoke };
  }

  find(headers: IncomingHttpHeaders): KeyOwner | undefined {
    return firstKey(headers, (key) =>
      key.length === SESSION_KEY_CHARS && key.startsWith(SESSION_PREFIX) ? this.#owners.get(nameOf(key)) : undefined,
    );
  }
}

/** API keys: made elsewhere and stored there; here only their hashes. */
export class ApiKeyRing implements KeyFinder {
  readonly unknown = new Failure(
    "unauthenticated",
    "this API key is not valid: it was deleted, has expired, or never was one of this server. Make another one with `sallyport key create`",
  );
  /** By hash. */
  readonly #owners = new Map<string, KeyOwner>();
  readonly #ids = new WeakMap<KeyOwner, string>();

  /** Call the returned function to end it: what runs with it is broken off. */
  add({ id, hash: name }: ApiKeyName, holder: KeyHolder): () => void {
    const owner = ownerOf(holder);
    this.#owners.set(name, owner);
    this.#ids.set(owner, id);
    return () => {
      if (this.#owners.get(name) === owner) this.#owners.delete(name);
      for (const connection of owner.open) connection.awaited?.revoke(this.unknown);
    };
  }

  find(headers: IncomingHttpHeaders): KeyOwner | undefined {
    return firstKey(headers, (key) =>
      key.length > LIMITS.tokenChars ? undefined : this.#owners.get(hash("sha256", key, "hex")),
    );
  }

  /** The owner of a key whose holder is known otherwise. Undefined: unknown or revoked. */
  ofHash(name: string): KeyOwner | undefined {
    return this.#owners.get(name);
  }

  /** The id of the key in the headers. Undefined: unknown or revoked. */
  idOf(headers: IncomingHttpHeaders): string | undefined {
    const owner = this.find(headers);
    return owner === undefined ? undefined : this.#ids.get(owner);
  }
}

function ownerOf(holder: KeyHolder): KeyOwner {
  return { holder, context: undefined, subjects: UNLIMITED, open: new Set() };
}

/** Anthropic's clients send `x-api-key` or a bearer, OpenAI's a bearer. The first that is known counts. */
function firstKey(
  { "x-api-key": direct, authorization }: IncomingHttpHeaders,
  find: (key: string) => KeyOwner | undefined,
): KeyOwner | undefined {
  const owner = typeof direct === "string" ? find(direct) : undefined;
  return owner ?? (authorization === undefined ? undefined : find(bearerOf(authorization)));
}

function nameOf(key: string): string {
  return hash("sha256", key, "base64");
}

function bearerOf(authorization: string): string {
  const space = authorization.indexOf(" ");
  return authorization.slice(0, space).toLowerCase() === "bearer" ? authorization.slice(space + 1).trim() : "";
}
