import { describe, expect, it } from "vitest";
import { KILLED_ENGINES, killOften, lacksProgram } from "../support/vendor/killed.ts";

const KILLS = Number(process.env["SOAK_ENGINE_KILLS"] ?? 100);
const SEED = Number(process.env["SOAK_SEED"] ?? 20_261_115);

describe.each(KILLED_ENGINES)("$engine, asking for $api", (killed) => {
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
