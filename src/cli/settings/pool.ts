import {
  defined,
  LIMITS,
  mountProfile,
  mountProfileName,
  type PoolChange,
  type PoolSettings,
} from "../../protocol/index.ts";
import type { Settings } from "./settings.ts";

interface PoolStart {
  readonly config: PoolChange;
  /** Of the sessions that are expected first; empty: the default one. */
  readonly profiles: readonly string[];
}

/** One pool for the whole server: the settings' own, else what the mounts want together. Undefined: none wants one. */
export function poolOf({ pool, mounts }: Pick<Settings, "pool" | "mounts">): PoolStart | undefined {
  if (pool !== undefined) return { config: pool.value, profiles: [] };
  const wanted = Object.entries(mounts?.value ?? {}).flatMap(([path, mount]) =>
    mount?.type !== "claude" || mount.pool === undefined ? [] : [{ path, mount, pool: mount.pool }],
  );
  if (wanted.length === 0) return undefined;
  return {
    config: together(wanted.map((one) => one.pool)),
    profiles: wanted.flatMap(({ path, mount }) => (mountProfile(mount) === undefined ? [] : [mountProfileName(path)])),
  };
}

/** Workers are added up; an idle one stays as long as anybody wants, and the next is prepared as early as anybody wants. */
function together(pools: readonly PoolSettings[]): PoolChange {
  const set = <Value>(values: readonly (Value | undefined)[]): readonly Value[] =>
    values.filter((value) => value !== undefined);
  const sum = (values: readonly number[]): number =>
    Math.min(
      LIMITS.poolWorkers,
      values.reduce((total, value) => total + value, 0),
    );
  const mins = set(pools.map(({ min_workers }) => min_workers));
  const maxs = set(pools.map(({ max_workers }) => max_workers));
  const idles = set(pools.map(({ idle_timeout_secs }) => idle_timeout_secs));
  const thresholds = set(pools.map(({ scale_up_threshold }) => scale_up_threshold));
  const pins = set(pools.map((pool) => pool.pins));
  return defined({
    min_workers: mins.length === 0 ? undefined : sum(mins),
    // A mount that names no maximum wants none.
    max_workers: maxs.length < pools.length ? undefined : sum(maxs),
    idle_timeout_secs: idles.length === 0 ? undefined : Math.max(...idles),
    scale_up_threshold: thresholds.length === 0 ? undefined : Math.min(...thresholds),
    pins: pins.length === 0 ? undefined : Object.fromEntries(pins.flatMap((one) => Object.entries(one))),
  });
}
