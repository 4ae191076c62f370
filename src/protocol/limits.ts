/**
 * Every bound of the product, by name, in one place (DESIGN §9, checklist X-008).
 * Times are milliseconds, sizes are bytes unless the name says otherwise.
 */
export const LIMITS = {
  // approvals
  approvalTimeoutMs: 300_000,
  pendingApprovalsPerSession: 64,
  feedbackChars: 10_000,
  // sessions
  idempotencyTtlMs: 3_600_000,
  promptChars: 1_000_000,
  attachmentsPerPrompt: 20,
  attachmentBytes: 5_000_000,
  queuedPromptsPerSession: 100,
  turnRestarts: 3,
  forkDepth: 64,
  metadataBytes: 16_384,
  sessionsInMemory: 512,
  sessionRestMs: 60_000,
  grantsPerSession: 200,
  // streaming
  ringFrames: 2_048,
  ringBytes: 4_194_304,
  watchPageEvents: 500,
  watchersPerSession: 10_000,
  heartbeatMs: 15_000,
  socketBufferBytes: 1_048_576,
  socketSubscriptions: 1_000,
  socketMessagesWaiting: 1_000,
  // HTTP
  bodyBytes: 32_000_000,
  socketMessageBytes: 8_000_000,
  pageSize: 100,
  pageSizeMax: 1_000,
  requestsPerMinutePerToken: 6_000,
  failedLoginsPerMinute: 60,
  jsonDepth: 64,
  socketsOpen: 10_000,
  // engine
  maxTurns: 15,
  maxTokens: 8_192,
  modelRetries: 4,
  modelRetryBaseMs: 500,
  modelRetryCapMs: 30_000,
  modelIdleMs: 90_000,
  contextTokens: 200_000,
  compactAtFraction: 0.8,
  /** Of the window: what stays as it was when older messages become a summary. */
  compactKeepFraction: 0.25,
  compactSummaryTokens: 4_096,
  /** Of one text or tool result in what is to be summarised. */
  compactPartChars: 4_000,
  /** The longest wait that a model may ask for; a longer one ends the turn. */
  modelRetryAfterMs: 120_000,
  modelErrorBytes: 65_536,
  /** One event of a model's stream. */
  modelEventChars: 33_554_432,
  modelIdleSockets: 256,
  /** What a tool has to end by itself when its turn is interrupted. */
  interruptGraceMs: 50,
  /** Output of a running tool that waits to be shown. */
  liveOutputChars: 262_144,
  subagentDepth: 2,
  parallelTools: 8,
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
  /** How often processes that got SIGKILL are looked for again before they are given up. */
  killSweeps: 300,
  /** Output that stays silent this long after its process ended is over; something else holds the pipe. */
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
  taskOutputWaitMs: 30_000,
  taskOutputWaitMaxMs: 600_000,
  todos: 500,
  webUrlChars: 8_000,
  webFetchChars: 100_000,
  webRedirects: 5,
  schemaIssues: 10,
  // store
  /** How long a Write that nobody waits for may wait for company. */
  storePatienceMs: 4,
  /** Writes in one transaction. */
  storeBatchWrites: 1_000,
  /** Text of one message to the writer (UTF-16 units); a bigger Write travels alone. */
  storeBatchChars: 16_777_216,
  /** Messages that the writer has not answered yet; further Writes wait in the caller's thread. */
  storeBatchesInFlight: 4,
  storeSweepRows: 1_000,
  storeBusyMs: 5_000,
  storeCacheKib: 16_384,
  storeCheckpointPages: 4_000,
  storeWalBytes: 67_108_864,
  // shell analysis and rules
  /** Scripts inside scripts (`sh -c`, `eval`, substitutions are free); what lies deeper is treated as unknown. */
  shellDepth: 12,
  /** Simple commands of one line, looked-through ones included. */
  shellParts: 2_000,
  /** Nodes of a script's syntax tree. */
  shellNodes: 30_000,
  /** Braces in one word; a word with more counts as unknown. */
  shellBraceDepth: 8,
  shellBraceWords: 512,
  shellBraceChars: 4_096,
  /** Here-documents that begin in one line. */
  shellHereDocuments: 64,
  /** `$[…]`, arithmetic as it was written thirty years ago. */
  shellOldArithmetic: 50,
  /** `${…}` in one script. */
  shellExpansions: 4_000,
  /** Ways to read a command with options before its subcommand, and words that an unknown program might run. */
  shellSpellings: 32,
  /** Values that one write target may take before it counts as unknown. */
  shellTargetValues: 256,
  warningsPerCommand: 50,
  hostsPerCommand: 50,
  ruleChars: 500,
  policyChars: 262_144,
  // command line
  /** Text that waits for the screen while a question is open; older text is dropped with a note. */
  terminalHeldChars: 1_000_000,
  /** Lines of a diff in a question; a key shows the rest. */
  terminalDiffLines: 200,
  /** Of a command's output: the first lines as they come, and the last ones when it has ended. */
  terminalOutputHead: 10,
  terminalOutputTail: 5,
  terminalLineChars: 500,
  /** How long another process that calls itself a server has to answer. */
  serverProbeMs: 10_000,
  /** How long a process that has just taken a home has to say where it answers. */
  serverAppearMs: 5_000,
  /** How long a command that is its own server stays for turns that still run. */
  embeddedLingerMs: 3_600_000,
  /** How long a program that `doctor` asks for its version has. */
  doctorProgramMs: 5_000,
} as const;
