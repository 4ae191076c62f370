import { describe, expect, it } from "vitest";
import { faultsOf } from "../support/vendor/faults.ts";
import { KILLED_ENGINES, killOften, lacksProgram } from "../support/vendor/killed.ts";
import { liveWithVendor, type LifePlan } from "../support/vendor/life.ts";

const KILLS = Number(process.env["SOAK_ENGINE_KILLS"] ?? 100);
const SEED = Number(process.env["SOAK_SEED"] ?? 20_261_115);
/** One life that went wrong, as JSON of its plan, instead of random ones; and how often it is lived. */
const PLAN = process.env["SOAK_PLAN"];
const PLAN_TIMES = Number(process.env["SOAK_PLAN_TIMES"] ?? 10);

describe.runIf(PLAN !== undefined)("a plan that is played again", () => {
  const plan = JSON.parse(PLAN ?? "{}") as LifePlan;
  it.each(Array.from({ length: PLAN_TIMES }, (_, time) => time + 1))(
    "life %i",
    { timeout: 3_600_000 },
    async (time) => {
      const begun = performance.now();
      const life = await liveWithVendor(plan);
      const seconds = Math.round((performance.now() - begun) / 1_000);
      console.log(`soak: ${JSON.stringify({ time, hits: life.hits, seconds })}`);
      expect(faultsOf(life)).toEqual([]);
    },
  );
});

describe.skipIf(PLAN !== undefined).each(KILLED_ENGINES)("$engine, asking for $api", (killed) => {
  it.skipIf(lacksProgram(killed))(
    `its program, the server or both are killed ${KILLS} times at random points, and nothing is lost`,
    { timeout: 3 * 3_600_000 },
    async () => {
      const begun = performance.now();
      const { faults, ...counts } = await killOften(killed, { count: KILLS, seed: SEED });
      const seconds = Math.round((performance.now() - begun) / 1_000);
      console.log(`soak: ${JSON.stringify({ ...killed, ...counts, faults: faults.length, seconds })}`);
      expect(faults).toEqual([]);
    },
  );
});
