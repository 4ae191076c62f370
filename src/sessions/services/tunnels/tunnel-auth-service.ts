import {
  Failure,
  LIMITS,
  TUNNEL_PREFIX,
  type ClaudeTunnelStatus,
  type PrincipalRef,
  type TunnelAuthChallenge,
} from "../../../protocol/index.ts";
import {
  authKindOf,
  createTunnelAuthenticator,
  failureOf,
  samePublicKey,
  type TunnelAuthenticator,
  type TunnelAuthRules,
} from "../../../identity/index.ts";
import { auditRow, authorize, type Caller } from "../../access/access.ts";
import type { Dependencies } from "../../dependencies.ts";

/** A principal that answered a challenge: it may use the tunnel until the challenge's end. */
interface TunnelGrant {
  readonly pubkey: string;
  readonly expires_at: string;
  readonly expiresElapsed: number;
  /** The tunnel's rules at that time, as JSON: where they change, the grant ends. */
  readonly rules: string;
}

type TunnelAuthParts = Pick<Dependencies, "store" | "clock" | "newId" | "redact" | "log" | "identity" | "bounds">;

/** Who uses a tunnel: a caller, or whoever a session is of. */
type TunnelUser = Pick<PrincipalRef, "id" | "role">;

/** Which principals have proved to a tunnel who they are (document 003's `/claude/auth`). Kept in memory: after a restart they prove it again. */
export class TunnelAuthService {
  readonly #dependencies: TunnelAuthParts;
  readonly #authenticator: TunnelAuthenticator;
  readonly #tunnels: () => readonly TunnelAuthRules[];
  readonly #grants = new Map<string, TunnelGrant>();

