/** Bounds of long runs; a part of LIMITS. */
export const LONG_RUN_LIMITS = {
  /** Long runs that are known at once, those that have ended included, and those that are running. */
  longRuns: 200,
  longRunsRunning: 20,
  /** Sessions of one long run. */
  longRunSessions: 500,
  /** Versions of its state that are read for its history: two for each session, and some for pauses. */
  longRunVersions: 2_000,
  /** The task, and what a template becomes with it. */
  longRunTaskChars: 50_000,
  /** `feature_list.json`, and the features of it that count. */
  featureListBytes: 1_048_576,
  features: 1_000,
  featureChars: 500,
  /** The longest pause between two sessions, seconds. */
  longRunPauseS: 86_400,
  /** How long a long run waits before it tries again to start a session that could not begin. */
  longRunRetryMs: 30_000,
  /** The last events of a session among which the end of its turn is looked for. */
  longRunEndEvents: 100,
  /** Sessions in a row that fail before it ends. */
  longRunFailures: 3,
} as const;
