/** The bounds of the model proxy; a part of `LIMITS`. Times are milliseconds. */
export const PROXY_LIMITS = {
  /** Of an id, a model's name or a reason in an answer, as far as traces tell them. */
  answerWordChars: 200,
  /** Keys to the model proxy: each belongs to a session in memory, and ends with it. */
  sessionKeys: 100_000,
  proxyConnections: 10_000,
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
  /** Bodies of all requests that have not been passed on yet, together. */
  proxyBodiesBytes: 268_435_456,
  /** Brackets, braces, commas and colons of a body: what a small text can become in memory. */
  proxyBodyMarks: 2_000_000,
  modelNameChars: 256,
  /** Credentials that are tried for one request. */
  proxyAttempts: 4,
  proxyConnectMs: 10_000,
  /** Silence of a provider: before the first byte of an answer (it may be reading a long prompt), and between two. */
  proxyFirstByteMs: 300_000,
  proxyIdleMs: 90_000,
  /** A whole answer, however slowly it comes; by the wall clock and by the one that does not jump. */
  proxyExchangeMs: 3_600_000,
  /** How long a caller may leave an answer unread. */
  proxyStalledMs: 300_000,
  /** What waits unread for a caller in this process before the provider is slowed down. */
  proxyUnreadBytes: 65_536,
  /** An answer whose usage stands in one piece of JSON; a longer one counts to its bound. */
  proxyAnswerBytes: 33_554_432,
  /** One event of a stream that is looked at; a longer one is passed on unread. */
  proxyEventBytes: 4_194_304,
  /** A provider's error, which is passed on whole or not at all. */
  proxyErrorBytes: 1_048_576,
  /** How long a provider may take to count a prompt, and the length of what it says. */
  proxyCountMs: 10_000,
  proxyCountBytes: 65_536,
  /** Providers' addresses that connections are kept to. */
  proxyPools: 64,
  proxyUpstreamConnections: 1_024,
  /** How long an unused connection to a provider is kept, unless the provider says how long; the second one is for TLS. */
  proxyUpstreamIdleMs: 4_000,
  proxyUpstreamIdleTlsMs: 30_000,
  /** Prices that are remembered for a second. */
  proxyPrices: 1_000,
  /** How often silence, old keys and old counts are looked for. */
  proxySweepMs: 1_000,
  /** Calls whose provider broke off, for so long after the last attempt: their bound is charged once. */
  uncertainCalls: 10_000,
  uncertainCallMs: 900_000,
  /** Answers of a provider that break within a window before requests to it are stopped. */
  breakerFailures: 3,
  breakerWindowMs: 300_000,
  /** How long they are stopped: the first time, and at most. Each time in a row it is twice as long. */
  breakerPauseMs: 30_000,
  breakerMaxPauseMs: 3_600_000,
  /** How long a provider must do well until it counts as one that never broke. */
  breakerMemoryMs: 3_600_000,
  /** How long the one request that tries it again keeps others back. */
  breakerProbeMs: 60_000,
  /** Sessions, agents and providers whose requests in the last minute are remembered. */
  rateKeys: 50_000,
} as const;
