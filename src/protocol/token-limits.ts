/** Bounds of tokens; a part of LIMITS. */
export const TOKEN_LIMITS = {
  /** The longest life of an expiring token, and of a visitor's; and a visitor's default. Seconds. */
  tokenLifeS: 315_360_000,
  visitorTokenMaxS: 86_400,
  visitorTokenS: 3_600,
  /** The longest chain of tokens derived from one another. */
  tokenDepth: 4,
  tokenTools: 200,
  tokenOrigins: 20,
  tokenRoots: 20,
  tokenSubjectChars: 500,
  /** Of a token that somebody shows. */
  tokenChars: 500,
  /** Tokens whose rights are in memory; others are read again. */
  tokensInMemory: 100_000,
  /** How often, at most, the use of a token is stored. */
  tokenUseMs: 60_000,
  /** How often, at least, the tokens of open connections are checked for expiry. */
  tokenCheckMs: 30_000,
  /** How long an expired token is still listed. */
  expiredTokenKeptMs: 86_400_000,
  /** How long a browser caches a preflight answer. Seconds. */
  corsMaxAgeS: 600,
} as const;
