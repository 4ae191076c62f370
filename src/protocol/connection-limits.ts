/** Bounds of database connections. */
export const CONNECTION_LIMITS = {
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
