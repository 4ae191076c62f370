import { expect, it } from "vitest";
import { brokenPromises, ends, pageChaos } from "../../client/page-chaos.ts";
import { openTestApp } from "../../support/app.ts";

it("a page that is closed, reloaded, cut off and slowed answers each call at most once, and the agent is always told", async () => {
  await using app = await openTestApp();
  const outcomes = await pageChaos(app, { calls: 40, sessions: 4, seed: 6 });
  expect({ broken: brokenPromises(outcomes), calls: outcomes.length }).toEqual({ broken: [], calls: 40 });
  // The faults must really have been there: calls that were done over them, and calls that were not.
  const found = Object.keys(ends(outcomes)).join("\n");
  expect(found).toMatch(/^(?:cut|reload|slow)[^:]*: done$/m);
  expect(found).toMatch(/: (?:interrupted|page_gone|timed_out)$/m);
  expect(found).toContain("offline for long: ");
});
