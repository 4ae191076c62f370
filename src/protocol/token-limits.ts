/** Bounds of tokens; a part of LIMITS. */
export const TOKEN_LIMITS = {
  /** The longest life of a token that expires, and of a visitor's; and what a visitor's has unless it says otherwise. Seconds. */
  tokenLifeS: 315_360_000,
  visitorTokenMaxS: 86_400,
  visitorTokenS: 3_600,
  /** Tokens that made one another, from the first to the last. */
  tokenDepth: 4,
  tokenTools: 200,
  tokenOrigins: 20,
  tokenRoots: 20,
  tokenSubjectChars: 500,
  /** Of a token that somebody shows. */
  tokenChars: 500,
  /** Tokens whose rights are in memory; others are read again. */
  tokensInMemory: 100_000,
  /** How often, at most, it is written down that a token was used. */
  tokenUseMs: 60_000,
  /** How often, at least, it is looked whether a token that somebody is connected with has expired. */
  tokenCheckMs: 30_000,
  /** How long an expired token is still listed. */
  expiredTokenKeptMs: 86_400_000,
  /** How long a browser remembers that an origin may ask. Seconds. */
  corsMaxAgeS: 600,
} as const;