  constructor(dependencies: TunnelAuthParts, tunnels: () => readonly TunnelAuthRules[]) {
    this.#dependencies = dependencies;
    this.#tunnels = tunnels;
    this.#authenticator = createTunnelAuthenticator({
      clocks: dependencies.clock,
      lifeMs: dependencies.bounds.challengeMs,
      rules: (id) => tunnels().find((tunnel) => tunnel.id === id),
      secret: dependencies.identity.secret,
    });
  }

  /** One for each of these tunnels that wants a signature. */
  challenges(caller: Caller, tunnels: readonly TunnelAuthRules[]): readonly TunnelAuthChallenge[] {
    authorize(caller, "identity.use");
    return tunnels
      .filter((tunnel) => authKindOf(tunnel) === "nostr")
      .map(({ id }) => {
        const issued = this.#authenticator.issue({ tunnel_id: id, caller: caller.id });
        if (!issued.ok) throw failureOf(issued);
        return issued.value;
      });
  }

  /** Whether a text is a challenge that waits for this caller's answer. */
  isOpenChallenge(caller: Caller, text: string): boolean {
    return this.#tunnels().some(({ id }) =>
      this.#authenticator.isOpen({ tunnel_id: id, caller: caller.id, challenge: text }),
    );
  }

  /** Takes a signed response. A Failure says why it was not accepted. */
  async respond(caller: Caller, response: unknown, tunnels: readonly TunnelAuthRules[]): Promise<void> {
    authorize(caller, "identity.use");
    const asked = (response as { readonly tunnel_id?: unknown } | null)?.tunnel_id;
    const tunnel = tunnels.find(({ id }) => id === asked);
    if (tunnel === undefined) throw new Failure("not_found", `unknown tunnel: ${printable(asked)}`);
    const verified = await this.#authenticator.verify({ caller: caller.id, response });
    if (!verified.ok) {
      this.#dependencies.log.info({ principal: caller.id, tunnel: tunnel.id, reason: verified.reason }, REFUSED);
      throw failureOf(verified);
    }
    if (verified.value.kind !== "nostr") throw new Failure("unsupported", "this tunnel takes no signed responses");
    const { pubkey, expires_at } = verified.value;
    const { clock, store } = this.#dependencies;
    const left = Math.max(0, Date.parse(expires_at) - clock.now());
    await store.commit({
      audit: [
        auditRow(this.#dependencies, caller, { action: "tunnel.authorize", target: tunnel.id, details: { pubkey } }),
      ],
    });
    if (this.#grants.size >= LIMITS.challengesOpen) this.#sweep();
    this.#grants.set(grantKey(tunnel.id, caller), {
      pubkey,
      expires_at,
      expiresElapsed: clock.elapsed() + left,
      rules: rulesOf(tunnel),
    });
  }

  /** How this caller stands with each of these tunnels. */
  status(caller: Caller, tunnels: readonly TunnelAuthRules[]): Promise<readonly ClaudeTunnelStatus[]> {
    return Promise.all(tunnels.map((tunnel) => this.#statusOf(caller, tunnel)));
  }

  /** Throws unless the caller may use the tunnel now. People may: their own login has proved who they are. */
  async require(caller: TunnelUser, tunnel: TunnelAuthRules): Promise<void> {
    if (caller.role !== "agent") return;
    const { authorized, auth_type } = await this.#statusOf(caller, tunnel);
    if (authorized) return;
    throw new Failure(
      "forbidden",
      auth_type === "nostr"
        ? `tunnel auth required: ${tunnel.id}; read auth/challenge, sign the challenge with /identity/sign, and write the response to auth/challenge`
        : `tunnel auth required: ${tunnel.id}; ${auth_type === "psk" ? "its pre-shared key cannot be used, or" : ""} its allowed_agents does not list you`,
      { error: "TunnelAuthRequired", tunnel_id: tunnel.id },
    );
  }

  /** Why somebody may not use the tunnel behind a provider now. Undefined: they may, or it is no tunnel. */
  async unproved(principal: TunnelUser, provider: string): Promise<string | undefined> {
    try {
      await this.requireProvider(principal, provider);
      return undefined;
    } catch (error) {
      if (error instanceof Failure && error.code === "forbidden") return "the agent has not proved to it who it is";
      throw error;
    }
  }

  /** The same for a session's provider. Other providers than tunnels need no proof. */
  async requireProvider(caller: TunnelUser, provider: string): Promise<void> {
    const tunnel = this.#tunnels().find(({ id }) => provider === TUNNEL_PREFIX + id);
    if (tunnel !== undefined) await this.require(caller, tunnel);
  }

  async #statusOf(caller: TunnelUser, tunnel: TunnelAuthRules): Promise<ClaudeTunnelStatus> {
    const auth_type = authKindOf(tunnel);
    const known = { tunnel_id: tunnel.id, auth_type } as const;
    switch (auth_type) {
      case "nostr": {
        const grant = this.#grantOf(caller, tunnel);
        if (grant === undefined) return { ...known, authorized: false };
        return { ...known, authorized: true, pubkey: grant.pubkey, challenge_expires_at: grant.expires_at };
      }
      case "psk": {
        const { auth } = tunnel;
        const path = typeof auth === "object" && auth.type === "psk" ? auth.secret_path : "";
        const secret = this.#dependencies.identity.secret(path);
        return { ...known, authorized: secret.ok && (await this.#isListed(caller, tunnel)) };
      }
      case "none":
        return { ...known, authorized: await this.#isListed(caller, tunnel) };
    }
  }

  /** Where the gateway itself authenticates, an agent is known by the key that the gateway keeps for it. */
  async #isListed({ id }: TunnelUser, { allowed_agents = [] }: TunnelAuthRules): Promise<boolean> {
    if (allowed_agents.length === 0) return true;
    const own = await this.#dependencies.identity.keys.existing(id);
    return own !== undefined && allowed_agents.some((agent) => samePublicKey(agent, own.pubkey));
  }

  #grantOf(caller: TunnelUser, tunnel: TunnelAuthRules): TunnelGrant | undefined {
    const key = grantKey(tunnel.id, caller);
    const grant = this.#grants.get(key);
    if (grant === undefined) return undefined;
    if (!this.#isOver(grant) && grant.rules === rulesOf(tunnel)) return grant;
    this.#grants.delete(key);
    return undefined;
  }

  /** By both clocks, like the challenge. */
  #isOver({ expires_at, expiresElapsed }: TunnelGrant): boolean {
    const { clock } = this.#dependencies;
    return clock.now() >= Date.parse(expires_at) || clock.elapsed() >= expiresElapsed;
  }

  /** Expired ones go; if that is not enough, the oldest. */
  #sweep(): void {
    for (const [key, grant] of this.#grants) if (this.#isOver(grant)) this.#grants.delete(key);
    const [oldest] = this.#grants.keys();
    if (oldest !== undefined && this.#grants.size >= LIMITS.challengesOpen) this.#grants.delete(oldest);
  }
}

const REFUSED = "a response to a tunnel's challenge was refused";

function grantKey(tunnel_id: string, { id }: TunnelUser): string {
  return JSON.stringify([tunnel_id, id]);
}

function rulesOf({ auth, allowed_agents = [] }: TunnelAuthRules): string {
  return JSON.stringify({ auth, allowed_agents });
}

function printable(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 100) : "none";
}
