/** The bounds of the scripted model. Times are milliseconds. */
export const SIM_LIMITS = {
  bodyBytes: 64_000_000,
  scriptSteps: 1_000,
  streamTokens: 1_000_000,
  delayMs: 600_000,
  faultTimes: 1_000,
  /** Places in conversations where a fault was played and is not over. */
  faultsRemembered: 1_000,
  /** Conversations that are held for their callers, and their characters together. */
  threads: 1_000,
  threadChars: 16_000_000,
  /** Tokens in one write of a stream without a pace. */
  tokensPerWrite: 256,
  demoSteps: 8,
  /** A longer prompt is none that the demo understands. */
  demoPromptChars: 20_000,
  /** The same for requests whose words are looked at one by one. */
  demoSentenceChars: 1_000,
  demoQuoteChars: 1_500,
} as const;
