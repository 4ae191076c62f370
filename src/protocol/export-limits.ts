/** Bounds of exports, share links and imports; a part of LIMITS. */
export const EXPORT_LIMITS = {
  /** Share links that exist at once; all of them are in memory. */
  shares: 500,
  shareSecretBytes: 32,
  /** How long a share link works if nobody says so, and at most. Seconds. */
  shareS: 7 * 86_400,
  shareMaxS: 90 * 86_400,
  /** What an exported tool call is about, in its heading. */
  exportAboutChars: 200,
  /** A shared conversation, as HTML. What is longer ends with a note. */
  shareBytes: 20_000_000,
  /** Conversations of other programs: turns, items of one turn, and text of one tool's output. */
  importTurns: 5_000,
  importItems: 5_000,
  importOutputChars: 100_000,
  /** All text of an imported conversation. */
  importChars: 8_000_000,
  /** Records that `sallyport import` looks at, newest first, and the size of one. */
  importFiles: 500,
  importFileBytes: 200_000_000,
  /** Lines of a record of another program; the rest is left out, and said. */
  importLines: 200_000,
} as const;
