import { expect, it } from "vitest";
import { approvedChanges } from "../support/approved-changes.ts";
import { openTestApp } from "../support/app.ts";

const SEQUENCES = Number(process.env["SOAK_SEQUENCES"] ?? 10_000);

it(
  `runs what was approved or nothing, in ${SEQUENCES} sequences of changes, links, restarts and answers`,
  {
    timeout: 7_200_000,
  },
  async () => {
    const counts = await approvedChanges(openTestApp, {
      count: SEQUENCES,
      width: 20,
      seed: Number(process.env["SOAK_SEED"] ?? 12),
    });
    console.log(`soak: ${JSON.stringify({ ...counts, faults: counts.faults.length })}`);
    expect(counts.faults).toEqual([]);
  },
);
