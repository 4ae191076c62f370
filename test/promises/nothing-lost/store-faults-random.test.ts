import { assert, asyncProperty } from "fast-check";
import { expect, it } from "vitest";
import { expectedOf, faultPlans, liveThrough, openFaultyHouse } from "../../support/store-faults.ts";

it("whatever the disk refuses and when: no gap, each item, turn and question ends once, each effect once", async () => {
  await using house = await openFaultyHouse();
  let run = 0;
  await assert(
    asyncProperty(faultPlans, async (plan) => {
      run += 1;
      const name = `run${run}`;
      expect(await liveThrough(house, plan, name)).toEqual(expectedOf(name));
    }),
    { numRuns: 4 },
  );
});
