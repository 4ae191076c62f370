import { SUPERVISOR_LIMITS } from "./supervisor-limits.ts";
import { PROXY_LIMITS } from "./limits-proxy.ts";
import { WORKSPACE_LIMITS } from "./limits-workspaces.ts";

import { AGENT_LIMITS } from "./agent-limits.ts";
import { APPROVAL_LIMITS } from "./approval-limits.ts";
import { CONNECTION_LIMITS } from "./connection-limits.ts";
import { CLIENT_LIMITS } from "./client-limits.ts";
import { LONG_RUN_LIMITS } from "./long-run-limits.ts";
import { TRIGGER_LIMITS } from "./trigger-limits.ts";
import { EMBEDDING_LIMITS } from "./embedding-limits.ts";
import { FINDING_LIMITS } from "./finding-limits.ts";
import { FULL_TEXT_LIMITS } from "./full-text-limits.ts";
import { IDENTITY_LIMITS } from "./identity-limits.ts";
import { INBOX_LIMITS } from "./inbox-limits.ts";
import { INSTRUCTION_LIMITS } from "./instruction-limits.ts";
import { JOB_LIMITS } from "./job-limits.ts";
import { TOOL_LIMITS } from "./tool-limits.ts";
import { MOUNT_LIMITS } from "./mount-limits.ts";
import { NOTIFICATION_LIMITS } from "./notification-limits.ts";
import { OPERATION_LIMITS } from "./operation-limits.ts";
import { PROGRAM_LIMITS } from "./program-limits.ts";
import { SANDBOX_LIMITS } from "./sandbox-limits.ts";
import { EXPORT_LIMITS } from "./export-limits.ts";
import { KEY_LIMITS } from "./key-limits.ts";
import { TOKEN_LIMITS } from "./token-limits.ts";
import { TUNNEL_LIMITS } from "./tunnel-limits.ts";
import { WORKER_LIMITS } from "./worker-limits.ts";

/**
 * Every bound of the product, by name, in one place (DESIGN §9, checklist X-008).
 * Times are milliseconds, sizes are bytes unless the name says otherwise.
 */
