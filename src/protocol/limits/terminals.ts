/** Terminals that people open in sessions' sandboxes. */
export const SHELL_LIMITS = {
  shellsPerSession: 4,
  /** In all sessions together. */
  shellsOpen: 1_000,
  /** Rows or columns. */
  shellSize: 500,
  /** Characters of one message from the person. */
  shellInputChars: 65_536,
  /** Characters of output that are recorded in the audit for each terminal; the rest is only counted. */
  shellRecordedChars: 262_144,
  /** Characters and milliseconds after which a part of the recording is written. */
  shellRecordPartChars: 8_192,
  shellRecordMs: 3_000,
} as const;
