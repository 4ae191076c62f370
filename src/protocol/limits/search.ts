/** The bounds of WebSearch and SearchCode; a part of `LIMITS`. */
export const SEARCH_LIMITS = {
  webSearchQueryChars: 1_000,
  /** Hosts that one search is narrowed to, or that it leaves out, and the length of one. */
  webSearchSites: 20,
  webSearchSiteChars: 253,
  /** Pages that one search shows, and what is shown of each. */
  webSearchResults: 10,
  webSearchTitleChars: 300,
  webSearchSnippetChars: 1_000,
  webSearchMs: 30_000,
  /** Of a search that the model's own provider runs: rounds of searching, tokens of its answer, its characters that are shown, and its time. */
  modelSearchUses: 3,
  modelSearchTokens: 2_048,
  modelSearchAnswerChars: 8_000,
  modelSearchMs: 120_000,
  searchCodeQueryChars: 2_000,
  /** Different words of a query that count. */
  searchCodeTerms: 64,
  /** Files that a session's index looks at, the size of one, and of the texts of all of them. */
  searchCodeFiles: 20_000,
  searchCodeFileBytes: 262_144,
  searchCodeBytes: 16_777_216,
  /** Words whose parts and stems an index remembers while it reads. */
  searchCodeWords: 50_000,
  /** Folders whose indexes are kept in memory. */
  searchCodeIndexes: 8,
  /** How long files are listed, and how long they are read, in one call. The next call goes on. */
  searchCodeMs: 20_000,
  /** Lines of one part of a file. */
  searchCodeLines: 40,
  /** Parts that a search compares before the server's other work gets a turn. */
  searchCodePartsPerTurn: 500,
  /** Parts that one search shows, and their characters together: less than 8,000 tokens. */
  searchCodeResults: 10,
  searchCodeChars: 24_000,
  /** Of what is put beside a message of `/ws`: how long files are read for it, the parts of files, and what a part must have of the message. */
  repositoryContextMs: 3_000,
  repositoryContextParts: 8,
  /** Less than 8,000 tokens, also of code, which has about 2.5 bytes a token. */
  repositoryContextBytes: 19_000,
  repositoryContextCoverage: 0.5,
  /** Parts that a conversation was told, and is not told again while they are as they were. */
  repositoryContextTold: 200,
} as const;