export const LIMITS = {
  ...CLIENT_LIMITS,
  ...TOKEN_LIMITS,
  ...EXPORT_LIMITS,
  ...KEY_LIMITS,
  ...SANDBOX_LIMITS,
  ...TUNNEL_LIMITS,
  ...WORKER_LIMITS,
  ...OPERATION_LIMITS,
  ...PROGRAM_LIMITS,
  ...MOUNT_LIMITS,
  ...JOB_LIMITS,
  ...INSTRUCTION_LIMITS,
  ...EMBEDDING_LIMITS,
  ...LONG_RUN_LIMITS,
  ...TRIGGER_LIMITS,
  ...NOTIFICATION_LIMITS,
  ...FINDING_LIMITS,
  ...FULL_TEXT_LIMITS,
  ...IDENTITY_LIMITS,
  ...TOOL_LIMITS,
  ...CONNECTION_LIMITS,
  ...AGENT_LIMITS,
  ...INBOX_LIMITS,
  ...APPROVAL_LIMITS,
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
  /** All agents of a session together, as JSON: they are part of its row, which each commit writes, and of every list. */
  agentsChars: 262_144,
  /** Answers in one turn that do not match `output_schema`, before the turn fails. */
  structuredOutputTries: 5,
  sessionsInMemory: 512,
  /** Sessions whose engine is started ahead of time, and how long one waits to be taken. */
  warmSessions: 2,
  warmSessionMs: 600_000,
  /** How long the next warm start waits: the new session needs the machine for its own first turn. */
  warmFollowMs: 1_000,
  /** How often stray processes are looked for. */
  strayProcessMs: 30_000,
  /** How long an idle session's engine process stays, and how many such processes stay at all. */
  engineRestMs: 600_000,
  engineProcesses: 24,
  sessionRestMs: 60_000,
  grantsPerSession: 200,
  /** Journal text of a session that waits for the disk; beyond that its engine must wait. */
  unwrittenChars: 8_388_608,
  // streaming
  ringFrames: 2_048,
  ringBytes: 4_194_304,
  /** Events read at once when a whole journal is folded. */
  watchPageEvents: 500,
  /** What a watcher gets at once, so that a slow one holds no more: frames, and characters of the journal. One frame may be larger. */
  watchBatchFrames: 32,
  watchBatchChars: 8_192,
  /** What all readers together do in one turn of the event loop: streams that are opened, and pages read from the store. */
  readerStepsPerTurn: 4,
  /** While connections come, turns in which readers do one step together. */
  readerTurnsBusy: 8,
  watchersPerSession: 10_000,
  heartbeatMs: 15_000,
  /** Bytes that wait for a WebSocket's reader before more is sent, or more of its messages are read. */
  socketBacklogBytes: 4_096,
  /** Answers that wait for a client that never reads; beyond that it is cut off. */
  socketAnswerBytes: 8_388_608,
  socketSubscriptions: 1_000,
  socketMessagesWaiting: 1_000,
  // the feed of all sessions and approvals on /api/ws
  /** The shortest time between two updates of one session. */
  feedIntervalMs: 250,
  /** Sessions and approvals that wait for one socket; beyond that the client reads its lists again. */
  feedWaiting: 1_000,
  feedWaitingChars: 16_777_216,
  // HTTP
  bodyBytes: 32_000_000,
  /** Bodies of all requests that are open, together; what has arrived of them. And when to try again, seconds. */
  bodiesBytes: 256_000_000,
  bodiesRetryS: 5,
  /** Up to here a body counts as soon as it is announced. */
  bodyAnnouncedBytes: 65_536,
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
  /** Retries of a call that we cut off, because it was silent or invalid: each may cost money. */
  modelLeftRetries: 1,
  /** How long after its first attempt a model call is still retried. */
  modelCallMs: 3_600_000,
  contextTokens: 200_000,
  compactAtFraction: 0.8,
  /** Fraction of the window that stays unchanged when older messages are summarised. */
  compactKeepFraction: 0.25,
  compactSummaryTokens: 4_096,
  /** What a model may think before it writes a summary, where its thoughts count as part of its answer. */
  compactThoughtTokens: 4_096,
  /** One text or tool result in what is summarised. */
  compactPartChars: 4_000,
  /** The longest wait that a model may ask for; a longer one ends the turn. */
  modelRetryAfterMs: 120_000,
  modelErrorBytes: 65_536,
  /** One event of a model's stream. */
  modelEventChars: 4_194_304,
  modelIdleSockets: 256,
  /** How long a tool has to stop when its turn is interrupted. */
  interruptGraceMs: 50,
  /** Output of a running tool that waits to be shown. */
  liveOutputChars: 262_144,
  subagentDepth: 2,
  parallelTools: 8,
  // vendors' own programs as engines
  /** How long our own tools have to stop before the vendor's program is told to end the turn. */
  engineToolEndMs: 500,
  /** A turn is given up after this long without activity, unless it waits for a person, a tool or money. */
  engineSilenceMs: 90_000,
  /** How long a program started ahead of time may take until it is ready. */
  engineStartMs: 30_000,
  /** How long after a turn the next turn's process is started, if each turn has its own. */
  engineAheadMs: 1_000,
  /** How long a program has to end its turn when a person interrupts. */
  engineInterruptMs: 1_200,
  /** How long a program has to end by itself once its input is closed. */
  engineExitMs: 3_000,
  /** Between SIGTERM and SIGKILL for a program that did not. */
  engineKillMs: 500,
  /** How long a program that is asked for its version has. */
  engineVersionMs: 10_000,
  /** Bytes of one message of a program, of all its messages in a turn, and of lines that are not messages. */
  engineLineBytes: 33_554_432,
  engineOutputBytes: 536_870_912,
  engineNoiseBytes: 1_048_576,
  /** Unfinished messages of all processes of an engine together. */
  engineBufferedBytes: 134_217_728,
  /** How far a program's output is read ahead of what the session has taken. */
  engineAheadBytes: 8_388_608,
  /** Memory of one program with all its children, unless the settings say otherwise, and how often it is checked. */
  engineMemoryBytes: 2_147_483_648,
  engineMemoryCheckMs: 500,
  /** The same of a command that a session runs. */
  commandMemoryBytes: 4_294_967_296,
  /** The least that the settings may allow for either: Claude Code itself takes about 200. */
  engineMemoryLeastMib: 256,
  /** The end of a program's stderr that is kept. */
  engineStderrChars: 8_192,
  /** Lines of a program that are not messages, and of one turn. */
  engineNoticeChars: 500,
  engineNotices: 50,
  /** Turns after which a session can be forked without loss; older ones are retold to the fork as text. */
  engineTurnsKept: 5_000,
  engineStateBytes: 8_388_608,
  /** A program's own record of a conversation; a longer one is not copied for a fork but retold as text. */
  engineTranscriptBytes: 536_870_912,
  /** A conversation that is retold as text, and one input or output in it. */
  engineHistoryChars: 200_000,
  engineHistoryPartChars: 4_000,
  /** How long a program may take to write down what it has already said. */
  engineFlushMs: 2_000,
  /** How often its record is looked at meanwhile, and how much of the record's end. */
  engineRecordLookMs: 10,
  engineRecordLookBytes: 1_048_576,
  /** How long a question may arrive before the message that it is about. */
  engineOrderMs: 1_000,
  /** Refusals for lack of money in a row, although there is money. */
  engineFundsRounds: 3,
  /** How long the server of a vendor's program has to answer one request; how often its stream of events is opened again. */
  engineRequestMs: 60_000,
  engineReconnects: 5,
  /** How often a program that waits for one of our tools gets a sign of life. */
  engineKeepAliveMs: 20_000,
  /** How long a tool call may come ahead of the message that it is about, from a program that sends them separately. */
  engineMatchMs: 10_000,
  /** The longest wait before another attempt that a program may announce; a longer one ends the turn. */
  engineRetryWaitMs: 10_000,
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
  ...SUPERVISOR_LIMITS,
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
  // client tools: those of a page or another program
  /** The limit of model providers. */
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
  /** Unregistered tools that still answer with a reason; the oldest is forgotten first. */
  clientToolMemories: 256,
  // tools of a page on /api/ws
  /** How long a disconnected page may take to come back before its tools are unregistered and its calls fail. */
  pageGraceMs: 10_000,
  /** How often one call is sent to its page: once, and once more when the page reconnects. */
  pageAttempts: 2,
  /** Pages of one connection. */
  pagesPerConnection: 64,
  /** Calls that one page has not answered yet. */
  pageCalls: 256,
  /** The page's own name, and that of one of its tools; together with `mcp__` at most `toolNameChars`. */
  pageNameChars: 64,
  /** The client's own id of a page that reconnects. */
  pageInstanceChars: 100,
  // document 000's WebSocket
  /** The client's own name for a session. */
  clientSessionChars: 200,
  /** Client sessions that are remembered for one principal; the least recently used is forgotten first. */
  clientSessions: 200,
  /** Principals whose client sessions are kept in memory. */
  clientPrincipals: 1_000,
  /** Conversations in memory; the least recently used idle one goes first. */
  runtimeConversations: 1_000,
  /** Prompts of one socket that are not answered yet. */
  runtimePromptsPerSocket: 32,
  /** How often a waiting prompt is told that it waits. */
  runtimeQueuedMs: 60_000,
  runtimeRepoFiles: 2_000,
  /** The instructions of a session, files and facts of the page included. */
  runtimePromptTokens: 8_000,
  // store
  /** How long a Write that nobody waits for may wait to share a commit. */
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
  /** Text that waits for an unavailable disk (UTF-16 units); sessions that need more stop and continue from the disk. */
  storeQueueChars: 67_108_864,
  /** How long a request waits for such a disk before it gets 503, and when it may be retried. */
  storeWaitMs: 10_000,
  /** The same for requests that need no waiting: an interrupt has already taken effect, and figures can be requested again. */
  storeAnswerMs: 500,
  storeRetryAfterS: 5,
  /** How often a session that lost its state checks whether the disk is back, and how often one is reloaded this way. */
  storeReloadMs: 1_000,
  sessionReloads: 3,
  /** How long a stopping server waits for such a disk. */
  storeCloseMs: 5_000,
  /** How often free space, the record and the log are maintained. */
  storeTendMs: 1_000,
  /** With fewer bytes free, new sessions and prompts are refused. */
  storeMinFreeBytes: 67_108_864,
  /** So many more files (inodes) must be possible there for new work. */
  storeMinFreeFiles: 100,
  /** Set aside while there is space, and given back when the disk is full. */
  storeReserveBytes: 4_194_304,
  storeFullRetryAfterS: 60,
  /** Pages of 4 KiB that are returned to the disk at a time. */
  storeVacuumPages: 256,
  /** Sessions that one run of retention examines together, and that its report names. */
  pruneBatch: 50,
  pruneListed: 1_000,
  /** What one run of retention deletes: this many sessions, or this share of all if that is more. */
  retentionSessions: 20,
  retentionShare: 0.05,
  /** How long processes have to end when the store has failed. */
  storeFatalMs: 5_000,
  /** Chains of Writes that were refused; the oldest is forgotten first. */
  storeBrokenChains: 1_000,
  /** Sessions on damaged pages that are remembered, reported and skipped. */
  storeDamagedSessions: 1_000,
  storeCacheKib: 16_384,
  storeCheckpointPages: 1_000,
  storeWalBytes: 67_108_864,
  /** Prepared statements of the reader. */
  storeStatements: 256,
  // money
  /** Accounts in memory; more only while their money is reserved or not yet on the disk. */
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
  /** Tokens that a provider adds to a request: instructions for tools, the roles of messages. */
  preambleTokens: 4_096,
  /** The most tokens of one image if the model's own figure is unknown. */
  imageTokens: 50_000,
  /** How far a provider's own count of a request may be off. */
  countMarginTokens: 1_024,
  countMarginPercent: 5,
  /** How often a provider-run tool may be used if the request does not say. */
  serverToolUses: 10,
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
  // providers and their credentials
  providers: 100,
  priceOverrides: 1_000,
  credentialsPerProvider: 32,
  /** One key. */
  credentialChars: 8_192,
  /** A file of keys, and what a credential command may print. */
  credentialBytes: 65_536,
  credentialCommandMs: 10_000,
  /** How long a command's key is used before the command is run again. */
  credentialCacheMs: 300_000,
  /** The least time between two runs of a command that failed, or whose key was refused. */
  credentialAgainMs: 10_000,
  /** How long an exhausted key (429, 529) is paused, unless the provider says how long. */
  credentialRestMs: 30_000,
  /** The longest pause that a provider can ask for. */
  credentialRestMaxMs: 3_600_000,
  /** How long a refused key (401, 403) is paused. */
  credentialRefusedMs: 600_000,
  /** How often, at most, sallyport.yaml and files of keys are checked. */
  settingsCheckMs: 1_000,
  settingsBytes: 1_048_576,
  /** Files with tools of an operator. */
  toolModules: 50,
  /** One call of such a tool, unless it says otherwise; and the maximum. */
  moduleToolMs: 120_000,
  moduleToolMaxMs: 3_600_000,
  providerTestMs: 10_000,
  /** A provider's list of models. */
  providerTestBytes: 8_388_608,
  providerModels: 1_000,
  /** How long a provider's health answer is cached. */
  providerHealthMs: 60_000,
  /** Learnt secrets that are searched for in output; the oldest is forgotten first. */
  redactedSecrets: 256,
  ...PROXY_LIMITS,
  ...WORKSPACE_LIMITS,
  // telemetry
  /** Names of one kind (models, tools, providers, engines) with their own label; the rest counts as `other`. */
  metricLabelValues: 100,
  metricLabelChars: 200,
  /** Combinations of labels of one metric; the rest counts under `other` everywhere. */
  metricSeries: 500,
  /** How long a scrape waits for the server's numbers; it continues without them. */
  metricReadingsMs: 2_000,
  /** Turns and tool calls that are timed. Any beyond are not traced. */
  openSpans: 10_000,
  /** Of one text on a span. */
  spanTextChars: 500,
  /** Ended spans that wait to be sent; any beyond are dropped and counted. */
  traceQueueSpans: 8_192,
  traceBatchSpans: 512,
  /** How long an ended span waits to share a batch. */
  traceDelayMs: 2_000,
  /** How long one batch may take, including its retries. */
  traceExportMs: 5_000,
  telemetryCloseMs: 2_000,
  /** Between two log lines about the same problem. */
  complaintMs: 60_000,
  // logins of vendors' programs
  /** A token is refreshed when it has less than this left. */
  loginAheadMs: 300_000,
  /** For a token endpoint to answer. */
  loginRefreshMs: 10_000,
  loginTokenChars: 16_384,
  /** A login's file, and a token endpoint's answer. */
  loginFileBytes: 65_536,
  // request log
  requestLogBytes: 16_777_216,
  /** Older files beside the current one. */
  requestLogFiles: 5,
  /** Lines that wait for the disk (UTF-16 units); any beyond are dropped and counted. */
  requestLogBufferChars: 4_194_304,
  /** How long a line waits to share a write. */
  requestLogDelayMs: 200,
  /** After the disk refused to write. */
  requestLogRetryMs: 5_000,
  // bridge (document 002)
  /** Threads that one client follows at once; the longest idle one is dropped first. */
  bridgeThreads: 100,
  /** Threads that a client was told of by `thread.started`; one that was forgotten is told of again. */
  bridgeNamedThreads: 1_000,
  /** Threads replayed to a new client, and the newest events of each. */
  bridgeReplayThreads: 10,
  bridgeReplayEvents: 200,
  /** A longer tool output, or input, is sent as its beginning, its length and its end. */
  bridgeOutputBytes: 16_384,
  bridgeHeadChars: 2_000,
  bridgeTailChars: 500,
  /** Adjacent texts in one row, and a text that is sent while it grows. */
  bridgeTextChars: 262_144,
  /** The least that an open text grows between two rows. */
  bridgeUpdateChars: 200,
  /** A line that the row parser reads (UTF-16 units): more than the longest row with every character escaped. */
  rowLineChars: 2_097_152,
  /** Of a command's output, in a parsed row. */
  rowSampleChars: 240,
  // command line
  /** Text that waits for the screen while a question is open; older text is dropped with a note. */
  terminalHeldChars: 1_000_000,
  /** Lines of a diff in a question; a key shows the rest. */
  terminalDiffLines: 200,
  /** Lines shown at once when a person wants to see all of a question. */
  terminalPageLines: 500,
  /** Of a command's output: the first lines as they come, and the last ones when it has ended. */
  terminalOutputHead: 10,
  terminalOutputTail: 5,
  terminalLineChars: 500,
  /** How long another process that claims to be a server has to answer. */
  serverProbeMs: 10_000,
  /** How long a process that has just locked a home has to publish its address. */
  serverAppearMs: 5_000,
  /** How long a command that is its own server stays for running turns. */
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
  /** The least that a running tool's output grows before it is sent again. */
  acpOutputStepChars: 500,
  // the tree as an MCP server
  /** How long `claude_wait` waits by default, and at most. */
  mcpWaitMs: 50_000,
  mcpWaitMaxMs: 3_600_000,
  /** How long it may take to learn a session's state. */
  mcpCatchUpMs: 5_000,
  /** How much of a file `claude_read` returns by default, and at most. */
  mcpReadBytes: 65_536,
  mcpReadMaxBytes: 1_048_576,
  /** Sessions whose files are on one page of the list of resources, and other folders that are examined. */
  mcpListedSessions: 50,
  mcpFolders: 200,
  /** Files that one client listens to, and the shortest time between two reports of one. */
  mcpSubscriptions: 256,
  mcpUpdateMs: 250,
  /** Clients with an MCP session, per principal and together, and how long one without a request is kept. */
  mcpClients: 100,
  mcpClientsTogether: 2_000,
  mcpClientMs: 1_800_000,
  /** Streams of one principal that listen for changes. */
  mcpListening: 100,
  /** How long a client may leave its answers unread. */
  mcpStalledMs: 60_000,
  /** Messages in one request of a client of an old revision. */
  mcpBatch: 50,
} as const;
