import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KeyCreated, KeyList } from "../../src/protocol/index.ts";
import { Place } from "./place.ts";

const place = new Place();
beforeAll(() => place.serve());
afterAll(() => place[Symbol.asyncDispose]());

const run = (...words: readonly string[]) => place.run(["key", ...words]);

async function made(...words: readonly string[]): Promise<KeyCreated> {
  const { code, stdout, stderr } = await run("create", "--name", "x", "--json", ...words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as KeyCreated;
}

describe("sallyport key", () => {
  it("prints the key alone on standard output, and how to use it beside it", async () => {
    const { code, stdout, stderr } = await run("create", "--name", "notebook");
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^sp_key_[\w-]{43}\n$/) as string });
    expect(stderr).toMatch(
      /^key_\w+: keep it, it is not shown again\nANTHROPIC_BASE_URL=http\S+\/model OPENAI_BASE_URL=/,
    );
  });

  it.each<[string, readonly string[], object]>([
    ["no limit", [], { provider: "sim" }],
    ["--model, twice", ["--model", "a", "--model", "b-*"], { provider: "sim", models: ["a", "b-*"] }],
    [
      "money",
      ["--max-cost", "2.5", "--max-cost-per-day", "0.000001"],
      { provider: "sim", max_cost_microusd: 2_500_000, max_cost_microusd_per_day: 1 },
    ],
    [
      "rates",
      ["--requests-per-minute", "7", "--tokens-per-minute", "9000"],
      { provider: "sim", rate: { requests_per_minute: 7, tokens_per_minute: 9_000 } },
    ],
  ])("%s", async (_what, words, bounds) => {
    const key = await made("--provider", "sim", ...words);
    expect(key.bounds).toEqual(bounds);
    const { keys } = JSON.parse((await run("list", "--json")).stdout) as KeyList;
    expect(keys.find(({ id }) => id === key.id)?.bounds).toEqual(bounds);
  });

  it("lists them for people, without the keys, and deletes one", async () => {
    const key = await made("--expires-in", "8h", "--max-cost", "3");
    const { stdout } = await run("list");
    expect(stdout).toContain("SPENT AT MOST");
    expect(stdout).toMatch(new RegExp(`${key.id} .* x +sim, \\$3\\.00`));
    expect(stdout).not.toContain("sp_key_");
    expect(await run("delete", key.id)).toMatchObject({ code: 0, stdout: `${key.id} is gone\n` });
    expect(await run("delete", key.id)).toMatchObject({ code: 2 });
  });

  it.each([
    [["create", "--max-cost", "much"], "It must be an amount in dollars"],
    [["create", "--expires-in", "soon"], "It must be a time such as"],
    [["create", "--provider", "nobody"], "nobody"],
  ])("%j is refused", async (words, message) => {
    const { code, stdout, stderr } = await run(...words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });
});
