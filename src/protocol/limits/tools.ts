/** Bounds of tools, and of reading shell commands; a part of LIMITS. Times are milliseconds, sizes are bytes unless the name says otherwise. */
export const TOOL_LIMITS = {
  // tools
  bashTimeoutMs: 120_000,
  bashTimeoutMaxMs: 600_000,
  bashOutputChars: 30_000,
  backgroundTimeoutMs: 1_800_000,
  backgroundTimeoutMaxMs: 7_200_000,
  backgroundShellsPerSession: 32,
  keptOutputBytes: 16_777_216,
  readLines: 2_000,
  readLineChars: 2_000,
  readBytes: 262_144,
  fileBytes: 33_554_432,
  imageBytes: 3_932_160,
  globResults: 100,
  grepHeadLimit: 250,
  grepOutputChars: 100_000,
  grepTimeoutMs: 20_000,
  webFetchBytes: 5_000_000,
  webFetchTimeoutMs: 30_000,
  toolInputBytes: 16_777_216,
  toolOutputChars: 400_000,
  killGraceMs: 2_000,
  /** Between SIGTERM and SIGKILL when a person interrupts. */
  abortGraceMs: 40,
  /** How long the answer to an interrupted command waits for the end of its processes. */
  abortAnswerMs: 80,
  killPollMs: 10,
  /** How long the test may take that shows how processes can be marked here. */
  processTrialMs: 5_000,
  /** How long after its end the watchdog is started again. */
  watchdogRestartMs: 1_000,
  /** How often processes that got SIGKILL are checked before they are given up. */
  killSweeps: 300,
  /** Output that stays silent this long after its process ended is complete; something else holds the pipe. */
  outputQuietMs: 50,
  outputDrainMs: 1_000,
  pathChars: 4_096,
  linksPerPath: 40,
  /** Files whose content a session remembers having read; the oldest is forgotten first. */
  filesSeenPerSession: 10_000,
  diffTimeoutMs: 200,
  diffChars: 1_000_000,
  /** A file's text in an approval; longer ones are shown by their diff alone. */
  previewContentChars: 1_000_000,
  previewSummaryChars: 500,
  notebookOutputChars: 10_000,
  notebookImages: 20,
  editsPerCall: 200,
  globTimeoutMs: 20_000,
  globMatches: 100_000,
  globPatternChars: 2_000,
  grepCollectedBytes: 8_388_608,
  grepContextLines: 1_000,
  grepPatternChars: 10_000,
  commandChars: 200_000,
  bashStreamedChars: 1_000_000,
  endedShellsPerSession: 64,
  shellReadBytes: 524_288,
  filterChars: 1_000,
  filterLineChars: 2_000,
  filterMs: 100,
  filterAttempts: 2,
  taskOutputWaitMs: 30_000,
  taskOutputWaitMaxMs: 600_000,
  todos: 500,
  webUrlChars: 8_000,
  webFetchChars: 100_000,
  webRedirects: 5,
  schemaIssues: 10,
  // searches, folders and lists of files
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
  // projects of the workbench
  workbenchProjects: 200,
  /** Of one person. */
  workbenchProjectsEach: 50,
  /** The content of one project as JSON. */
  workbenchProjectBytes: 1_000_000,
  workbenchProjectNameChars: 80,
  workbenchProjectTables: 32,
  workbenchProjectColumns: 10_000,
  workbenchProjectQueries: 50,
  /** The name of a table, of a column or of a query in it. */
  workbenchNameChars: 1_000,
  /** One layout in it, as the page writes it. */
  workbenchLayoutChars: 200_000,
  // shell analysis and rules
  /** Scripts inside scripts (`sh -c`, `eval`, substitutions are free); deeper ones count as unknown. */
  shellDepth: 12,
  /** Simple commands of one line, including unwrapped ones. */
  shellParts: 2_000,
  /** Nodes of a script's syntax tree. */
  shellNodes: 30_000,
  /** Braces in one word; a word with more counts as unknown. */
  shellBraceDepth: 8,
  shellBraceWords: 512,
  shellBraceChars: 4_096,
  /** Here-documents that begin in one line. */
  shellHereDocuments: 64,
  /** `$[…]`, bash's old arithmetic. */
  shellOldArithmetic: 50,
  /** `${…}` in one script. */
  shellExpansions: 4_000,
  /** Ways to read a command with options before its subcommand, and words that an unknown program might run. */
  shellSpellings: 32,
  /** Values of one write target before it counts as unknown. */
  shellTargetValues: 256,
  warningsPerCommand: 50,
  /** Paths of one command that are looked up on the disk; any further ones count as outside. */
  commandPaths: 1_000,
  /** What may be looked at before a command that only reads runs unasked; beyond it a person is asked. Characters of the command. */
  readingChars: 4_000,
  /** Its words, with those that patterns stand for. */
  readingWords: 500,
  /** Stars in one name of such a pattern. */
  readingStars: 4,
  /** Files and folders: in folders that a pattern is about, and below those that are searched whole. */
  readingEntries: 2_000,
  /** Bytes of a repository's settings, and of its index. */
  readingBytes: 33_554_432,
  /** Names of a shell pattern times names of a rule that are compared, and the longest of such names; beyond that they count as equal. */
  globPairs: 4_096,
  globChars: 256,
  hostsPerCommand: 50,
  ruleChars: 500,
  policyChars: 262_144,
  /** Rules of another program's file that are imported, and commands that one of Codex's patterns can stand for. */
  importedRules: 1_000,
  importedAlternatives: 64,
} as const;
