import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TokenCreated, TokenList } from "../../src/protocol/index.ts";
import { Place } from "./place.ts";

const place = new Place();
beforeAll(async () => {
  mkdirSync(join(place.folder, "inner"));
  await place.serve();
});
afterAll(() => place[Symbol.asyncDispose]());

const create = (...words: readonly string[]) => place.run(["token", "create", ...words]);

async function made(...words: readonly string[]): Promise<TokenCreated> {
  const { code, stdout, stderr } = await create("--role", "agent", "--name", "x", "--json", ...words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as TokenCreated;
}

async function listed(...words: readonly string[]): Promise<TokenList> {
  return JSON.parse((await place.run(["token", "list", "--json", ...words])).stdout) as TokenList;
}

describe("sallyport token create", () => {
  it("prints the token alone on standard output, and its id beside it", async () => {
    const { code, stdout, stderr } = await create("--role", "operator", "--name", "anna");
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^sp_[\w-]{43}\n$/) });
    expect(stderr).toMatch(/^tok_\w+: keep it, it is not shown again\n$/);
  });

  it.each<[string, readonly string[], object]>([
    ["no limit", [], {}],
    ["--profile", ["--profile", "readonly"], { profile: "readonly" }],
    ["--max-autonomy", ["--max-autonomy", "restricted"], { max_autonomy: "restricted" }],
    ["--tools, twice", ["--tools", "Read", "--tools", "mcp__shop__*"], { tools: ["Read", "mcp__shop__*"] }],
    [
      "--origin, twice",
      ["--origin", "https://a.example", "--origin", "http://localhost:8080"],
      { origins: ["https://a.example", "http://localhost:8080"] },
    ],
    ["--root, relative to where it is called", ["--root", "inner"], { workspace_roots: [join(place.folder, "inner")] }],
    ["--system-prompt", ["--system-prompt", "Be brief."], { system_prompt: "Be brief." }],
    ["--max-cost", ["--max-cost", "0.000001"], { max_cost_microusd: 1 }],
    ["no money: only what is free", ["--max-cost", "0"], { max_cost_microusd: 0 }],
    ["--max-cost-per-day", ["--max-cost-per-day", "2.5"], { max_cost_microusd_per_day: 2_500_000 }],
    ["--max-cost-per-session", ["--max-cost-per-session", "3"], { max_cost_microusd_per_session: 3_000_000 }],
    ["--max-concurrent", ["--max-concurrent", "100000"], { max_concurrent: 100_000 }],
    ["--requests-per-minute", ["--requests-per-minute", "1"], { requests_per_minute: 1 }],
    ["--model-requests-per-minute", ["--model-requests-per-minute", "7"], { model_rate: { requests_per_minute: 7 } }],
    [
      "both rates of models",
      ["--model-requests-per-minute", "7", "--model-tokens-per-minute", "9000"],
      { model_rate: { requests_per_minute: 7, tokens_per_minute: 9_000 } },
    ],
  ])("%s", async (_what, words, bounds) => {
    const token = await made(...words);
    expect(token).toMatchObject({ role: "agent", name: "x" });
    expect(token.bounds).toEqual(bounds);
    expect((await listed()).tokens.find(({ id }) => id === token.id)?.bounds).toEqual(bounds);
  });

  it.each([
    ["90s", 90],
    ["15m", 900],
    ["8h", 28_800],
    ["30d", 2_592_000],
    ["3650d", 315_360_000],
  ])("--expires-in %s", async (text, seconds) => {
    const { created_at, expires_at = "" } = await made("--expires-in", text);
    expect(Math.abs(Date.parse(expires_at) - Date.parse(created_at) - seconds * 1_000)).toBeLessThan(1_000);
  });

  it("--subject: the same visitor again", async () => {
    const visitor = async () => {
      const { stdout } = await create("--role", "visitor", "--name", "v", "--subject", "ann", "--json");
      return JSON.parse(stdout) as TokenCreated;
    };
    const [one, two] = [await visitor(), await visitor()];
    expect([one.id === two.id, one.principal_id === two.principal_id]).toEqual([false, true]);
    expect((await listed("--role", "visitor")).tokens.map(({ id }) => id).toSorted()).toEqual(
      [one.id, two.id].toSorted(),
    );
  });

  it.each<[string, readonly string[], string]>([
    ["a role that there is not", ["--role", "root"], "--role"],
    ["an empty name", ["--name", ""], "name"],
    ["a name that is too long", ["--name", "n".repeat(201)], "name"],
    ["a time without a unit", ["--expires-in", "90"], "It must be a time such as 90s, 15m, 8h or 30d"],
    ["no time", ["--expires-in", "0s"], "It must be a time"],
    ["a time before now", ["--expires-in", "-5m"], "It must be a time"],
    ["a part of a minute", ["--expires-in", "1.5m"], "It must be a time"],
    ["more than ten years", ["--expires-in", "3651d"], "up to ten years"],
    ["a visitor for two days", ["--role", "visitor", "--expires-in", "2d"], "a visitor's token lives 86400 s at most"],
    ["a profile that there is not", ["--profile", "nope"], "nope"],
    ["an empty profile", ["--profile", ""], "profile"],
    ["an autonomy that there is not", ["--max-autonomy", "total"], "read_only, restricted, supervised, full"],
    ["a tool with a pattern", ["--tools", "Bash(ls)"], "tools"],
    ["an empty tool", ["--tools", ""], "tools"],
    ["an origin with a path", ["--origin", "https://a.example/"], "an origin as browsers send it"],
    ["an origin without a scheme", ["--origin", "a.example"], "an origin as browsers send it"],
    ["any origin", ["--origin", "*"], "an origin as browsers send it"],
    ["no origin", ["--origin", "null"], "an origin as browsers send it"],
    ["a file's origin", ["--origin", "file:///"], "an origin as browsers send it"],
    ["a folder that there is not", ["--root", "nowhere"], "there is no folder"],
    ["less than no money", ["--max-cost", "-1"], "--max-cost"],
    ["less than a micro-USD", ["--max-cost-per-day", "0.0000001"], "--max-cost-per-day"],
    ["money in words", ["--max-cost-per-session", "lots"], "--max-cost-per-session"],
    ["money without an end", ["--max-cost", "1e400"], "--max-cost"],
    ["no sessions", ["--max-concurrent", "0"], "--max-concurrent"],
    ["too many sessions", ["--max-concurrent", "100001"], "--max-concurrent"],
    ["half a session", ["--max-concurrent", "1.5"], "--max-concurrent"],
    ["no requests", ["--requests-per-minute", "0"], "--requests-per-minute"],
    ["no model requests", ["--model-requests-per-minute", "0"], "--model-requests-per-minute"],
    ["tokens in words", ["--model-tokens-per-minute", "many"], "--model-tokens-per-minute"],
    ["a subject that is no visitor", ["--subject", "ann"], "only a visitor's token has one"],
    ["an admin with a limit", ["--role", "admin", "--max-cost", "5"], "an admin writes the policy"],
    ["an option that there is not", ["--max-turns", "5"], "--max-turns"],
    ["a word too many", ["extra"], "too many arguments"],
  ])("%s is refused, and no token is made", async (_what, words, why) => {
    const before = [await listed(), await listed("--role", "visitor")];
    const given = new Set(words);
    const { code, stdout, stderr } = await create(
      ...(given.has("--role") ? [] : ["--role", "agent"]),
      ...(given.has("--name") ? [] : ["--name", "x"]),
      ...words,
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(why);
    expect([await listed(), await listed("--role", "visitor")]).toEqual(before);
  });

  it.each([
    ["a role", ["--name", "x"], "--role"],
    ["a name", ["--role", "agent"], "--name"],
  ] as const)("%s must be given", async (_what, words, missing) => {
    expect(await create(...words)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining(missing) as unknown,
    });
  });
});

describe("sallyport token list and delete", () => {
  it("say what a token is limited to, and make it useless", async () => {
    const limits = "--origin https://shop.example --tools mcp__shop__* --max-cost 200 --requests-per-minute 60";
    const { stdout } = await create("--role", "issuer", "--name", "shop", "--json", ...limits.split(" "));
    const { id, token } = JSON.parse(stdout) as TokenCreated;
    const lines = (await place.run(["token", "list", "--role", "issuer"], { COLUMNS: "300" })).stdout.split("\n");
    const row = lines.find((line) => line.startsWith(id)) ?? "";
    for (const words of ["issuer", "shop", "https://shop.example", "mcp__shop__*", "$200", "60 requests/min"])
      expect(row).toContain(words);
    expect(stdout.includes(token)).toBe(true);
    expect(lines.join("\n")).not.toContain(token);
    expect(await place.run(["token", "delete", id])).toMatchObject({ code: 0, stdout: `${id} is gone\n` });
    const again = await place.run(["token", "delete", id]);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining(`there is no token ${id}`) as unknown });
  });

  it("refuse a role that there is not", async () => {
    expect(await place.run(["token", "list", "--role", "root"])).toMatchObject({ code: 2, stdout: "" });
  });
});
