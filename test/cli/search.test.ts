import { afterAll, beforeAll, expect, it } from "vitest";
import type { SearchPage } from "../../src/protocol/index.ts";
import { Place } from "./place.ts";

const place = new Place();
beforeAll(() => place.serve());
afterAll(() => place[Symbol.asyncDispose]());

it("sallyport search shows hits with their addresses, and says when there are none", async () => {
  const run = await place.run(["run", 'Find the oboe\nsim: [{"say": "The oboe is in the cellar."}]']);
  expect(run.code).toBe(0);
  const { code, stdout } = await place.run(["search", "cellar", "oboe"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^Find the oboe · message · \d+ s ago\n {2}The oboe is in the cellar\.\n {2}http.*\/sessions\/ses_\w+#seq-\d+\n/,
  );
  const page = JSON.parse((await place.run(["search", "oboe", "--json", "--limit", "1"])).stdout) as SearchPage;
  expect([page.hits.length, page.complete, typeof page.next]).toEqual([1, true, "string"]);
  expect(await place.run(["search", "bassoon"])).toMatchObject({ code: 0, stdout: "", stderr: "nothing found\n" });
  expect((await place.run(["search", "**"])).code).not.toBe(0);
});
