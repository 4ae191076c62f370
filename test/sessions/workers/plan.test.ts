import { describe, expect, it } from "vitest";
import { planPool } from "../../../src/sessions/workers/plan.ts";

const CONFIG = { min_workers: 2, max_workers: 6, idle_timeout_secs: 300, scale_up_threshold: 0.8 };
const idle = (...seconds: readonly number[]) =>
  seconds.map((idleSeconds, at) => ({ session_id: `s${at}`, isReady: true, idleMs: idleSeconds * 1_000 }));

describe("the plan of the pool", () => {
  it.each<[string, Parameters<typeof planPool>[0], ReturnType<typeof planPool>]>([
    ["fills up to the minimum", { config: CONFIG, busy: 0, prepared: [], waiting: 0 }, { prepare: 2, end: [] }],
    [
      "counts those that are still being prepared",
      { config: CONFIG, busy: 0, prepared: [{ session_id: "s0", isReady: false, idleMs: 0 }], waiting: 0 },
      { prepare: 1, end: [] },
    ],
    [
      "leaves it there while few are busy",
      { config: CONFIG, busy: 1, prepared: idle(0), waiting: 0 },
      { prepare: 0, end: [] },
    ],
    [
      "adds one at the threshold: 4 of 5 are 0.8",
      { config: CONFIG, busy: 4, prepared: idle(0), waiting: 0 },
      { prepare: 1, end: [] },
    ],
    [
      "keeps one spare where the threshold is 1",
      { config: { ...CONFIG, scale_up_threshold: 1 }, busy: 3, prepared: [], waiting: 0 },
      { prepare: 1, end: [] },
    ],
    [
      "never goes beyond the maximum",
      { config: CONFIG, busy: 5, prepared: idle(0), waiting: 0 },
      { prepare: 0, end: [] },
    ],
    [
      "prepares nothing while sessions wait",
      { config: { ...CONFIG, min_workers: 6 }, busy: 2, prepared: [], waiting: 1 },
      { prepare: 0, end: [] },
    ],
    [
      "ends what was idle for too long, the longest first, down to the minimum",
      { config: CONFIG, busy: 0, prepared: idle(301, 10, 400, 300), waiting: 0 },
      { prepare: 0, end: ["s2", "s0"] },
    ],
    [
      "ends nothing before its time",
      { config: CONFIG, busy: 0, prepared: idle(299, 299, 299), waiting: 0 },
      { prepare: 0, end: [] },
    ],
    [
      "ends what a pool that was switched off left, after its time",
      { config: { ...CONFIG, min_workers: 0 }, busy: 1, prepared: idle(300, 1), waiting: 0 },
      { prepare: 0, end: ["s0"] },
    ],
    [
      "prepares nothing where nobody asked for it",
      { config: { ...CONFIG, min_workers: 0 }, busy: 5, prepared: [], waiting: 0 },
      { prepare: 0, end: [] },
    ],
  ])("%s", (_name, state, plan) => {
    expect(planPool(state)).toEqual(plan);
  });
});
