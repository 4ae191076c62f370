/** Bounds of engines, vendors' programs, their supervisor and workers; a part of LIMITS. Times are milliseconds, sizes are bytes unless the name says otherwise. */
export const ENGINE_LIMITS = {
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
  /** How long a program may take until it is ready. OpenCode needs five seconds of a processor, which a busy machine shares out. */
  engineStartMs: 60_000,
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
  /** What a program may leave unread of what it is told: nothing more is read of it until it has read that. */
  engineUnreadBytes: 16_777_216,
  /** How deep a message of a program may nest. */
  engineNesting: 200,
  /** Calls of our tools, and questions about them, that Codex or OpenCode has open at once. */
  engineOpenCalls: 256,
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
  /** How long a tool call, or a question about one, may arrive before the message that it is about. */
  engineMatchMs: 30_000,
  /** Refusals for lack of money in a row, although there is money. */
  engineFundsRounds: 3,
  /** How long the server of a vendor's program has to answer one request; how often its stream of events is opened again. */
  engineRequestMs: 60_000,
  engineReconnects: 5,
  /** How often a program that waits for one of our tools gets a sign of life. */
  engineKeepAliveMs: 20_000,
  /** The longest wait before another attempt that a program may announce; a longer one ends the turn. */
  engineRetryWaitMs: 10_000,
  // logins of vendors' programs
  /** A token is refreshed when it has less than this left. */
  loginAheadMs: 300_000,
  /** For a token endpoint to answer. */
  loginRefreshMs: 10_000,
  loginTokenChars: 16_384,
  /** A login's file, and a token endpoint's answer. */
  loginFileBytes: 65_536,
  // agents that speak the Agent Client Protocol
  /** How long an ACP agent that was told to stop may take until it is ended; the turn is over for people long before. */
  agentStopMs: 10_000,
  /** How long a call of one of our tools waits for an ACP agent's own report of it, where the agent has reported none yet. */
  agentReportMs: 1_000,
  /** Requests of an ACP agent that are answered at the same time. */
  agentRequests: 64,
  /** Terminals that an ACP agent has at once, and the output that is kept of each. */
  agentTerminals: 16,
  agentTerminalChars: 1_048_576,
  /** Connections of an ACP agent's tool servers to us. */
  agentToolChannels: 8,
  /** Tool calls that an ACP agent has open at once. */
  agentOpenCalls: 256,
  /** Results of one turn that are looked for in what an ACP agent has of a conversation; a turn with more is told again. */
  agentReplayedCalls: 1_000,
  /** ACP agents that the settings name, and words of the command of one. */
  agentsNamed: 50,
  agentWords: 100,
  // vendors' programs that are installed for Sallyport
  /** How long npm has to install one program. */
  programInstallMs: 900_000,
  /** How long an installed program has to tell its version. */
  programVersionMs: 30_000,
  /** What is read of npm's answer, and of a program's version. */
  programAnswerBytes: 1_048_576,
  /** Folders above a program in which its package is looked for. */
  programPackageDepth: 6,
  // the process that holds vendors' programs while no server runs
  /** How long the supervisor has to start, to answer, and without its first server. */
  supervisorStartMs: 10_000,
  supervisorAnswerMs: 30_000,
  /** Without a server for this long the supervisor ends what it holds; the longest that may be set. */
  supervisorSeconds: 300,
  supervisorMaxSeconds: 86_400,
  /** Programs that it holds at once. */
  supervisorPrograms: 1_000,
  /** One message to or from it. */
  supervisorFrameBytes: 67_108_864,
  /** Output of one program that it keeps: that of the open turn, and what no server has read yet. */
  supervisorSpoolBytes: 67_108_864,
  /** What it remembers of a turn beside the output: lines written, and notes about them. A turn with more cannot be taken up. */
  supervisorWrites: 20_000,
  supervisorNoteChars: 16_777_216,
  /** How long after its end a turn's output is kept: until then its end is on the disk. */
  heldTurnMs: 10_000,
  /** Repetitions of a model call by a held program: they must outlast a restart of the server. */
  heldModelRetries: 10,
  // workers and their pool
  /** The most that `max_workers` can be, and what it is when nobody sets it. */
  poolWorkers: 10_000,
  /** Document 003's figures, for those who set only some. */
  poolIdleSeconds: 300,
  poolScaleUpThreshold: 0.8,
  /** Agents that are pinned to a worker. */
  poolPins: 1_000,
  /** Sessions that wait for a worker, and how long one waits. */
  workerWaiters: 256,
  workerWaitMs: 60_000,
  /** Workers that are prepared at the same time: the machine is needed for sessions. */
  workersStarting: 2,
  /** How long a worker has to get ready, and for the command by which its health is checked. */
  workerReadyMs: 120_000,
  workerProbeMs: 10_000,
  /** How often prepared workers are checked, and how long the next one waits after one that could not be prepared. */
  workerCheckMs: 15_000,
  workerRetryMs: 30_000,
  /** Different settings of sessions for which workers are prepared: the newest. */
  workerShapes: 8,
} as const;
