/** Bounds of searches, folders and lists of files; a part of LIMITS. */
export const FINDING_LIMITS = {
  /** Sessions that one page of a search examines. */
  searchedSessions: 10_000,
  /** Of a search, and its words. */
  searchChars: 200,
  searchWords: 8,
  /** Names examined in one folder, and folders listed. */
  folderEntries: 10_000,
  foldersListed: 500,
  /** Files examined in a workspace, how long listing them may take, and how long the list is reused. */
  listedFiles: 100_000,
  listedFileChars: 16_777_216,
  listFilesMs: 5_000,
  listedFilesKeptMs: 3_000,
  /** Workspaces whose list is cached, and that are listed at the same time. */
  listedWorkspaces: 8,
  filesFound: 200,
  filesFoundDefault: 20,
  /** Lines of one export of the audit log. */
  auditLines: 10_000,
  /** Of an edited call: what ran and what was requested, as JSON. For longer ones the audit log has the hashes. */
  auditInputChars: 65_536,
  templates: 100,
  /** One template as JSON. */
  templateChars: 65_536,
} as const;
