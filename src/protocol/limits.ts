import { PROXY_LIMITS } from "./limits-proxy.ts";

import { CLIENT_LIMITS } from "./client-limits.ts";
import { MOUNT_LIMITS } from "./mount-limits.ts";
import { OPERATION_LIMITS } from "./operation-limits.ts";
import { TOKEN_LIMITS } from "./token-limits.ts";

/**
 * Every bound of the product, by name, in one place (DESIGN §9, checklist X-008).
 * Times are milliseconds, sizes are bytes unless the name says otherwise.
 */
export const LIMITS = {
  ...CLIENT_LIMITS,
  ...TOKEN_LIMITS,
  ...OPERATION_LIMITS,
  ...MOUNT_LIMITS,
  // approvals
  approvalTimeoutMs: 300_000,
  pendingApprovalsPerSession: 64,
  /** How often the clock on the wall is asked whether a question has expired. */
  expiryCheckMs: 15_000,
  feedbackChars: 10_000,
  /** How often one call is asked about again because what was shown had changed. */
  changedQuestions: 10,
  /** How long a question for more money stays open, unless it is parked. */
  budgetQuestionMs: 3_600_000,
  /** Limits set by people that are kept in memory. */
  limitsInMemory: 100_000,
  // sessions
  idempotencyTtlMs: 3_600_000,
  promptChars: 1_000_000,
  attachmentsPerPrompt: 20,
  attachmentBytes: 5_000_000,
  queuedPromptsPerSession: 100,
  turnRestarts: 3,
  forkDepth: 64,
  metadataBytes: 16_384,
  /** A session's `output_schema`, and its agents. */
  outputSchemaChars: 65_536,
  agents: 50,
  agentDescriptionChars: 4_000,
  agentPromptChars: 100_000,
  /** All agents of a session together, as JSON: they are a part of its row, which each commit writes, and of every list. */
  agentsChars: 262_144,
  /** Answers of a model in one turn that are not what `output_schema` asks for, before the turn fails. */
  structuredOutputTries: 5,
  sessionsInMemory: 512,
  /** Sessions whose engine is started ahead of time, and how long one waits to be taken. */
  warmSessions: 2,
  warmSessionMs: 600_000,
  /** How long the start of the next one waits: the session that was just made needs the machine for its own first turn. */
  warmFollowMs: 1_000,
  /** How often processes are looked for that belong to no session any more. */
  strayProcessMs: 30_000,
  /** How long the process of an engine stays when its session has nothing to do, and how many such processes stay at all. */
  engineRestMs: 600_000,
  engineProcesses: 24,
  sessionRestMs: 60_000,
  grantsPerSession: 200,
  /** Of a session's journal that waits for the disk; beyond that its engine is not listened to. */
  unwrittenChars: 8_388_608,
  // streaming
  ringFrames: 2_048,
  ringBytes: 4_194_304,
  /** Events that are read at once where somebody folds a whole journal. */
  watchPageEvents: 500,
  /** What a watcher is handed at once, so that one that does not read holds no more: frames, and characters of the journal. One frame may be larger. */
  watchBatchFrames: 32,
  watchBatchChars: 8_192,
  /** What all readers together do in one turn of the event loop: streams that are opened, and pages read from the store. */
  readerStepsPerTurn: 4,
  /** While connections come, turns in which readers do one step together. */
  readerTurnsBusy: 8,
  watchersPerSession: 10_000,
  heartbeatMs: 15_000,
  /** What waits for a reader of a WebSocket before more is sent, or more of its messages are read. */
  socketBacklogBytes: 4_096,
  /** Answers that wait for a client that asks and never reads; beyond them it is cut off. */
  socketAnswerBytes: 8_388_608,
  socketSubscriptions: 1_000,
  socketMessagesWaiting: 1_000,
  // the feed of all sessions and approvals on /api/ws
  /** How often, at most, one session is told. */
  feedIntervalMs: 250,
  /** Sessions and approvals that wait for one socket; beyond them the client reads its lists anew. */
  feedWaiting: 1_000,
  feedWaitingChars: 16_777_216,
  // finding things
  /** Sessions that one page of a search looks at. */
  searchedSessions: 10_000,
  /** Of a search, and its words. */
  searchChars: 200,
  searchWords: 8,
  /** Names in one folder that are looked at, and folders that are told. */
  folderEntries: 10_000,
  foldersListed: 500,
  /** Files of a workspace that are looked through, how long listing them may take, and how long the list is used again. */
  listedFiles: 100_000,
  listedFileChars: 16_777_216,
  listFilesMs: 5_000,
  listedFilesKeptMs: 3_000,
  /** Workspaces whose list is kept, and that are listed at the same time. */
  listedWorkspaces: 8,
  filesFound: 200,
  filesFoundDefault: 20,
  /** Lines of one export of the audit log. */
  auditLines: 10_000,
  /** Of an edited call: what ran and what was asked, as JSON. Of longer ones the audit log has the hashes. */
  auditInputChars: 65_536,
  templates: 100,
  /** One template as JSON. */
  templateChars: 65_536,
  // HTTP
  bodyBytes: 32_000_000,
  socketMessageBytes: 8_000_000,
  pageSize: 100,
  pageSizeMax: 1_000,
  requestsPerMinutePerToken: 6_000,
  failedLoginsPerMinute: 60,
  socketsOpen: 10_000,
  /** Lines of one usage report or export. */
  usageLines: 10_000,
  /** Lines of a report that does not say how many. */
  usageLinesDefault: 1_000,
  // engine
  maxTurns: 15,
  maxTokens: 8_192,
  modelRetries: 4,
  modelRetryBaseMs: 500,
  modelRetryCapMs: 30_000,
  modelIdleMs: 90_000,
  /** Repetitions of a call whose answer we broke off, because it was silent or made no sense: each may cost money. */
  modelLeftRetries: 1,
  /** How long after its first attempt a call of a model is still tried again. */
  modelCallMs: 3_600_000,
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
  modelEventChars: 4_194_304,
  modelIdleSockets: 256,
  /** What a tool has to end by itself when its turn is interrupted. */
  interruptGraceMs: 50,
  /** Output of a running tool that waits to be shown. */
  liveOutputChars: 262_144,
  subagentDepth: 2,
  parallelTools: 8,
  // vendors' own programs as engines
  /** How long our own tools have to end before the vendor's program is told to end the turn. */
  engineToolEndMs: 500,
  /** Without any sign of life, while no person, tool or money is waited for, a turn is given up. */
  engineSilenceMs: 90_000,
  /** How long a program that is started ahead of time may take until it is ready. */
  engineStartMs: 30_000,
  /** How long after a turn the process of the next one is started, where each turn has its own. */
  engineAheadMs: 1_000,
  /** What a program has to end its turn by itself when a person interrupts. */
  engineInterruptMs: 1_200,
  /** What a program has to end by itself once it is told that nothing more comes. */
  engineExitMs: 3_000,
  /** Between SIGTERM and SIGKILL for a program that did not. */
  engineKillMs: 500,
  /** How long a program that is asked for its version has. */
  engineVersionMs: 10_000,
  /** Bytes of one message of a program, of all its messages in a turn, and of lines that are no messages. */
  engineLineBytes: 33_554_432,
  engineOutputBytes: 536_870_912,
  engineNoiseBytes: 1_048_576,
  /** Unfinished messages of all processes of an engine together. */
  engineBufferedBytes: 134_217_728,
  /** How far a program's output is read ahead of what the session has taken. */
  engineAheadBytes: 8_388_608,
  /** Memory of one program with all that it started, unless the settings say otherwise, and how often that is looked at. */
  engineMemoryBytes: 2_147_483_648,
  engineMemoryCheckMs: 500,
  /** The same of a command that a session runs. */
  commandMemoryBytes: 4_294_967_296,
  /** The least that the settings may allow for either: Claude Code itself takes about 200. */
  engineMemoryLeastMib: 256,
  /** The end of what a program complained about. */
  engineStderrChars: 8_192,
  /** Lines of a program that are no messages, and of one turn. */
  engineNoticeChars: 500,
  engineNotices: 50,
  /** Turns of a session after which it can be forked without a loss; older ones are told to the fork as text. */
  engineTurnsKept: 5_000,
  engineStateBytes: 8_388_608,
  /** A program's own record of a conversation; a longer one is not copied for a fork but told as text. */
  engineTranscriptBytes: 536_870_912,
  /** A conversation that is told as text, and one input or output in it. */
  engineHistoryChars: 200_000,
  engineHistoryPartChars: 4_000,
  /** How long a program may take to write down what it has already said. */
  engineFlushMs: 2_000,
  /** How long a question may come ahead of the message that it is about. */
  engineOrderMs: 1_000,
  /** Refusals for lack of money in a row, although there is money. */
  engineFundsRounds: 3,
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
  /** How long the trial may take that shows how processes can be marked here. */
  processTrialMs: 5_000,
  /** How long after its end the watchdog is started again. */
  watchdogRestartMs: 1_000,
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
  filterAttempts: 2,
  taskOutputWaitMs: 30_000,
  taskOutputWaitMaxMs: 600_000,
  todos: 500,
  webUrlChars: 8_000,
  webFetchChars: 100_000,
  webRedirects: 5,
  schemaIssues: 10,
  // client tools: those of a page or another program
  /** What providers of models take. */
  toolNameChars: 128,
  clientToolDescriptionChars: 10_000,
  /** One tool's schema as JSON. */
  clientToolSchemaBytes: 65_536,
  /** Schemas inside schemas, references followed included. */
  clientToolSchemaDepth: 64,
  /** Single checks of one input against its schema; what needs more is refused. */
  clientToolSchemaSteps: 100_000,
  /** How long a page or another program has for one call, unless the tool says otherwise. */
  pageToolMs: 30_000,
  pageToolMaxMs: 3_600_000,
  /** Texts and images of one result. */
  clientToolResultBlocks: 100,
  /** Tools that were taken back whose callers are still told why; the oldest is forgotten first. */
  clientToolMemories: 256,
  // tools of a page on /api/ws
  /** How long a page that is gone may take to come back before its tools are taken back and its calls fail. */
  pageGraceMs: 10_000,
  /** How often one call is sent to its page: once, and once more when the page came back. */
  pageAttempts: 2,
  /** Pages of one connection. */
  pagesPerConnection: 64,
  /** Calls that one page has not answered yet. */
  pageCalls: 256,
  /** The page's own name, and that of one of its tools; together with `mcp__` at most `toolNameChars`. */
  pageNameChars: 64,
  /** The client's own mark of one page that came back. */
  pageInstanceChars: 100,
  // document 000's WebSocket
  /** The client's own name for a session. */
  clientSessionChars: 200,
  /** Client sessions that are remembered for one principal; the least recently used is forgotten first. */
  clientSessions: 200,
  /** Principals whose client sessions are kept in memory. */
  clientPrincipals: 1_000,
  /** Conversations in memory; of those that rest, the least recently used goes first. */
  runtimeConversations: 1_000,
  /** Prompts of one socket that are not answered yet. */
  runtimePromptsPerSocket: 32,
  /** How often a prompt that waits for another one is told so. */
  runtimeQueuedMs: 60_000,
  runtimeRepoFiles: 2_000,
  /** The instructions of a session, files and facts of the page included. */
  runtimePromptTokens: 8_000,
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
  /** How long a transaction waits for another program's lock before writing counts as stalled. */
  storeBusyMs: 2_000,
  /** The steps in which it waits, and the pause between two of them. */
  storeBusyStepMs: 100,
  storeBusyPauseMs: 5,
  /** The first and the longest wait before a transaction that the disk refused is tried again. */
  storeRetryMs: 100,
  storeRetryMaxMs: 1_000,
  /** Text that waits for a disk that is away (UTF-16 units); sessions that need more stop and go on from the disk. */
  storeQueueChars: 67_108_864,
  /** How long a request waits for such a disk before it is answered with 503, and when it may come again. */
  storeWaitMs: 10_000,
  /** The same for what needs no waiting: an interrupt has taken effect before, and figures can be asked for again. */
  storeAnswerMs: 500,
  storeRetryAfterS: 5,
  /** How often a session that lost its state asks whether the disk is back, and how often one is taken up so. */
  storeReloadMs: 1_000,
  sessionReloads: 3,
  /** How long a server that stops waits for such a disk. */
  storeCloseMs: 5_000,
  /** How often free space, the record and the log are looked after. */
  storeTendMs: 1_000,
  /** With fewer bytes free, new sessions and prompts are refused. */
  storeMinFreeBytes: 67_108_864,
  /** So many more files (inodes) must be possible there for new work. */
  storeMinFreeFiles: 100,
  /** Set aside while there is space, and given back when the disk is full. */
  storeReserveBytes: 4_194_304,
  storeFullRetryAfterS: 60,
  /** Pages of 4 KiB that are given back to the disk at a time. */
  storeVacuumPages: 256,
  /** Sessions that one run of retention looks at together, and that its report names. */
  pruneBatch: 50,
  pruneListed: 1_000,
  /** What one look of retention deletes: so many sessions, or this share of all where that is more. */
  retentionSessions: 20,
  retentionShare: 0.05,
  /** How long processes have to end when the store is of no more use. */
  storeFatalMs: 5_000,
  /** Chains of Writes that were refused; the oldest is forgotten first. */
  storeBrokenChains: 1_000,
  /** Sessions on damaged pages that are remembered, said and skipped. */
  storeDamagedSessions: 1_000,
  storeCacheKib: 16_384,
  storeCheckpointPages: 1_000,
  storeWalBytes: 67_108_864,
  /** Prepared statements of the reader. */
  storeStatements: 256,
  // money
  /** Accounts in memory; more only while money of theirs is reserved or on its way to the disk. */
  ledgerAccounts: 10_000,
  /** Requests that wait for the reservations of others. */
  ledgerWaiters: 10_000,
  ledgerWaitMs: 60_000,
  /** Ended reservations in one write. */
  ledgerBatch: 500,
  /** Longer names have no shipped price. */
  pricedModelChars: 200,
  /** Models whose shipped price is remembered. */
  pricesRemembered: 1_000,
  /** Tokens that a provider puts before a request on its own: instructions for tools, the roles of messages. */
  preambleTokens: 4_096,
  /** The most tokens of one picture where the model's own figure is not known. */
  imageTokens: 50_000,
  /** How far a provider's own count of a request may be off. */
  countMarginTokens: 1_024,
  countMarginPercent: 5,
  /** How often a tool that the provider runs may be used where the request does not say. */
  serverToolUses: 10,
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
  /** Paths of one command that are looked up on the disk; what it names beyond them counts as outside. */
  commandPaths: 1_000,
  /** Names of a shell pattern times names of a rule that are compared, and the longest of such names; beyond that they count as the same. */
  globPairs: 4_096,
  globChars: 256,
  hostsPerCommand: 50,
  ruleChars: 500,
  policyChars: 262_144,
  // providers and their credentials
  providers: 100,
  priceOverrides: 1_000,
  credentialsPerProvider: 32,
  /** One key. */
  credentialChars: 8_192,
  /** A file of keys, and what a credential command may print. */
  credentialBytes: 65_536,
  credentialCommandMs: 10_000,
  /** How long the key that a command printed is used before the command is run again. */
  credentialCacheMs: 300_000,
  /** The least time between two runs of a command that failed, or whose key was refused. */
  credentialAgainMs: 10_000,
  /** How long a key rests that is exhausted (429, 529), unless the provider says how long. */
  credentialRestMs: 30_000,
  /** The longest rest that a provider can ask for. */
  credentialRestMaxMs: 3_600_000,
  /** How long a key rests that was refused (401, 403). */
  credentialRefusedMs: 600_000,
  /** How often, at most, sallyport.yaml and files of keys are looked at. */
  settingsCheckMs: 1_000,
  settingsBytes: 1_048_576,
  /** Files with tools of an operator. */
  toolModules: 50,
  /** One call of a tool of such a file, unless it says otherwise; and at most. */
  moduleToolMs: 120_000,
  moduleToolMaxMs: 3_600_000,
  providerTestMs: 10_000,
  /** A provider's list of models. */
  providerTestBytes: 8_388_608,
  providerModels: 1_000,
  /** How long what a provider answered counts, for whoever only wants to know how it is. */
  providerHealthMs: 60_000,
  /** Learnt secrets that are searched for in what is written; the oldest is forgotten first. */
  redactedSecrets: 256,
  ...PROXY_LIMITS,
  // telemetry
  /** Names of one kind (models, tools, providers, engines) that have a label of their own; the rest counts as `other`. */
  metricLabelValues: 100,
  metricLabelChars: 200,
  /** Combinations of labels of one metric; the rest counts under `other` everywhere. */
  metricSeries: 500,
  /** How long a scrape waits for the numbers of the server; it goes on without them. */
  metricReadingsMs: 2_000,
  /** Turns and tool calls that are being timed. What comes beyond is not traced. */
  openSpans: 10_000,
  /** Of one text on a span. */
  spanTextChars: 500,
  /** Ended spans that wait to be sent; what comes beyond is dropped and counted. */
  traceQueueSpans: 8_192,
  traceBatchSpans: 512,
  /** How long an ended span waits for company. */
  traceDelayMs: 2_000,
  /** How long one batch may take, its retries included. */
  traceExportMs: 5_000,
  telemetryCloseMs: 2_000,
  /** Between two lines of the log about the same trouble. */
  complaintMs: 60_000,
  // request log
  requestLogBytes: 16_777_216,
  /** Older files beside the current one. */
  requestLogFiles: 5,
  /** Lines that wait for the disk (UTF-16 units); what comes beyond is dropped and counted. */
  requestLogBufferChars: 4_194_304,
  /** How long a line waits for company. */
  requestLogDelayMs: 200,
  /** After the disk refused to write. */
  requestLogRetryMs: 5_000,
  // bridge (document 002)
  /** Threads that one client follows at once; the one that rests longest is let go first. */
  bridgeThreads: 100,
  /** Threads that a client is told of when it comes, and the newest events of each. */
  bridgeReplayThreads: 10,
  bridgeReplayEvents: 200,
  /** A longer tool output, or input, is told by its beginning, its length and its end. */
  bridgeOutputBytes: 16_384,
  bridgeHeadChars: 2_000,
  bridgeTailChars: 500,
  /** Adjacent texts in one row, and a text that is told while it grows. */
  bridgeTextChars: 262_144,
  /** The least that an open text grows between two rows. */
  bridgeUpdateChars: 200,
  // command line
  /** Text that waits for the screen while a question is open; older text is dropped with a note. */
  terminalHeldChars: 1_000_000,
  /** Lines of a diff in a question; a key shows the rest. */
  terminalDiffLines: 200,
  /** Lines that are shown at once when a person wants to see all of a question. */
  terminalPageLines: 500,
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
  // editors (`sallyport acp`)
  /** Sessions that one editor has open. */
  acpSessions: 100,
  /** Sessions on one page of an editor's list. */
  acpListedSessions: 100,
  /** Of one tool's output, or one text that it writes; the middle of a longer one is left out. */
  acpOutputChars: 32_768,
  /** The least that the output of a tool that runs grows before it is told again. */
  acpOutputStepChars: 500,
  // the tree as an MCP server
  /** How long `claude_wait` waits unless it is told otherwise, and the longest that it may be told. */
  mcpWaitMs: 50_000,
  mcpWaitMaxMs: 3_600_000,
  /** How long it may take to learn how a session stands. */
  mcpCatchUpMs: 5_000,
  /** What `claude_read` gives of a file at once unless it is told otherwise, and the most that it may be told. */
  mcpReadBytes: 65_536,
  mcpReadMaxBytes: 1_048_576,
  /** Sessions whose files are on one page of the list of resources, and folders that are looked into beside theirs. */
  mcpListedSessions: 50,
  mcpFolders: 200,
  /** Files that one client is told of, and how often one at most. */
  mcpSubscriptions: 256,
  mcpUpdateMs: 250,
  /** Clients that hold a session of the protocol, of one principal and together, and how long one without a request is kept. */
  mcpClients: 100,
  mcpClientsTogether: 2_000,
  mcpClientMs: 1_800_000,
  /** Streams of one principal that listen for changes. */
  mcpListening: 100,
  /** How long a client may leave what it is sent unread. */
  mcpStalledMs: 60_000,
  /** Messages in one request of a client of an old revision. */
  mcpBatch: 50,
  // database connections
  connections: 100,
  /** Tokens that one connection names. */
  connectionPrincipals: 1_000,
  /** Of one statement (UTF-16 units), and how much of it the audit log keeps. */
  connectionSqlChars: 100_000,
  connectionAuditChars: 2_000,
  /** What is told of a database's own words when it refuses a statement. */
  connectionMessageChars: 8_000,
  /** How long PostgreSQL's parser may take for one. */
  connectionParseMs: 5_000,
  /** How long a statement may take unless its connection says otherwise, and the longest that it may say. */
  connectionQueryMs: 30_000,
  connectionQueryMaxMs: 600_000,
  /** What a database has beyond that to end a statement by itself, before it is ended from here. */
  connectionGraceMs: 2_000,
  /** Rows of one answer unless its connection says otherwise, and the most that it may say. */
  connectionRows: 10_000,
  connectionRowsMax: 100_000,
  /** One answer; rows beyond are left out. */
  connectionResultBytes: 16_777_216,
  /** Lists and objects inside each other of one JSON value; a deeper one is told as a text. */
  connectionJsonDepth: 500,
  /** Rows that are asked of PostgreSQL at once. */
  connectionBatchRows: 500,
  /** Statements of one connection that run at once, and that wait for their turn; as many wait for PostgreSQL's parser. */
  connectionConcurrent: 4,
  connectionQueue: 100,
  /** The same of one principal: one lane is always left to the others, and half of those that wait. */
  connectionPrincipalConcurrent: 3,
  connectionPrincipalQueue: 50,
  /** How long it may take to reach a database, or to begin a process that reads an SQLite file. */
  connectionOpenMs: 10_000,
  /** How long an opened database without a statement is kept. */
  connectionIdleMs: 30_000,
  /** How long a statement of PostgreSQL waits for somebody else's lock. */
  connectionLockMs: 5_000,
  /** What a process that reads an SQLite file may have in memory, all of it. */
  connectionMemoryBytes: 536_870_912,
  /** What is listed of a database: tables, columns together, foreign keys. */
  connectionTables: 2_000,
  connectionColumns: 20_000,
  connectionJoins: 5_000,
  /** Of one comment, name or value in that list, and values of one column. */
  connectionTextChars: 1_000,
  connectionValues: 20,
  /** SQLite: rows that are counted of a table, rows of a table that is looked at for its values, and the time for both. */
  connectionCountedRows: 1_000_000,
  connectionSampledRows: 10_000,
  connectionSampleMs: 2_000,
} as const;
