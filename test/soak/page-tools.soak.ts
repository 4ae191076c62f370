import { expect, it } from "vitest";
import { brokenPromises, ends, pageChaos } from "../client/page-chaos.ts";
import { openTestApp } from "../support/app.ts";

const CALLS = Number(process.env["SOAK_PAGE_CALLS"] ?? 500);

it(`${CALLS} calls of pages to which things happen`, { timeout: 3_600_000 }, async () => {
  await using app = await openTestApp();
  const seed = Number(process.env["SOAK_SEED"] ?? 7);
  const outcomes = await pageChaos(app, { calls: CALLS, sessions: 6, seed });
  const broken = brokenPromises(outcomes);
  console.log(`soak: ${JSON.stringify({ calls: outcomes.length, ends: ends(outcomes), broken: broken.length })}`);
  expect({ broken, calls: outcomes.length }).toEqual({ broken: [], calls: CALLS });
});
