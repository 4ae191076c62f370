/** Bounds of providers, the model proxy, money and telemetry; a part of LIMITS. Times are milliseconds, sizes are bytes unless the name says otherwise. */
export const MODEL_LIMITS = {
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
  // the model proxy
  /** Of an id, a model's name or a reason in an answer, as recorded in traces. */
  answerWordChars: 200,
  /** Keys to the model proxy: each belongs to a session in memory, and ends with it. */
  sessionKeys: 100_000,
  proxyConnections: 10_000,
  /** The same from inside one sandbox: it must leave places for the others. */
  proxySandboxConnections: 256,
  proxyHeaderBytes: 32_768,
  proxyHeaders: 200,
  /** How long a caller has for the head of its request, and for all of it. */
  proxyHeadersMs: 20_000,
  proxyRequestMs: 120_000,
  /** How long a caller's connection stays open between two requests. */
  proxyKeepAliveMs: 65_000,
  /** How often unfinished requests are looked at. */
  proxyCheckMs: 1_000,
  /** Connections above the limit that still get an answer; what comes beyond is dropped. */
  proxySurplusConnections: 256,
  /** Connections that the kernel holds until they are taken. */
  proxyBacklog: 1_024,
  /** What is still read, and for how long, from a caller whose body is not wanted, so that it gets to see the answer. */
  proxyLingerBytes: 4_194_304,
  proxyLingerMs: 1_000,
  proxyBodyBytes: 33_554_432,
  /** All bodies together that have not been forwarded yet. */
  proxyBodiesBytes: 268_435_456,
  /** Brackets, braces, commas and colons of a body: they bound its size in memory. */
  proxyBodyMarks: 2_000_000,
  modelNameChars: 256,
  /** Connections out of one sandbox at a time. */
  egressConnections: 256,
  /** Refused hosts of a session that its journal names. */
  egressNotices: 100,
  /** Questions about hosts in one turn of a session. Further hosts are refused. */
  networkQuestionsPerTurn: 5,
  /** How long a program waits for the answer; no longer than programs wait for a connection. */
  networkQuestionMs: 240_000,
  /** Credentials that are put into requests from sandboxes. */
  egressCredentials: 50,
  /** Connections of one sandbox that wait for answers. */
  egressWaiting: 64,
  /** What a program may send before it is connected. */
  egressEarlyBytes: 65_536,
  /** How long a host has to take a connection, and how long one may be silent. */
  egressConnectMs: 15_000,
  egressIdleMs: 300_000,
  /** Credentials tried for one request. */
  proxyAttempts: 4,
  proxyConnectMs: 10_000,
  /** Silence of a provider: before the first byte of an answer (it may be reading a long prompt), and between two. */
  proxyFirstByteMs: 300_000,
  proxyIdleMs: 90_000,
  /** A whole answer, however slow; by the wall clock and by the monotonic one. */
  proxyExchangeMs: 3_600_000,
  /** How long a caller may leave an answer unread. */
  proxyStalledMs: 300_000,
  /** Bytes that wait for a caller in this process before the provider is slowed down. */
  proxyUnreadBytes: 65_536,
  /** An answer with its usage in one piece of JSON; a longer one is charged at its bound. */
  proxyAnswerBytes: 33_554_432,
  /** One event of a stream that is examined; a longer one is forwarded unread. */
  proxyEventBytes: 4_194_304,
  /** A provider's error, which is forwarded whole or not at all. */
  proxyErrorBytes: 1_048_576,
  /** How long a provider may take to count a prompt, and the length of its answer. */
  proxyCountMs: 10_000,
  proxyCountBytes: 65_536,
  /** Provider addresses with open connections. */
  proxyPools: 64,
  proxyUpstreamConnections: 1_024,
  /** How long an unused connection to a provider is kept, unless the provider says how long; the second one is for TLS. */
  proxyUpstreamIdleMs: 4_000,
  proxyUpstreamIdleTlsMs: 30_000,
  /** Prices that are remembered for a second. */
  proxyPrices: 1_000,
  /** How often silence, old keys and old counts are checked. */
  proxySweepMs: 1_000,
  /** Calls whose provider broke off, for this long after the last attempt: their bound is charged once. */
  uncertainCalls: 10_000,
  uncertainCallMs: 900_000,
  /** Broken answers of a provider within a window before requests to it are stopped. */
  breakerFailures: 3,
  breakerWindowMs: 300_000,
  /** How long they are stopped: the first time, and at most. It doubles each time in a row. */
  breakerPauseMs: 30_000,
  breakerMaxPauseMs: 3_600_000,
  /** How long a provider must work until earlier failures are forgotten. */
  breakerMemoryMs: 3_600_000,
  /** How long the one test request keeps others back. */
  breakerProbeMs: 60_000,
  /** Requests in a row that fail until a provider counts as unavailable, and how long after the last one it does. */
  providerDownFailures: 3,
  providerDownMs: 60_000,
  /** How long after a failure it counts as degraded, unless it answers. */
  providerFailedMs: 300_000,
  /** How long a provider's list of models counts, and one that could not be read. */
  modelListMs: 600_000,
  modelListRetryMs: 15_000,
  /** Pages of one list, and models of a local server that are asked for their window one by one. */
  modelListPages: 10,
  modelWindowsAsked: 50,
  /** Models of all providers in one answer. */
  modelsListed: 2_000,
  /** Models with other places in `failover`, and places of one. */
  failoverModels: 200,
  failoverPlaces: 8,
  /** Sessions, agents and providers whose requests in the last minute are remembered. */
  rateKeys: 50_000,
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
} as const;
