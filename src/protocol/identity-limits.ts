/** Bounds of identities and of authentication at tunnels; a part of LIMITS. */
export const IDENTITY_LIMITS = {
  /** How long a challenge can be answered, by the wall clock and by the monotonic one (document 003). */
  challengeMs: 300_000,
  /** How far the expiry of somebody else's challenge may lie beyond `challengeMs`: clocks of two machines differ. */
  challengeSkewMs: 60_000,
  /** Challenges that are open at once, of all tunnels and callers. */
  challengesOpen: 4_096,
  /** Characters of each field of a response. */
  challengeResponseChars: 4_096,
  /** The random part of a challenge, and each side's nonce for a pre-shared key. Bytes. */
  challengeBytes: 32,
  /** The shortest pre-shared key. Characters. */
  sharedKeyMinChars: 16,
  /** The longest pre-shared key. Characters. */
  sharedKeyMaxChars: 1_024,
  /** Identities whose keys this gateway keeps. */
  identities: 10_000,
  /** The longest plain text that NIP-44 can encrypt. Bytes. */
  encryptedTextBytes: 65_535,
} as const;
