/** What people do with questions and sessions. */
export const INBOX_LIMITS = {
  approvalTimeoutMs: 300_000,
  pendingApprovalsPerSession: 64,
  /** How often the wall clock is checked for expired questions. */
  expiryCheckMs: 15_000,
  /** Answers in one request. */
  decisionsPerBatch: 100,
  /** The most time that a question gets from the moment it is extended. */
  approvalExtensionMs: 86_400_000,
  /** Commands of one line for which broader rules are looked for. */
  ladderCommands: 20,
  /** Of a call that is to be made again because its question expired: what the prompt quotes. */
  askAgainChars: 20_000,
  /** Of a session's title, and of one that is made from its first prompt. */
  titleChars: 200,
  madeTitleChars: 100,
  tagsPerSession: 20,
  tagChars: 40,
} as const;
