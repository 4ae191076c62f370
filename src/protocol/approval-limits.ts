/** The bounds of questions to people; a part of `LIMITS`. */
export const APPROVAL_LIMITS = {
  approvalTimeoutMs: 300_000,
  pendingApprovalsPerSession: 64,
  /** How often the wall clock is checked for expired questions. */
  expiryCheckMs: 15_000,
  feedbackChars: 10_000,
  /** How often one call is asked about again because what was shown had changed. */
  changedQuestions: 10,
  /** How long a question for more money stays open, unless it is parked. */
  budgetQuestionMs: 3_600_000,
  /** Limits set by people that are kept in memory. */
  limitsInMemory: 100_000,
} as const;
