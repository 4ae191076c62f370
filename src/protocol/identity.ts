import { z } from "zod";
import { LIMITS } from "./limits.ts";

const TunnelId = z.string().min(1).max(100);

/** What is to be signed before a tunnel can be used (document 003). */
export const TunnelAuthChallenge = z.object({
  /** Random, hexadecimal. Its bytes as text are what is signed, or rather their SHA-256. */
  challenge: z.string().min(1).max(200),
  expires_at: z.iso.datetime(),
  tunnel_id: TunnelId,
});
export type TunnelAuthChallenge = z.infer<typeof TunnelAuthChallenge>;

/** The answer of a party that has a key of its own. */
export const SignedAuthResponse = z
  .object({
    challenge: z.string().max(200),
    /** BIP-340 over the SHA-256 of the challenge; hex or base64. */
    signature: z.string().max(200),
    /** Hex or npub. */
    pubkey: z.string().max(200),
    tunnel_id: TunnelId,
  })
  .strict();
export type SignedAuthResponse = z.infer<typeof SignedAuthResponse>;

/** The answer of a party that shares a key with the tunnel. The key itself is never sent. */
export const SharedKeyAuthResponse = z
  .object({
    challenge: z.string().max(200),
    /** Random, of the party that answers; 64 hexadecimal digits. */
    nonce: z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits"),
    /** HMAC-SHA-256 over the tunnel's id and both nonces; 64 hexadecimal digits. */
    mac: z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits"),
    tunnel_id: TunnelId,
  })
  .strict();
export type SharedKeyAuthResponse = z.infer<typeof SharedKeyAuthResponse>;

export const TunnelAuthResponse = z.union([SignedAuthResponse, SharedKeyAuthResponse]);
export type TunnelAuthResponse = z.infer<typeof TunnelAuthResponse>;

/** Why somebody was not let in. */
export const AuthRefusalReason = z.enum([
  "malformed",
  "unknown_tunnel",
  "no_challenge",
  "challenge_mismatch",
  "challenge_used",
  "challenge_expired",
  "too_many_challenges",
  "clock_skew",
  "wrong_tunnel",
  "wrong_kind",
  "agent_not_allowed",
  "invalid_signature",
  "not_loopback",
  "secret_unusable",
]);
export type AuthRefusalReason = z.infer<typeof AuthRefusalReason>;

/** A name below the folder of secrets, such as `tunnels/home.psk`. Nothing climbs out of it. */
export const SecretPath = z
  .string()
  .min(1)
  .max(LIMITS.pathChars)
  .regex(
    /^[A-Za-z0-9_][\w.-]*(\/[A-Za-z0-9_][\w.-]*)*$/,
    "must be a path below the secrets folder, such as tunnels/home",
  );
