/** The bounds that the client needs too, separate so that a page need not load the others. All of them are in LIMITS. */
export const CLIENT_LIMITS = {
  // the client's live connection
  /** The first wait before reconnecting, and the longest one. */
  liveRetryMs: 250,
  liveRetryCapMs: 15_000,
  /** How often a stream of events that was lost is taken up again, with the same waits. */
  streamRetries: 20,
  /** How long a connection may take until the server has welcomed it. */
  liveConnectMs: 10_000,
  /** After this much silence the server is pinged, and how long it has to answer. */
  livePingMs: 15_000,
  livePongMs: 10_000,
  /** How long the connection stays open without listeners. */
  liveLingerMs: 3_000,
  /** Frames that wait for one slow reader in the client; beyond that, the server is asked again once the reader has caught up. */
  liveQueueFrames: 4_096,
  liveQueueChars: 16_777_216,
  /** One event of a server-sent event stream. */
  streamEventChars: 67_108_864,
  // the client of the /claude mount
  /** How a lost stream is resumed: the first wait, and the longest one. */
  mountRetryMs: 100,
  mountRetryCapMs: 1_000,
  /** How long a server may be away before a call or a stream fails; through `sallyport mount` with EIO. */
  mountAbsenceMs: 15_000,
  /** Nesting depth of one message. */
  jsonDepth: 64,
  // page tools
  /** Client tools of one session. */
  clientTools: 256,
  /** One answer of a page as JSON. */
  pageResultBytes: 6_000_000,
  /** A page's message about a failed call. */
  pageErrorChars: 10_000,
  /** How long after its deadline a page still remembers a call that it ran: a late repeat must not run it again. */
  pageMemoryMs: 60_000,
  /** Pages of an MCP server's list of tools. */
  pageToolLists: 20,
  // document 000's client
  /** How long a container that starts on demand may take to answer, and how long one question may take. */
  runtimeConnectMs: 120_000,
  runtimeQueryMs: 120_000,
} as const;
