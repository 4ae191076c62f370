import { z } from "zod";
import { defined } from "../defined.ts";
import { LIMITS } from "../limits.ts";
import { NetworkMode, SandboxKind } from "./walls.ts";

/** A worker's place in the pool. The one that replaces it has the same. */
export const WorkerId = z.string().regex(/^w[1-9]\d{0,4}$/, "a worker's id is w and its number, such as w1");
export type WorkerId = z.infer<typeof WorkerId>;

/** Document 003's pool. */
export const PoolConfig = z
  .object({
    /** Workers that exist at least. 0: none is prepared. */
    min_workers: z.number().int().min(0).max(LIMITS.poolWorkers),
    max_workers: z.number().int().min(1).max(LIMITS.poolWorkers),
    /** How long a prepared worker stays that nobody needs. */
    idle_timeout_secs: z.number().int().min(1).max(86_400),
    /** Of the workers that belong to sessions: from this share on, one more is prepared. */
    scale_up_threshold: z.number().gt(0).max(1),
    /** Workers that are reserved, by the id or name of the principal whose sessions run there. Absent: none is. */
    pins: z
      .record(z.string().min(1).max(200), WorkerId)
      .refine((pins) => Object.keys(pins).length <= LIMITS.poolPins, `there may be ${LIMITS.poolPins} pins`)
      .optional(),
  })
  .strict();
export type PoolConfig = z.infer<typeof PoolConfig>;

/** The fields of the pool that change. `pins` replaces all of them. */
export const PoolChange = PoolConfig.partial();
export type PoolChange = z.infer<typeof PoolChange>;

/** `pool` of `sallyport.yaml`, and of a mount there. */
export const PoolSettings = PoolChange.superRefine((pool, context) => {
  const fault = poolFault({ ...DEFAULT_POOL, ...defined(pool) });
  if (fault !== undefined) context.addIssue({ code: "custom", path: [fault.field], message: fault.message });
});
export type PoolSettings = z.infer<typeof PoolSettings>;

export const DEFAULT_POOL: PoolConfig = {
  min_workers: 0,
  max_workers: LIMITS.poolWorkers,
  idle_timeout_secs: LIMITS.poolIdleSeconds,
  scale_up_threshold: LIMITS.poolScaleUpThreshold,
};

/** What does not fit together. Undefined: all does. */
export function poolFault({
  min_workers,
  max_workers,
  pins = {},
}: PoolConfig): { readonly field: keyof PoolConfig; readonly message: string } | undefined {
  if (min_workers > max_workers) return { field: "min_workers", message: "must not be more than max_workers" };
  const beyond = Object.values(pins).find((id) => workerNumber(id) > max_workers);
  return beyond === undefined
    ? undefined
    : { field: "pins", message: `names the worker ${beyond}, and max_workers is ${max_workers}` };
}

/** 1 for `w1`. */
export function workerNumber(id: WorkerId): number {
  return Number(id.slice(1));
}

const count = z.number().int().nonnegative();

/** `starting`: it is being prepared. `idle`: it is ready for a session. `busy`: it belongs to one. */
export const WorkerState = z.enum(["starting", "idle", "busy", "unhealthy"]);
export type WorkerState = z.infer<typeof WorkerState>;

/** A place where the programs of one session run: its sandbox, prepared or in use. */
export const WorkerView = z.object({
  id: WorkerId,
  state: WorkerState,
  sandbox: SandboxKind,
  /** Absent: `host`. */
  network: NetworkMode.optional(),
  engine: z.string(),
  /** Whether the engine's own program was started ahead of time in it. */
  program: z.boolean(),
  /** 1 if it belongs to one. */
  sessions: count,
  /** Whose it is. Absent: nobody's, or the caller may not see sessions of others. */
  session_id: z.string().optional(),
  since: z.string(),
  /** The share of its life in which it worked on turns, 0 to 1. */
  load: z.number().min(0).max(1),
  /** Turns that ran on it, those of them that failed, and the mean time to the first item of an answer. */
  requests: count,
  errors: count,
  latency_ms: count.optional(),
});
export type WorkerView = z.infer<typeof WorkerView>;

export const PoolView = z.object({
  config: PoolConfig,
  /** All workers; the others are parts of them. */
  workers: count,
  starting: count,
  idle: count,
  busy: count,
  unhealthy: count,
  /** Sessions that wait for a worker. */
  waiting: count,
  /** Since the server started: sessions that got a prepared worker, sessions that got a new one, workers that were replaced because they failed. */
  taken: count,
  opened: count,
  replaced: count,
  /** Turns on all workers, and those of them that failed, since the server started. */
  requests: count,
  errors: count,
});
export type PoolView = z.infer<typeof PoolView>;
