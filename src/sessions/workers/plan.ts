import type { PoolConfig } from "../../protocol/index.ts";

/** A worker that is free, or soon will be. */
interface PreparedState {
  readonly session_id: string;
  readonly isReady: boolean;
  /** Since it was prepared. */
  readonly idleMs: number;
}

interface PoolState {
  readonly config: PoolConfig;
  /** Workers that belong to sessions. */
  readonly busy: number;
  readonly prepared: readonly PreparedState[];
  /** Sessions that wait for a worker. */
  readonly waiting: number;
}

interface PoolPlan {
  /** How many are prepared now. */
  readonly prepare: number;
  /** Prepared ones that nobody needs, by the session that they were made for. */
  readonly end: readonly string[];
}

/** What the pool does next. */
export function planPool({ config, busy, prepared, waiting }: PoolState): PoolPlan {
  const total = busy + prepared.length;
  const wanted = wantedWorkers(config, busy);
  // Whoever waits needs the place more than somebody who may come.
  const prepare = waiting > 0 ? 0 : Math.max(0, wanted - total);
  const excess = Math.max(0, total - wanted);
  const end = prepared
    .filter(({ isReady, idleMs }) => isReady && idleMs >= config.idle_timeout_secs * 1_000)
    .toSorted((one, other) => other.idleMs - one.idleMs)
    .slice(0, excess)
    .map(({ session_id }) => session_id);
  return { prepare, end };
}

/** So many that fewer than the threshold are busy; never more than there may be. */
function wantedWorkers({ min_workers, max_workers, scale_up_threshold }: PoolConfig, busy: number): number {
  if (min_workers === 0) return busy;
  // A quotient such as 0.3 / 0.1 is not quite 3.
  const enough = busy === 0 ? 0 : Math.floor(busy / scale_up_threshold + 1e-9) + 1;
  return Math.max(busy, Math.min(max_workers, Math.max(min_workers, enough)));
}
