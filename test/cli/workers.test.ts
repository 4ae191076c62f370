import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PoolView } from "../../src/protocol/index.ts";
import { Place, script } from "./place.ts";

const place = new Place();
beforeAll(() => place.serve());
afterAll(() => place[Symbol.asyncDispose]());

describe("workers and pool", () => {
  test("tell where sessions run", async () => {
    expect(await place.run(["workers"])).toEqual({
      code: 0,
      stdout: "no workers: none is prepared, and no session runs anything\n",
      stderr: "",
    });
    expect((await place.run(["run", script([{ say: "Hello." }]), "--json"])).code).toBe(0);
    const { stdout } = await place.run(["workers"]);
    expect(stdout).toMatch(/^ID +STATE +SANDBOX +NETWORK +ENGINE +TURNS +FAILED +LOAD +AGE +SESSION\n/);
    expect(stdout).toMatch(/\nw1 +busy +local +host +loop +1 +0 +\d+% +\d+ s +ses_/);
  });

  test("change the pool until the server stops", async () => {
    const { code, stdout } = await place.run([
      "pool",
      "set",
      "--max",
      "9",
      "--idle",
      "60",
      "--pin",
      "reviewer=w2",
      "--json",
    ]);
    expect({ code, config: (JSON.parse(stdout) as PoolView).config }).toEqual({
      code: 0,
      config: {
        min_workers: 0,
        max_workers: 9,
        idle_timeout_secs: 60,
        scale_up_threshold: 0.8,
        pins: { reviewer: "w2" },
      },
    });
    const shown = (await place.run(["pool"])).stdout;
    for (const words of ["(0 to 9 may exist)", "after 60 s", "when 80 % are in use", "reviewer on w2"])
      expect(shown).toContain(words);
  });

  test.each([
    [["pool", "set"], "name what to change: --min, --max, --idle, --threshold or --pin"],
    [["pool", "set", "--min", "many"], "It must be a whole number from 0 to 10000."],
    [["pool", "set", "--min", "10000"], "min_workers must not be more than max_workers"],
    [["pool", "set", "--threshold", "2"], "scale_up_threshold must be at most 1"],
    [["pool", "set", "--pin", "reviewer"], "such as reviewer=w1"],
    [["pool", "set", "--pin", "reviewer=first"], "a worker's id is w and its number, such as w1"],
    [["workers", "all"], "too many arguments for 'workers'."],
  ])("%j is refused", async (words, message) => {
    const { code, stderr } = await place.run(words);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});
