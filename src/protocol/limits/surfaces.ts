/** Bounds of the ways in: HTTP, sockets, streams, files, the command line; a part of LIMITS. Times are milliseconds, sizes are bytes unless the name says otherwise. */
export const SURFACE_LIMITS = {
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
  /** From here on a JSON answer is packed. */
  answerPackedBytes: 2_048,
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
  clientSessionsMost: 2_000,
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
  // the /claude mount (document 003)
  /** What is written into one file. */
  mountWriteBytes: 8_000_000,
  /** A file that is read whole, such as a long log of tools. */
  mountReadBytes: 67_108_864,
  /** Of a path, and its parts. */
  mountPathChars: 1_000,
  mountPathParts: 16,
  /** The subject of a tool call in its line of `output`. */
  mountLineChars: 200,
  /** Sessions that one folder lists, the newest first; all others can still be opened by their name. */
  mountListed: 10_000,
  /** How long creating a session may take by default, and the most that a request may set. */
  mountCreateMs: 60_000,
  mountCreateMaxMs: 600_000,
  /** Callers' last errors per session, for its `error`; the oldest is forgotten first. */
  mountErrors: 10_000,
  /** Ended messages of one session that are remembered while its output is read. */
  mountEndedMessages: 10_000,
  /** Outputs whose length and places are known up to an event; the one asked for longest ago is counted anew. */
  mountOutputs: 1_000,
  /** Of one output: events between two places where a reader can begin, such places near its end, and before them. */
  mountPlaceEvents: 64,
  mountPlacesNear: 64,
  mountPlacesFar: 256,
  /** Questions that one answer says its writer was shown. */
  mountShownQuestions: 100,
  mounts: 16,
  mountTunnels: 100,
  // sallyport mount
  /** Reads of /dev/fuse that wait at once; each occupies one of the process's four I/O threads. */
  mountReaders: 2,
  /** Program calls that wait for an answer, open files, and names that the kernel knows. */
  mountRequests: 8_192,
  mountHandles: 4_096,
  mountNodes: 65_536,
  /** What the kernel hands over in one write. */
  mountPieceBytes: 131_072,
  /** Last answers of `new` and `fork`, for `cat` after `echo`; the oldest is forgotten first. */
  mountAnswers: 1_000,
  /** How long, and for how many paths, a file's rights are cached. */
  mountStatMs: 1_000,
  mountStats: 10_000,
  /** How often an unreachable server is retried, for at most mountAbsenceMs. */
  mountAgainMs: 100,
  /** How long `mount`, `umount`, `fusermount3` and `mkfifo` may take. */
  mountProgramMs: 10_000,
  /** A plain folder: how often it is updated, the sessions in it (the newest), and how long a message in a pipe waits for more. */
  mountPlainMs: 500,
  mountPlainSessions: 100,
  mountPlainQuietMs: 100,
  // what a program adds to the gateway that it opened
  /** Hooks of one gateway, and names and globs of tools that one of them judges. */
  toolHooks: 50,
  hookTools: 200,
  /** How long a hook may take for one call. */
  hookMs: 10_000,
  /** Standard input of `sallyport hook`. */
  hookInputBytes: 33_554_432,
} as const;
