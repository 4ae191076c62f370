import { LIMITS } from "../../src/protocol/index.ts";
import {
  createTunnelAuthenticator,
  hexOf,
  newSecretKey,
  publicKeyOf,
  signSchnorr,
  type ReadSecret,
  type TunnelAuthenticator,
  type TunnelAuthRules,
  type TunnelSigner,
} from "../../src/identity/index.ts";

export const SHARED_KEY = "a pre-shared key of two machines";

/** Two clocks that a test moves. */
class MovedClocks {
  wall = Date.parse("2026-01-01T00:00:00Z");
  monotonic = 1_000;

  now(): number {
    return this.wall;
  }

  elapsed(): number {
    return this.monotonic;
  }

  move(ms: number): void {
    this.wall += ms;
    this.monotonic += ms;
  }
}

export async function makeSigner(): Promise<TunnelSigner> {
  const secretKey = await newSecretKey();
  const pubkey = hexOf((await publicKeyOf(secretKey)) ?? new Uint8Array());
  return { pubkey, sign: (digest) => signSchnorr(digest, { secretKey }) };
}

export const RULES: readonly TunnelAuthRules[] = [
  { id: "home", auth: "nostr" },
  { id: "office", auth: { type: "nostr", relay: "wss://relay.example.org" } },
  { id: "shared", auth: { type: "psk", secret_path: "tunnels/shared" } },
  { id: "other-shared", auth: { type: "psk", secret_path: "tunnels/shared" } },
  { id: "keyless", auth: { type: "psk", secret_path: "tunnels/missing" } },
  { id: "here", auth: "none" },
];

const secret: ReadSecret = (path) =>
  path === "tunnels/shared" ? { ok: true, value: SHARED_KEY } : { ok: false, why: "does not exist" };

export function openAuthenticator(rules = RULES, most: number = LIMITS.challengesOpen) {
  const clocks = new MovedClocks();
  const authenticator: TunnelAuthenticator = createTunnelAuthenticator({
    clocks,
    most,
    rules: (id) => rules.find((rule) => rule.id === id),
    secret,
  });
  return { clocks, authenticator };
}
