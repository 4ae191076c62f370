import { z } from "zod";
import { LIMITS } from "../limits.ts";

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

/** Who somebody is to others. */
export const IdentityView = z.object({
  /** x-only, hexadecimal. */
  pubkey: z.string(),
  npub: z.string(),
});
export type IdentityView = z.infer<typeof IdentityView>;

/** A Nostr event before it is signed (NIP-01). */
export const UnsignedEvent = z
  .object({
    kind: z.number().int().min(0).max(65_535),
    created_at: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
    tags: z.array(z.array(z.string().max(LIMITS.encryptedTextBytes)).max(100)).max(1_000),
    content: z.string().max(LIMITS.encryptedTextBytes),
  })
  .strict();
export type UnsignedEvent = z.infer<typeof UnsignedEvent>;

/** What is to be signed: a text, or an event. A text that is no JSON object is signed as it is. */
export const SignIdentity = z.union([
  z.object({ data: z.string().min(1).max(LIMITS.encryptedTextBytes) }).strict(),
  z.object({ event: UnsignedEvent }).strict(),
]);
export type SignIdentity = z.infer<typeof SignIdentity>;

export const IdentitySignature = IdentityView.extend({
  /** BIP-340, hexadecimal: over the SHA-256 of the text, or over the event's id. */
  signature: z.string(),
  /** Of an event: its id. */
  id: z.string().optional(),
});
export type IdentitySignature = z.infer<typeof IdentitySignature>;

const keyText = z.string().min(1).max(200);
export const VerifyIdentity = z
  .object({ data: z.string().max(LIMITS.encryptedTextBytes), signature: z.string().max(200), pubkey: keyText })
  .strict();
export type VerifyIdentity = z.infer<typeof VerifyIdentity>;
export const IdentityVerdict = z.object({ valid: z.boolean() });
export type IdentityVerdict = z.infer<typeof IdentityVerdict>;

export const EncryptFor = z
  .object({ pubkey: keyText, plaintext: z.string().min(1).max(LIMITS.encryptedTextBytes) })
  .strict();
export type EncryptFor = z.infer<typeof EncryptFor>;
export const EncryptedText = z.object({ ciphertext: z.string() });
export type EncryptedText = z.infer<typeof EncryptedText>;

export const DecryptFrom = z.object({ pubkey: keyText, ciphertext: z.string().min(1).max(100_000) }).strict();
export type DecryptFrom = z.infer<typeof DecryptFrom>;
export const DecryptedText = z.object({ plaintext: z.string() });
export type DecryptedText = z.infer<typeof DecryptedText>;

/** What agents may sign with `/identity`. Admins may sign anything with their own key. */
export const SigningPolicy = z
  .object({
    /** Challenges of tunnels that the agent was given. Absent: yes. */
    challenges: z.boolean().optional(),
    /** Kinds of Nostr events. Absent: none. */
    event_kinds: z.array(z.number().int().min(0).max(65_535)).max(100).optional(),
    /** Any text. Absent: no. */
    texts: z.boolean().optional(),
    /** Encrypting and decrypting with the agent's own key. Absent: yes. */
    encryption: z.boolean().optional(),
  })
  .strict();
export type SigningPolicy = z.infer<typeof SigningPolicy>;
