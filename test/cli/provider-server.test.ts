import { expect, test } from "vitest";
import type { PricedModel, ProviderReport, ProviderView } from "../../src/protocol/index.ts";
import { openUpstream } from "../proxy/providers-world.ts";
import { Place } from "./place.ts";

const CANARY = "gateway-CANARY-0123456789abcdef";

test("a server that runs is asked, and uses what was added without a restart", async () => {
  await using place = new Place();
  await using upstream = await openUpstream();
  await place.serve();
  const json = async <Answer>(words: readonly string[]): Promise<Answer> =>
    JSON.parse((await place.run([...words, "--json"])).stdout) as Answer;
  const list = async (): Promise<readonly ProviderView[]> =>
    (await json<{ providers: ProviderView[] }>(["provider", "list"])).providers;
  expect((await list()).map(({ id }) => id)).toEqual(["cloud", "sim", "openai", "xai", "openrouter"]);

  const words = ["--base-url", upstream.url, "--wire", "openai", "--credential-command", `echo ${CANARY}`];
  expect((await place.run(["provider", "add", "mine", ...words])).code).toBe(0);
  let mine: ProviderView | undefined;
  while (mine === undefined) mine = (await list()).find(({ id }) => id === "mine");
  expect(mine).toMatchObject({ credential: "found", credential_names: ["credential_command"], free: false });

  const test = await place.run(["provider", "test", "mine", "--json"]);
  expect((JSON.parse(test.stdout) as { providers: ProviderReport[] }).providers).toMatchObject([
    { id: "mine", status: "ok", models: ["one", "two"] },
  ]);
  expect(upstream.seen.at(-1)?.headers.authorization).toBe(`Bearer ${CANARY}`);

  const unpriced = await place.run(["price", "show", "mine/model"]);
  expect([unpriced.code, unpriced.stderr]).toEqual([2, expect.stringContaining("mine/model has no price")]);
  await place.run(["price", "set", "mine/*", "--input", "1", "--output", "2"]);
  let price: PricedModel | undefined;
  while (price === undefined) {
    const shown = await place.run(["price", "show", "mine/model", "--json"]);
    if (shown.code === 0) price = JSON.parse(shown.stdout) as PricedModel;
  }
  expect(price).toMatchObject({ price: { input: 1_000_000, output: 2_000_000 }, from: "settings" });
  const { prices } = await json<{ prices: PricedModel[] }>(["price", "list", "mine/*"]);
  expect(prices).toEqual([
    { provider: "*", model: "mine/*", price: { input: 1_000_000, output: 2_000_000 }, from: "settings" },
  ]);

  expect((await place.run(["provider", "remove", "mine"])).stdout).toBe("mine is gone\n");
  expect((await place.run(["provider", "test", "nobody"])).stderr).toContain("there is no provider nobody");
});
