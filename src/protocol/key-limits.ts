/** Bounds of API keys; a part of LIMITS. */
export const KEY_LIMITS = {
  /** API keys that are valid at once; all of them are in memory. */
  apiKeys: 10_000,
  /** Model names and globs of one key. */
  apiKeyModels: 100,
  /** How long the key of `sallyport exec` lives at most, should nobody delete it. Seconds. */
  execKeyS: 86_400,
  /** A provider's key that somebody types in. */
  providerKeyChars: 500,
} as const;
