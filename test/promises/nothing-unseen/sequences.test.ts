import { expect, it } from "vitest";
import { approvedChanges } from "../../support/approved-changes.ts";
import { openTestApp } from "../../support/app.ts";
import { isFullRun } from "../../support/sample.ts";

it("what ran is what the last approved preview said, or nothing ran", async () => {
  const count = isFullRun ? 40 : 20;
  const { faults, sequences, ran, askedAgain, restarts } = await approvedChanges(openTestApp, {
    count,
    width: 10,
    seed: 12,
  });
  expect({ faults, sequences }).toEqual({ faults: [], sequences: count });
  // The sample is worth something only if all of it happens.
  expect([ran > count / 4, askedAgain > count / 8, restarts > 0]).toEqual([true, true, true]);
});
