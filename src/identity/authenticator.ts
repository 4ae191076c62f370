import {
  LIMITS,
  SharedKeyAuthResponse,
  SignedAuthResponse,
  type TunnelAuthChallenge,
  type TunnelEndpoint,
} from "../protocol/index.ts";
import { ChallengeBook, type ChallengeBookOptions, type ChallengePlace } from "./challenges.ts";
import { hexOf, npubOf, parsePublicKey, parseSignature, samePublicKey } from "./keys.ts";
import { refuseAuth, type AuthRefusal } from "./refusal.ts";
import { digestOf, verifySchnorr } from "./schnorr.ts";
import type { ReadSecret } from "./secrets.ts";
import { isSharedKeyMac, sharedKeyMac } from "./shared-key.ts";

/** What a tunnel says about those who may use it. */
export type TunnelAuthRules = Pick<TunnelEndpoint, "id" | "auth" | "allowed_agents">;

/** Who has been let in. */
export type VerifiedParty =
  | { readonly kind: "none" }
  | { readonly kind: "nostr"; readonly pubkey: string; readonly npub: string; readonly expires_at: string }
  /** `proof` is sent back: with it the caller knows that the tunnel has the key too. */
  | { readonly kind: "psk"; readonly proof: string; readonly expires_at: string };

export type AuthAnswer<Value> = { readonly ok: true; readonly value: Value } | AuthRefusal;

/** The side that is asked: issues challenges and judges the responses. */
export interface TunnelAuthenticator {
  /** A challenge for one caller at one tunnel: the open one, or a new one. */
  issue(place: ChallengePlace): AuthAnswer<TunnelAuthChallenge>;
  /** Who answered. A challenge that a response names is used up, whether or not the response is right. */
  verify(asked: { readonly caller: string; readonly response: unknown }): Promise<AuthAnswer<VerifiedParty>>;
  /** Lets a caller in at a tunnel with `auth: none`: from this machine alone. */
  admitLocal(asked: { readonly tunnel_id: string; readonly address: string | undefined }): AuthAnswer<VerifiedParty>;
  /** Whether a text is the challenge that waits for this caller's answer at this tunnel. */
  isOpen(place: ChallengePlace & { readonly challenge: string }): boolean;
  /** Removes the challenges of a caller that is gone. */
  forget(caller: string): void;
}

export interface TunnelAuthenticatorOptions extends ChallengeBookOptions {
  /** Undefined: there is no such tunnel. Asked each time, so that a change holds at once. */
  readonly rules: (tunnel_id: string) => TunnelAuthRules | undefined;
  readonly secret: ReadSecret;
}

export function authKindOf({ auth }: Pick<TunnelEndpoint, "auth">): "none" | "nostr" | "psk" {
  return typeof auth === "string" ? auth : auth.type;
}

export function createTunnelAuthenticator(options: TunnelAuthenticatorOptions): TunnelAuthenticator {
  const book = new ChallengeBook(options);
  const { rules } = options;
  return {
    issue: (place) => {
      const known = rules(place.tunnel_id);
      if (known === undefined) return refuseAuth("unknown_tunnel");
      return authKindOf(known) === "none" ? refuseAuth("wrong_kind") : book.issue(place);
    },
    verify: ({ caller, response }) => verify({ ...options, book, caller, response }),
    admitLocal: ({ tunnel_id, address }) => {
      const known = rules(tunnel_id);
      if (known === undefined) return refuseAuth("unknown_tunnel");
      if (authKindOf(known) !== "none") return refuseAuth("wrong_kind");
      return isLoopback(address) ? { ok: true, value: { kind: "none" } } : refuseAuth("not_loopback");
    },
    isOpen: (place) => book.isOpen(place),
    forget: (caller) => book.forget(caller),
  };
}

interface Verification extends Pick<TunnelAuthenticatorOptions, "rules" | "secret"> {
  readonly book: ChallengeBook;
  readonly caller: string;
  readonly response: unknown;
}

/** In the document's order: tunnel, challenge, expiry, form of key and signature, allowed agents, signature. */
async function verify({ rules, secret, book, caller, response }: Verification): Promise<AuthAnswer<VerifiedParty>> {
  const tunnel_id = (response as { readonly tunnel_id?: unknown } | null | undefined)?.tunnel_id;
  if (typeof tunnel_id !== "string" || isTooLong(response)) return refuseAuth("malformed");
  const known = rules(tunnel_id);
  if (known === undefined) return refuseAuth("unknown_tunnel");
  switch (authKindOf(known)) {
    case "none":
      return refuseAuth("wrong_kind");
    case "nostr": {
      const parsed = SignedAuthResponse.safeParse(response);
      if (!parsed.success) return refuseAuth("malformed");
      const taken = book.take({ ...parsed.data, caller });
      return taken.ok ? verifySigned(known, parsed.data, taken.value.expires_at) : taken;
    }
    case "psk": {
      const parsed = SharedKeyAuthResponse.safeParse(response);
      if (!parsed.success) return refuseAuth("malformed");
      const key = keyOf(known, secret);
      if (key === undefined) return refuseAuth("secret_unusable");
      const taken = book.take({ ...parsed.data, caller });
      if (!taken.ok) return taken;
      if (!isSharedKeyMac(parsed.data.mac, { key, side: "caller", exchange: parsed.data }))
        return refuseAuth("invalid_signature");
      const proof = hexOf(sharedKeyMac(key, "tunnel", parsed.data));
      return { ok: true, value: { kind: "psk", proof, expires_at: taken.value.expires_at } };
    }
  }
}

async function verifySigned(
  { allowed_agents = [] }: TunnelAuthRules,
  response: SignedAuthResponse,
  expires_at: string,
): Promise<AuthAnswer<VerifiedParty>> {
  const pubkey = await parsePublicKey(response.pubkey);
  if (pubkey === undefined) return refuseAuth("malformed", "the pubkey is no key: write it as hex or npub");
  const signature = parseSignature(response.signature);
  if (signature === undefined) return refuseAuth("malformed", "the signature is none: write it as hex or base64");
  const hex = hexOf(pubkey);
  if (allowed_agents.length > 0 && !allowed_agents.some((agent) => samePublicKey(agent, hex)))
    return refuseAuth("agent_not_allowed");
  const isSigned = await verifySchnorr(digestOf(response.challenge), { signature, pubkey });
  if (!isSigned) return refuseAuth("invalid_signature");
  return { ok: true, value: { kind: "nostr", pubkey: hex, npub: npubOf(pubkey), expires_at } };
}

function keyOf({ auth }: TunnelAuthRules, secret: ReadSecret): string | undefined {
  if (typeof auth === "string" || auth.type !== "psk") return undefined;
  const read = secret(auth.secret_path);
  return read.ok ? read.value : undefined;
}

function isTooLong(response: unknown): boolean {
  return Object.values(response ?? {}).some(
    (value) => typeof value !== "string" || value.length > LIMITS.challengeResponseChars,
  );
}

/** A peer's address as a socket tells it. Undefined (a unix socket) is this machine too. */
export function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return true;
  const plain = address.replace(/^::ffff:/i, "");
  return plain === "::1" || /^127(?:\.\d{1,3}){3}$/.test(plain);
}
