import { describe, expect, it } from "vitest";
import { poolOf } from "../../src/cli/settings/pool.ts";
import type { MountSettings, PoolSettings } from "../../src/protocol/index.ts";

const mount = (pool?: PoolSettings, policy?: object) =>
  ({ type: "claude", access: "budgeted", ...(pool === undefined ? {} : { pool }), policy }) as MountSettings[string];
const file = <Value>(value: Value) => ({ value, origin: "file" as const });

describe("one pool for all mounts", () => {
  it.each<[string, Parameters<typeof poolOf>[0], ReturnType<typeof poolOf>]>([
    ["nobody wants one", { mounts: file({ "/claude": mount() }) }, undefined],
    [
      "one mount does",
      { mounts: file({ "/claude": mount({ min_workers: 1, max_workers: 5 }, {}), "/claude-b": mount() }) },
      { config: { min_workers: 1, max_workers: 5 }, profiles: ["mount:/claude"] },
    ],
    [
      "two do: workers are added up",
      {
        mounts: file({
          "/claude": mount({ min_workers: 1, max_workers: 5, idle_timeout_secs: 10, scale_up_threshold: 0.5 }),
          "/claude-b": mount({ min_workers: 2, max_workers: 3, idle_timeout_secs: 20, pins: { a: "w1" } }),
        }),
      },
      {
        config: {
          min_workers: 3,
          max_workers: 8,
          idle_timeout_secs: 20,
          scale_up_threshold: 0.5,
          pins: { a: "w1" },
        },
        profiles: [],
      },
    ],
    [
      "one of them names no maximum",
      { mounts: file({ "/claude": mount({ max_workers: 5 }), "/claude-b": mount({ min_workers: 2 }) }) },
      { config: { min_workers: 2 }, profiles: [] },
    ],
    [
      "the server's own counts before theirs",
      { pool: file({ max_workers: 2 }), mounts: file({ "/claude": mount({ max_workers: 9 }) }) },
      { config: { max_workers: 2 }, profiles: [] },
    ],
  ])("%s", (_name, settings, expected) => {
    expect(poolOf(settings)).toEqual(expected);
  });
});
