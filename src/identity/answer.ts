import { randomBytes } from "node:crypto";
import { LIMITS, TunnelAuthChallenge, type TunnelAuthResponse } from "../protocol/index.ts";
import type { AuthAnswer } from "./authenticator.ts";
import type { TwoClocks } from "./challenges.ts";
import { hexOf } from "./keys.ts";
import { refuseAuth } from "./refusal.ts";
import { digestOf } from "./schnorr.ts";
import { isSharedKeyMac, sharedKeyMac } from "./shared-key.ts";

/** How this side proves who it is. It is never chosen by the tunnel: what is set for it here decides. */
export type TunnelCredential =
  | { readonly kind: "nostr"; readonly signer: TunnelSigner }
  | { readonly kind: "psk"; readonly key: string };

/** Somebody's key, as far as it is needed here. */
export interface TunnelSigner {
  /** x-only, hex. */
  readonly pubkey: string;
  /** A BIP-340 signature of a digest of 32 bytes. */
  sign(digest: Uint8Array): Promise<Uint8Array>;
}

export interface AnswerOptions {
  /** The tunnel that was dialled: a challenge for another one is not answered. */
  readonly tunnel_id: string;
  readonly credential: TunnelCredential;
  readonly clocks: Pick<TwoClocks, "now">;
}

/** The response to a tunnel's challenge. A challenge that cannot be genuine is not answered. */
export async function answerChallenge(
  challenge: unknown,
  { tunnel_id, credential, clocks }: AnswerOptions,
): Promise<AuthAnswer<TunnelAuthResponse>> {
  const parsed = TunnelAuthChallenge.safeParse(challenge);
  // Nothing else is signed: a challenge is 32 random bytes in hexadecimal, never a text that means something.
  if (!parsed.success || !/^[0-9a-f]{64}$/.test(parsed.data.challenge))
    return refuseAuth("malformed", "the tunnel sent a challenge that is none");
  const asked = parsed.data;
  if (asked.tunnel_id !== tunnel_id) return refuseAuth("wrong_tunnel");
  const left = Date.parse(asked.expires_at) - clocks.now();
  if (left <= -LIMITS.challengeSkewMs || left > LIMITS.challengeMostS * 1_000 + LIMITS.challengeSkewMs)
    return refuseAuth("clock_skew");
  switch (credential.kind) {
    case "nostr": {
      const signature = await credential.signer.sign(digestOf(asked.challenge));
      const { pubkey } = credential.signer;
      return { ok: true, value: { challenge: asked.challenge, signature: hexOf(signature), pubkey, tunnel_id } };
    }
    case "psk": {
      const nonce = randomBytes(LIMITS.challengeBytes).toString("hex");
      const mac = hexOf(sharedKeyMac(credential.key, "caller", { tunnel_id, challenge: asked.challenge, nonce }));
      return { ok: true, value: { challenge: asked.challenge, nonce, mac, tunnel_id } };
    }
  }
}

/** Whether the tunnel has the pre-shared key too: checked by the caller before it sends anything else. */
export function isTunnelProof(
  proof: string,
  { key, response }: { readonly key: string; readonly response: TunnelAuthResponse },
): boolean {
  return "nonce" in response && isSharedKeyMac(proof, { key, side: "tunnel", exchange: response });
}
