/** The bounds of the scripted model. Times are milliseconds. */
export const SIM_LIMITS = {
  bodyBytes: 64_000_000,
  scriptSteps: 1_000,
  streamTokens: 1_000_000,
  delayMs: 600_000,
  faultTimes: 1_000,
  /** Positions in conversations with an unfinished fault. */
  faultsRemembered: 1_000,
  /** Stored conversations, and their total characters. */
  threads: 1_000,
  threadChars: 16_000_000,
  /** Tokens in one write of a stream without a pace. */
  tokensPerWrite: 256,
  demoSteps: 8,
  /** The demo does not read longer prompts. */
  demoPromptChars: 20_000,
  /** The same for requests that are read word by word. */
  demoSentenceChars: 1_000,
  demoQuoteChars: 1_500,
} as const;
