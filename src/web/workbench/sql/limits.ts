export const SQL_LIMITS = {
  /** Rows of an answer, where the one who asks names no other number. */
  rows: 1_000_000,
  /** What DuckDB may use, in its own words. WebAssembly ends at 4 GB. */
  memory: "1500MB",
  /** A query that does not heed its cancelling so long, in milliseconds, goes with the whole engine. */
  cancelGraceMs: 1_000,
  /** Rows of a table that go to the engine at once. */
  batchRows: 32_768,
  /** A column with more different lists and objects than these goes to the engine as JSON texts. */
  nested: 200_000,
  /** A column with more different texts than these goes to the engine row by row. */
  dictionary: 4_096,
  /** Queries that are kept for each source. */
  history: 50,
  /** Characters of a query that is kept. */
  historyChars: 20_000,
  /** Sources whose queries are kept. */
  historySources: 20,
  /** Queries that are open at the same time, each in a tab. */
  tabs: 20,
  /** Characters of a query in a tab that the browser stores. */
  tabChars: 50_000,
  tabNameChars: 60,
  /** Answers that are held for when their tab is shown again; the oldest go. */
  tabAnswers: 5,
  /** Queries that are shown to an agent as alike. */
  similar: 5,
  /** Tables that are listed in the browser of a database; the search finds the others. */
  listedTables: 200,
  listedColumns: 300,
  /** Tables and columns that are proposed while a query is written. */
  suggestedTables: 1_000,
  suggestedColumns: 2_000,
} as const;
