/** The bounds of workers and their pool; a part of `LIMITS`. */
export const WORKER_LIMITS = {
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
