import { assert, asyncProperty } from "fast-check";
import { expect, it } from "vitest";
import { expectedOf, faultPlans, liveThrough, openFaultyApp } from "../support/store-faults.ts";

const RUNS = 1_000;

it(`${RUNS} plans of faults: no gap, each item, turn and question ends once, each effect once`, async () => {
  await using app = await openFaultyApp();
  let run = 0;
  await assert(
    asyncProperty(faultPlans, async (plan) => {
      run += 1;
      const name = `run${run}`;
      expect(await liveThrough(app, plan, name)).toEqual(expectedOf(name));
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
}, 3_600_000);
