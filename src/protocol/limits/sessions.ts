/** Bounds of sessions and of what people and programs do with them; a part of LIMITS. Times are milliseconds, sizes are bytes unless the name says otherwise. */
export const SESSION_LIMITS = {
  // sessions
  idempotencyTtlMs: 3_600_000,
  /** What `idempotency_seconds` may be. At the least longer than deliveries of webhooks can be sent again with an old time. */
  idempotencyLeastS: 900,
  idempotencyMostS: 604_800,
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
  /** Messages, thoughts and calls of a turn that have not ended, and the text and inputs of them: an engine with more ends its turn. */
  openItems: 1_000,
  openTextChars: 16_777_216,
  // questions to people
  approvalTimeoutMs: 300_000,
  pendingApprovalsPerSession: 64,
  /** How often the wall clock is checked for expired questions. */
  expiryCheckMs: 15_000,
  feedbackChars: 10_000,
  /** How often one call is asked about again because what was shown had changed. */
  changedQuestions: 10,
  /** How long a question for more money stays open, unless it is parked. */
  budgetQuestionMs: 3_600_000,
  /** Limits set by people that are kept in memory. */
  limitsInMemory: 100_000,
  // what people do with questions and sessions
  /** Answers in one request. */
  decisionsPerBatch: 100,
  /** The most time that a question gets from the moment it is extended. */
  approvalExtensionMs: 86_400_000,
  /** Commands of one line for which broader rules are looked for. */
  ladderCommands: 20,
  /** Of a call that is to be made again because its question expired: what the prompt quotes. */
  askAgainChars: 20_000,
  /** Of a session's title, and of one that is made from its first prompt. */
  titleChars: 200,
  madeTitleChars: 100,
  tagsPerSession: 20,
  tagChars: 40,
  // exports, share links and imports
  /** Share links that exist at once; all of them are in memory. */
  shares: 500,
  shareSecretBytes: 32,
  /** How long a share link works if nobody says so, and at most. Seconds. */
  shareS: 7 * 86_400,
  shareMaxS: 90 * 86_400,
  /** What an exported tool call is about, in its heading. */
  exportAboutChars: 200,
  /** A shared conversation, as HTML. What is longer ends with a note. */
  shareBytes: 20_000_000,
  /** Conversations of other programs: turns, items of one turn, and one text: a message, a tool's output, a part of its input. */
  importTurns: 5_000,
  importItems: 5_000,
  importOutputChars: 100_000,
  /** Name of a tool, or of the conversation. */
  importNameChars: 200,
  /** How deep a call's input may nest. A request holds it seven levels down. */
  importInputDepth: 50,
  /** All text of an imported conversation. */
  importChars: 8_000_000,
  /** Records that `sallyport import` looks at, newest first, and the size of one. */
  importFiles: 500,
  importFileBytes: 200_000_000,
  /** Lines of a record of another program; the rest is left out, and said. */
  importLines: 200_000,
  // jobs: sessions that end with their one turn
  /** How long the commands of a job may run together, or its model call: unless it says otherwise, and at most. */
  jobTimeMs: 300_000,
  jobTimeMaxMs: 600_000,
  /** Commands of one job, and words of one that is given as a list. */
  jobCommands: 50,
  jobWords: 1_000,
  /** All commands of a job together, or what was said before its prompt: they are part of its row, which each commit writes. */
  jobTextChars: 200_000,
  /** Messages before the prompt of a model call. */
  jobMessages: 200,
  /** Texts of one job whose vectors are asked for, and how long the answer with them may be. */
  embeddingTexts: 64,
  embeddingAnswerChars: 8_388_608,
  /** Memory of everything that a job runs: less would not do for the helper of a sandbox. */
  jobMemoryLeastMib: 128,
  jobMemoryMaxMib: 1_048_576,
  /** Characters of output after which a job's command can be ended. More is not streamed. */
  jobOutputMaxChars: 1_000_000,
  /** Events of a job's journal that are read for what became of it. */
  jobEvents: 2_000,
  /** Commands of one interactive job. */
  interactiveCommands: 1_000,
  // long runs
  /** Long runs that are known at once, those that have ended included, and those that are running. */
  longRuns: 200,
  longRunsRunning: 20,
  /** Sessions of one long run. */
  longRunSessions: 500,
  /** Versions of its state that are read for its history: two for each session, and some for pauses. */
  longRunVersions: 2_000,
  /** The task, and what a template becomes with it. */
  longRunTaskChars: 50_000,
  /** `feature_list.json`, and the features of it that count. */
  featureListBytes: 1_048_576,
  features: 1_000,
  featureChars: 500,
  /** The longest pause between two sessions, seconds. */
  longRunPauseS: 86_400,
  /** How long a long run waits before it tries again to start a session that could not begin. */
  longRunRetryMs: 30_000,
  /** The last events of a session among which the end of its turn is looked for. */
  longRunEndEvents: 100,
  /** Sessions in a row that fail before it ends. */
  longRunFailures: 3,
  // schedules and webhooks
  schedules: 200,
  webhooks: 200,
  /** Results of a schedule or webhook that are shown, and versions of it that are stored, and read for them. */
  triggerResults: 50,
  triggerVersions: 200,
  /** A cron expression, and a time zone's name. */
  cronChars: 200,
  timeZoneChars: 100,
  /** Days that are looked through for the next time of a schedule; after that it has none. */
  cronSearchDays: 3_660,
  /** Times of a schedule that are shown. */
  scheduleTimesShown: 5,
  /** A session that could not be started this long after its time counts as missed. */
  scheduleLateMs: 60_000,
  /** Times further ahead of the clock than this that are done with count again: the clock was wrong. */
  scheduleAheadMs: 86_400_000,
  /** Missed times that are counted. */
  scheduleMissedCounted: 100,
  /** How often the clock on the wall is asked whether a schedule is due. */
  scheduleCheckMs: 5_000,
  /** How long a schedule waits before it tries again to start a session while nothing can be started. */
  scheduleRetryMs: 15_000,
  /** The body of a delivery. */
  webhookBodyBytes: 262_144,
  /** Bodies of all deliveries whose signature is not checked yet, together. */
  webhookBodiesBytes: 16_777_216,
  /** Deliveries of one webhook a minute. */
  webhookPerMinute: 60,
  /** How far the time of a delivery may be from the clock, seconds. */
  webhookToleranceS: 300,
  /** A delivery's own id. */
  webhookIdChars: 150,
  /** Signatures of one delivery that are tried. */
  webhookSignatures: 5,
  // notifications, and pairing a phone
  /** Places that are told: of everybody, and of one token. */
  notificationTargets: 200,
  notificationTargetsPerToken: 20,
  /** An address, a name, a template, and the base of links. */
  notificationAddressChars: 700,
  notificationNameChars: 100,
  notificationTemplateChars: 1_000,
  notificationLinkChars: 300,
  /** The title and the text of a notification. */
  notificationTitleChars: 120,
  notificationTextChars: 400,
  /** The longest call that can be approved from a notification: all of it must be in sight. */
  notificationCallChars: 220,
  /** A message before it is encrypted. Push services take 4,096 bytes with all that is added. */
  pushPlainBytes: 3_500,
  /** Messages that wait to be sent, and those that are being sent at once. */
  notificationsWaiting: 1_000,
  notificationsAtOnce: 4,
  /** How often one is tried, and how long it waits before the second try; then four times as long each. */
  notificationTries: 4,
  notificationRetryMs: 5_000,
  /** The longest wait that a service can ask for. */
  notificationRetryMaxMs: 900_000,
  /** One request, with its answer. */
  notificationSendMs: 15_000,
  /** How long a push service keeps a message for a device that is away. Seconds. */
  pushTtlS: 86_400,
  /** How long one signature for a push service counts. Seconds. */
  vapidLifeS: 43_200,
  /** How long it is remembered that somebody was told of a question. */
  notifiedKeptMs: 604_800_000,
  /** Questions of earlier runs that are told after a start. */
  notificationsAtStart: 200,
  /** What proves that an answer comes from a notification. */
  notificationAnswerChars: 200,
  /** How long a pairing code can be used, and how many wait at once. */
  pairingMs: 300_000,
  pairings: 20,
  /** The life of a phone's token: usual and longest. Seconds. */
  pairedTokenS: 604_800,
  pairedTokenMaxS: 7_776_000,
  // what a workspace says to agents: instructions, skills, commands and kinds of sub-agents
  /** One file of instructions, and all of them together. A larger one is left out. */
  instructionFileBytes: 65_536,
  instructionBytes: 131_072,
  /** Files of instructions, imported ones included. */
  instructionFiles: 32,
  /** How deep a file may import others, and how many imports are followed in all. */
  instructionImportDepth: 5,
  instructionImports: 100,
  /** Folders above the workspace that are looked at on the way to the repository's root, and below it on the way to a file. */
  instructionFolders: 16,
  /** Agents of a session, sub-agents included, of which it is known which instructions of folders they were told. */
  nestedInstructionAgents: 64,
  /** Skills, commands and kinds of sub-agents of a workspace; `agents` bounds the last together with the session's own. */
  workspaceSkills: 100,
  workspaceCommands: 100,
  /** Names of one of their folders that are looked at, and folders of commands. */
  workspaceFolderEntries: 1_000,
  workspaceCommandFolders: 32,
  /** Their `description` and `argument-hint`, in characters; the rest is cut. */
  workspaceDescriptionChars: 1_024,
  workspaceHintChars: 200,
  /** The head of such a file, between its two lines `---`. */
  frontmatterChars: 8_192,
  frontmatterFields: 64,
  /** Words of a command's prompt that `$1` … can name. */
  commandArguments: 9,
  /** Files whose times and sizes are compared before a turn; where there are more, all are read again. */
  instructionLooks: 1_024,
  /** Milliseconds: a file that changed so shortly before it was read is read again, because its time could be the same after another change. */
  instructionSettledMs: 2_000,
  /** Files that are read at the same time. */
  instructionReads: 16,
  /** Rules of each kind and hooks that a repository may have; how long a hook may run, and how much of its output counts, in characters. */
  repositoryRules: 200,
  repositoryHooks: 32,
  repositoryHookMs: 60_000,
  repositoryHookChars: 65_536,
  /** Approvals of one repository's programs that are looked through. */
  repositoryApprovals: 50,
  /** What was not loaded, as it is journaled and shown. */
  leftOutFiles: 50,
} as const;
