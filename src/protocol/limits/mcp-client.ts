/** The bounds of MCP servers whose tools a session has; a part of `LIMITS`. */
export const MCP_CLIENT_LIMITS = {
  /** Servers of one session, of the settings, and all definitions of a request as JSON. */
  mcpServers: 16,
  mcpServersSet: 200,
  mcpServersChars: 65_536,
  mcpServerNameChars: 40,
  /** Arguments, variables and headers of one server, and the text of one of them. */
  mcpServerEntries: 100,
  mcpServerTextChars: 8_192,
  /** Whole files and folders that a server consists of. */
  mcpServerFiles: 32,
  /** Tools of one server whose tier is set. */
  mcpServerTiers: 500,
  /** How long a server has to start and to list its tools, and how long a turn waits for those that start. */
  mcpStartMs: 60_000,
  mcpTurnWaitMs: 20_000,
  /** How long a server has for one call, unless its settings say otherwise. */
  mcpCallMs: 120_000,
  /** Calls of one server that run at the same time; the next one is refused. */
  mcpServerCalls: 32,
  /** One message of a server. */
  mcpMessageBytes: 16_777_216,
  /** Lines of a server's output that are no messages, together. */
  mcpNoiseBytes: 1_048_576,
  /** Bytes that a server has not read yet. */
  mcpUnreadBytes: 33_554_432,
  /** Messages of a server that nobody asked for, in one minute. */
  mcpNotificationsPerMinute: 6_000,
  /** The last part of a server's stderr that is kept, and all that is said of a failure. */
  mcpStderrChars: 1_000,
  mcpReasonChars: 2_000,
  /** Tools of one server, and the pages in which it lists them. */
  mcpServerTools: 200,
  mcpListPages: 32,
  /** Prompts of a server that people can call, and the arguments of one. */
  mcpServerPrompts: 100,
  mcpPromptArguments: 16,
  /** Resources that one prompt of a person can name, and the milliseconds that all it needs of servers may take. */
  mcpPromptResources: 8,
  mcpPromptMs: 30_000,
  /** The shortest time between two looks at a list that changed. */
  mcpListChangeMs: 250,
  /** Tools of one server that could not be taken, as shown. */
  mcpServerFaults: 20,
  /** Restarts of a server that ended by itself, in one turn; the wait before the first, which doubles, and the longest. */
  mcpRestarts: 5,
  mcpRestartMs: 500,
  mcpRestartMaxMs: 10_000,
  /** How long a server that did not answer a call has to answer a ping; then it is started again. */
  mcpPingMs: 10_000,
  /** What people are told of a session's servers in one turn. */
  mcpNotices: 50,
  /** How long a server has to end when it is asked to. */
  mcpCloseMs: 2_000,
  /** How long the last words of a server that has ended are waited for. */
  mcpLastWordsMs: 500,
  /** How long a connection to a remote server may take, and be silent while an answer is read. */
  mcpConnectMs: 20_000,
  mcpSilentMs: 300_000,
  /** The longest time of one call, with all that people and models answer meanwhile. */
  mcpCallMaxMs: 14_400_000,
  /** Requests of one server that wait for an answer: questions to people and to models. */
  mcpServerRequests: 4,
  /** Questions of one server to people in one turn: forms, addresses, and whether it may ask a model. */
  mcpServerQuestions: 100,
  /** How long a question of a server, or about a repository's programs, waits for a person at most. */
  mcpQuestionMs: 3_600_000,
  /** A form of a server: all of it as shown, its fields, the choices of one, a text of it, the head of a question, and how often it is asked again. */
  mcpFormChars: 65_536,
  mcpFormFields: 32,
  mcpFormChoices: 64,
  mcpFormTextChars: 4_000,
  mcpFormHeaderChars: 40,
  mcpFormRounds: 3,
  /** What a server may ask of a model: characters that a person has to read first, tokens of the answer, and how long it may take. */
  mcpSamplingChars: 262_144,
  mcpSamplingTokens: 8_192,
  mcpSamplingMs: 300_000,
  /** Logins that wait for a person, and how long one waits. */
  mcpOpenLogins: 16,
  mcpLoginMs: 600_000,
  /** One step of a login, all its requests together, and the bytes of one answer. */
  mcpLoginStepMs: 30_000,
  mcpLoginBytes: 262_144,
} as const;
