/** Jobs: sessions that end with their one turn. */
export const JOB_LIMITS = {
  /** How long the commands of a job may run together, or its model call: unless it says otherwise, and at most. */
  jobTimeMs: 300_000,
  jobTimeMaxMs: 600_000,
  /** Commands of one job, and words of one that is given as a list. */
  jobCommands: 50,
  jobWords: 1_000,
  /** All commands of a job together, or what was said before its prompt: they are part of its row, which each commit writes. */
  jobTextChars: 200_000,
  /** Messages before the prompt of a model call. */
  jobMessages: 200,
  /** Memory of everything that a job runs: less would not do for the helper of a sandbox. */
  jobMemoryLeastMib: 128,
  jobMemoryMaxMib: 1_048_576,
  /** Characters of output after which a job's command can be ended. More is not streamed. */
  jobOutputMaxChars: 1_000_000,
  /** Events of a job's journal that are read for what became of it. */
  jobEvents: 2_000,
} as const;
