/** Bounds of the store and of retention; a part of LIMITS. The threads of the store load no others: each file costs them time. */
export const STORE_LIMITS = {
  /** How long a Write that nobody waits for may wait to share a commit. */
  storePatienceMs: 4,
  /** Writes in one transaction. */
  storeBatchWrites: 1_000,
  /** Text of one message to the writer (UTF-16 units); a bigger Write travels alone. */
  storeBatchChars: 16_777_216,
  /** Messages that the writer has not answered yet; further Writes wait in the caller's thread. */
  storeBatchesInFlight: 4,
  storeSweepRows: 1_000,
  /** How long a transaction waits for another program's lock before writing counts as stalled. */
  storeBusyMs: 2_000,
  /** The steps in which it waits, and the pause between two of them. */
  storeBusyStepMs: 100,
  storeBusyPauseMs: 5,
  /** The first and the longest wait before a transaction that the disk refused is tried again. */
  storeRetryMs: 100,
  storeRetryMaxMs: 1_000,
  /** Text that waits for an unavailable disk (UTF-16 units); sessions that need more stop and continue from the disk. */
  storeQueueChars: 67_108_864,
  /** How long a request waits for such a disk before it gets 503, and when it may be retried. */
  storeWaitMs: 10_000,
  /** The same for requests that need no waiting: an interrupt has already taken effect, and figures can be requested again. */
  storeAnswerMs: 500,
  storeRetryAfterS: 5,
  /** How often a session that lost its state checks whether the disk is back, and how often one is reloaded this way. */
  storeReloadMs: 1_000,
  sessionReloads: 3,
  /** How long a stopping server waits for such a disk. */
  storeCloseMs: 5_000,
  /** How often free space, the record and the log are maintained. */
  storeTendMs: 1_000,
  /** With fewer bytes free, new sessions and prompts are refused. */
  storeMinFreeBytes: 67_108_864,
  /** So many more files (inodes) must be possible there for new work. */
  storeMinFreeFiles: 100,
  /** Set aside while there is space, and given back when the disk is full. */
  storeReserveBytes: 4_194_304,
  storeFullRetryAfterS: 60,
  /** Pages of 4 KiB that are returned to the disk at a time. */
  storeVacuumPages: 256,
  /** Sessions that one run of retention examines together, and that its report names. */
  pruneBatch: 50,
  pruneListed: 1_000,
  /** What one run of retention deletes: this many sessions, or this share of all if that is more. */
  retentionSessions: 20,
  retentionShare: 0.05,
  /** How long processes have to end when the store has failed. */
  storeFatalMs: 5_000,
  /** Chains of Writes that were refused; the oldest is forgotten first. */
  storeBrokenChains: 1_000,
  /** Sessions on damaged pages that are remembered, reported and skipped. */
  storeDamagedSessions: 1_000,
  storeCacheKib: 16_384,
  storeCheckpointPages: 1_000,
  storeWalBytes: 67_108_864,
  /** Prepared statements of the reader. */
  storeStatements: 256,
} as const;
