import { expect, it } from "vitest";
import { approvedChanges } from "../../support/approved-changes.ts";
import { openTestHouse } from "../../support/house.ts";

it("what ran is what the last approved preview said, or nothing ran", { timeout: 120_000 }, async () => {
  const { faults, sequences, ran, askedAgain, restarts } = await approvedChanges(openTestHouse, {
    count: 40,
    width: 10,
    seed: 12,
  });
  expect({ faults, sequences }).toEqual({ faults: [], sequences: 40 });
  // The sample is worth something only if all of it happens.
  expect([ran > 10, askedAgain > 5, restarts > 0]).toEqual([true, true, true]);
});
