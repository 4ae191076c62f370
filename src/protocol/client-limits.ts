/** The bounds that the client needs too, apart from the others so that a page need not load those. All of them are in LIMITS. */
export const CLIENT_LIMITS = {
  // the client's live connection
  /** The first wait before a lost connection is taken up again, and the longest one. */
  liveRetryMs: 250,
  liveRetryCapMs: 15_000,
  /** How often a stream of events that was lost is taken up again, with the same waits. */
  streamRetries: 20,
  /** How long a connection may take until the server has welcomed it. */
  liveConnectMs: 10_000,
  /** After so much silence the server is asked for a sign of life, and how long it has for it. */
  livePingMs: 15_000,
  livePongMs: 10_000,
  /** How long the connection stays when nobody listens any more. */
  liveLingerMs: 3_000,
  /** What waits for one slow reader in the client; then the server is asked again when the reader has caught up. */
  liveQueueFrames: 4_096,
  liveQueueChars: 16_777_216,
  /** One event of a server-sent event stream. */
  streamEventChars: 67_108_864,
  // the client of the /claude mount
  /** How long it tries to take up a lost stream: the first wait, the longest one, and how often. */
  mountRetryMs: 100,
  mountRetryCapMs: 1_000,
  mountRetries: 60,
  /** Brackets inside brackets of one message. */
  jsonDepth: 64,
  // page tools
  /** Tools of pages and other programs that one session has. */
  clientTools: 256,
  /** One answer of a page as JSON. */
  pageResultBytes: 6_000_000,
  /** What a page says of a call that failed. */
  pageErrorChars: 10_000,
  /** How long after its time a page still knows a call that it has run: what was under way then must not run it again. */
  pageMemoryMs: 60_000,
  /** Pages of an MCP server's list of tools. */
  pageToolLists: 20,
  // document 000's client
  /** How long a container that is started on demand may take to answer, and how long one question may take. */
  runtimeConnectMs: 120_000,
  runtimeQueryMs: 120_000,
} as const;
