/** Bounds of the search in conversations; a part of LIMITS. Words and length of a search are `searchWords` and `searchChars`. */
export const FULL_TEXT_LIMITS = {
  /** Characters of one prompt, message or call that are searched, and of these the characters of a call's result. */
  searchedTextChars: 32_768,
  searchedResultChars: 8_192,
  /** How long the index waits for more events, and how long a pass, and the pause after it, take. */
  searchIndexDelayMs: 5_000,
  searchPassMs: 200,
  searchPauseMs: 200,
  /** How long a search waits for the index to reach the journal's end. */
  searchCatchUpMs: 1_500,
  /** Events and sessions that the index reads at once. */
  searchBatchEvents: 200,
  searchBatchSessions: 500,
  /** Pages of the index that are merged at once after texts were removed. */
  searchMergePages: 500,
  /** Sessions that are known to have changed; with more, all are compared. */
  searchChangedSessions: 10_000,
  /** Searches that wait for the index's thread. */
  searchesWaiting: 64,
  /** Texts that one page of a search examines. */
  searchedTexts: 2_000,
  searchHits: 200,
  searchHitsDefault: 20,
  /** Of the text around a hit. */
  searchSnippetChars: 240,
  /** Marked places in it. */
  searchMarks: 20,
} as const;
