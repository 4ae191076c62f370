/** Bounds of tokens, keys, identities, tunnels and connections; a part of LIMITS. Times are milliseconds, sizes are bytes unless the name says otherwise. */
export const ACCESS_LIMITS = {
  // tokens
  /** The longest life of an expiring token, and of a visitor's; and a visitor's default. Seconds. */
  tokenLifeS: 315_360_000,
  visitorTokenMaxS: 86_400,
  visitorTokenS: 3_600,
  /** The longest chain of tokens derived from one another. */
  tokenDepth: 4,
  tokenTools: 200,
  tokenOrigins: 20,
  tokenRoots: 20,
  tokenSubjectChars: 500,
  /** Of a token that somebody shows. */
  tokenChars: 500,
  /** Tokens whose rights are in memory; others are read again. */
  tokensInMemory: 100_000,
  /** How often, at most, the use of a token is stored. */
  tokenUseMs: 60_000,
  /** How often, at least, the tokens of open connections are checked for expiry. */
  tokenCheckMs: 30_000,
  /** How long an expired token is still listed. */
  expiredTokenKeptMs: 86_400_000,
  /** How long a browser caches a preflight answer. Seconds. */
  corsMaxAgeS: 600,
  // API keys
  /** API keys that are valid at once; all of them are in memory. */
  apiKeys: 10_000,
  /** Model names and globs of one key. */
  apiKeyModels: 100,
  /** How long the key of `sallyport exec` lives at most, should nobody delete it. Seconds. */
  execKeyS: 86_400,
  /** A provider's key that somebody types in. */
  providerKeyChars: 500,
  // identities, and authentication at tunnels
  /** How long a challenge can be answered, by the wall clock and by the monotonic one (document 003). */
  challengeMs: 300_000,
  /** What `challenge_seconds` may be. */
  challengeLeastS: 30,
  challengeMostS: 3_600,
  /** How far the expiry of somebody else's challenge may lie beyond `challengeMostS`: clocks of two machines differ. */
  challengeSkewMs: 60_000,
  /** Challenges that are open at once, of all tunnels and callers. */
  challengesOpen: 4_096,
  /** Characters of each field of a response. */
  challengeResponseChars: 4_096,
  /** The random part of a challenge, and each side's nonce for a pre-shared key. Bytes. */
  challengeBytes: 32,
  /** The shortest pre-shared key. Characters. */
  sharedKeyMinChars: 16,
  /** The longest pre-shared key. Characters. */
  sharedKeyMaxChars: 1_024,
  /** Identities whose keys this gateway keeps. */
  identities: 10_000,
  /** The longest plain text that NIP-44 can encrypt. Bytes. */
  encryptedTextBytes: 65_535,
  // tunnels
  /** Stored endpoints, and offers of this machine. */
  tunnelEndpoints: 100,
  tunnelOffers: 100,
  /** Connections to this machine's console over one offer, and connections that a relay passes on at once. */
  tunnelConsoleStreams: 100,
  consoleRelayConnections: 500,
  /** How long a connection to a relay has to say which console it means. */
  consoleRelayHelloMs: 10_000,
  /** Bytes and messages that were sent and are not acknowledged: they are sent again after a cut. More waits. */
  tunnelReplayBytes: 4_194_304,
  tunnelReplayMessages: 2_000,
  tunnelReplayMessageBytes: 8_388_608,
  /** How much may arrive before it is acknowledged, and how long. */
  tunnelAckBytes: 262_144,
  tunnelAckMs: 200,
  /** How long a cut link waits to be resumed. Its streams end then, and are billed. */
  tunnelResumeMs: 60_000,
  /** How often a link is probed, and the silence after which it counts as cut. */
  tunnelPingMs: 5_000,
  tunnelSilenceMs: 15_000,
  /** A connection with all of its handshake. */
  tunnelHandshakeMs: 10_000,
  /** Connections in their handshake at a time; further ones are refused. */
  tunnelHandshakes: 100,
  /** Of a handshake's message: nobody has proved anything yet. */
  tunnelHandshakeBytes: 16_384,
  /** How long a request waits for a link that is not there. */
  tunnelReadyMs: 10_000,
  /** Waits between attempts: the first, and the longest. Each is a random part of it. */
  tunnelRetryMs: 250,
  tunnelRetryMaxMs: 30_000,
  /** Of one WebSocket message, and of all that comes before a handshake has ended. Longer pieces of a stream are split. */
  tunnelMessageBytes: 4_194_304,
  tunnelPieceBytes: 1_048_576,
  /** Links of one offer at a time; the oldest cut one goes first. */
  tunnelLinks: 8,
  /** Requests of one link at a time, and sessions. */
  tunnelStreams: 1_000,
  tunnelSessions: 100,
  /** Messages that arrived and may wait for their acknowledgement; whoever tells much waits for that. */
  tunnelAckMessages: 100,
  tunnelUnreadMessages: 500,
  /** The most that is reserved for one turn at home, micro-USD; a smaller limit of the turn, session or policy counts instead. */
  tunnelTurnMicrousd: 5_000_000,
  /** How long a home has to create a session, and a turn may be without a link before it fails. */
  tunnelCreateMs: 30_000,
  tunnelTurnLostMs: 180_000,
  /** How long a turn that was stopped waits for home to say so, and its bill for what it has cost. */
  tunnelInterruptMs: 3_000,
  tunnelSettleMs: 60_000,
  /** Messages of one session that wait to be told, and their characters; then its turn fails. Characters of one text that home tells; the rest is left out. */
  tunnelTurnMessages: 10_000,
  tunnelTurnChars: 33_554_432,
  tunnelMessageChars: 4_000_000,
  /** How long home remembers which prompts it has taken: a prompt that is sent again runs once. 30 days, and a week less at the gateway. */
  tunnelPromptKeptMs: 2_592_000_000,
  tunnelPromptAgainMs: 1_987_200_000,
  /** Sessions at homes that are not known to have ended. */
  tunnelHomeSessions: 1_000,
  /** The flow window of a stream, and of all streams of a link together. */
  tunnelStreamWindowBytes: 1_048_576,
  tunnelWindowBytes: 8_388_608,
  /** How long the models and prices of an endpoint are believed. */
  tunnelModelsMs: 60_000,
  /** Models of an endpoint. */
  tunnelModels: 2_000,
  tunnelModelsBytes: 1_048_576,
  /** How long a pairing code can be used. */
  tunnelPairingMs: 600_000,
  /** Wrong pairing codes after which the right one is worth nothing. */
  tunnelPairingTries: 5,
  /** Pairing codes that are open at once. */
  tunnelPairings: 20,
  // database connections
  connections: 100,
  /** Tokens that one connection names. */
  connectionPrincipals: 1_000,
  /** Of one statement (UTF-16 units), and how much of it the audit log keeps. */
  connectionSqlChars: 100_000,
  connectionAuditChars: 2_000,
  /** How much of a database's own error message is passed on. */
  connectionMessageChars: 8_000,
  /** How long PostgreSQL's parser may take for one statement. */
  connectionParseMs: 5_000,
  /** How long a statement may take by default, and the most that its connection may set. */
  connectionQueryMs: 30_000,
  connectionQueryMaxMs: 600_000,
  /** The extra time that a database has to end a statement by itself, before it is ended from here. */
  connectionGraceMs: 2_000,
  /** Rows of one answer by default, and the most that its connection may set. */
  connectionRows: 10_000,
  connectionRowsMax: 100_000,
  /** One answer; rows beyond are left out. */
  connectionResultBytes: 16_777_216,
  /** Nesting depth of one JSON value; a deeper one is returned as text. */
  connectionJsonDepth: 500,
  /** Rows fetched from PostgreSQL at once. */
  connectionBatchRows: 500,
  /** Statements of one connection that run at once, and that wait; as many may wait for PostgreSQL's parser. */
  connectionConcurrent: 4,
  connectionQueue: 100,
  /** The same for one principal: one lane is always left to others, and half of the waiting places. */
  connectionPrincipalConcurrent: 3,
  connectionPrincipalQueue: 50,
  /** How long connecting to a database may take, or starting a process that reads an SQLite file. */
  connectionOpenMs: 10_000,
  /** How long an opened database without a statement is kept. */
  connectionIdleMs: 30_000,
  /** How long a PostgreSQL statement waits for another's lock. */
  connectionLockMs: 5_000,
  /** Total memory of a process that reads an SQLite file. */
  connectionMemoryBytes: 536_870_912,
  /** What is listed of a database: tables, columns together, foreign keys. */
  connectionTables: 2_000,
  connectionColumns: 20_000,
  connectionJoins: 5_000,
  /** Of one comment, name or value in that list, and values of one column. */
  connectionTextChars: 1_000,
  connectionValues: 20,
  /** SQLite: rows counted in a table, rows of a table that is scanned for its values, and the time for both. */
  connectionCountedRows: 1_000_000,
  connectionSampledRows: 10_000,
  connectionSampleMs: 2_000,
} as const;
