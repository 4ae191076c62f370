import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { PricedModel } from "../../src/protocol/index.ts";
import { Place } from "./place.ts";

const FILE = ".sallyport/sallyport.yaml";

function settle(place: Place, yaml: string): string {
  mkdirSync(join(place.folder, ".sallyport"), { recursive: true, mode: 0o700 });
  place.write(FILE, yaml);
  return yaml;
}

const WORDS = [["price"], ["price", "list"], ["price", "show"], ["price", "set"], ["price", "remove"]];
test.each(WORDS.map((words) => [words.join(" "), words] as const))(
  "%s --help explains itself with an example",
  async (_name, words) => {
    await using place = new Place();
    const { code, stdout, stderr } = await place.run([...words, "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/Examples?:\n {2}\$ sallyport price /);
  },
);

describe("price set", () => {
  const sets: readonly [readonly string[], object][] = [
    [["--input", "3.00", "--output", "15"], { input: 3_000_000, output: 15_000_000 }],
    [["--input", "0.1", "--output", "0.000001"], { input: 100_000, output: 1 }],
    [["--input", "0", "--output", "0"], { input: 0, output: 0 }],
    [
      `--input 3 --output 15 --cache-read 0.3 --cache-write 3.75 --cache-write-1h 6 --web-search 0.01
        --batch-percent 50 --context-tokens 200000 --output-tokens 64000`.split(/\s+/),
      {
        input: 3_000_000,
        output: 15_000_000,
        cache_read: 300_000,
        cache_write: 3_750_000,
        cache_write_1h: 6_000_000,
        web_search: 10_000,
        batch_percent: 50,
        context_tokens: 200_000,
        output_tokens: 64_000,
      },
    ],
  ];
  test.each(sets)("%j", async (words, price) => {
    await using place = new Place();
    const { code, stdout } = await place.run(["price", "set", "*new*", ...words, "--json"]);
    expect([code, JSON.parse(stdout)]).toEqual([0, { glob: "*new*", price, file: join(place.folder, FILE) }]);
    expect(parse(place.read(FILE) ?? "")).toEqual({ prices: { "*new*": price } });
  });

  test.each([
    [["--input", "3"], "required option '--output <dollars>' not specified"],
    [["--input", "three", "--output", "1"], "It must be an amount in dollars"],
    [["--input", "-3", "--output", "1"], "error:"],
    [["--input", "0.0000001", "--output", "1"], "It must be an amount in dollars"],
    [["--input", "1", "--output", "1", "--batch-percent", "101"], "It must be a whole number from 0 to 100."],
  ])("%j is refused", async (words, message) => {
    await using place = new Place();
    const { code, stderr } = await place.run(["price", "set", "m", ...words]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(place.read(FILE)).toBeUndefined();
  });

  test("comments and order stay; the same glob is replaced; removed is gone", async () => {
    await using place = new Place();
    settle(
      place,
      "# ours\nprices:\n  # per million\n  a*: { input: 1, output: 2, cache_read: 3 } # the first\n\nhost: h # last\n",
    );
    await place.run(["price", "set", "a*", "--input", "1", "--output", "2"]);
    await place.run(["price", "set", "local/b", "--input", "3", "--output", "4"]);
    expect(place.read(FILE)).toBe(
      "# ours\nprices:\n  # per million\n  a*: { input: 1000000, output: 2000000 } # the first\n  local/b:\n    input: 3000000\n    output: 4000000\n\nhost: h # last\n",
    );
    expect(await place.run(["price", "remove", "a*"])).toEqual({
      code: 0,
      stdout: "the price for a* is gone\n",
      stderr: "",
    });
    expect(parse(place.read(FILE) ?? "")).toEqual({
      prices: { "local/b": { input: 3_000_000, output: 4_000_000 } },
      host: "h",
    });
    const again = await place.run(["price", "remove", "a*"]);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("has no price for a*")]);
  });
});

describe("price list and show", () => {
  test("what ships and what was set", async () => {
    await using place = new Place();
    settle(place, "prices: {'local/qwen*': {input: 100000, output: 75000}}\n");
    const all = JSON.parse((await place.run(["price", "list", "--json"])).stdout) as { prices: PricedModel[] };
    expect(all.prices[0]).toEqual({
      provider: "*",
      model: "local/qwen*",
      price: { input: 100_000, output: 75_000 },
      from: "settings",
    });
    expect(new Set(all.prices.map(({ provider }) => provider))).toEqual(
      new Set(["*", "cloud", "openai", "xai", "openrouter"]),
    );
    const { stdout } = await place.run(["price", "list", "LOCAL/QWEN"]);
    expect(stdout).toMatch(
      /^MODEL +INPUT +OUTPUT +CACHE READ +CACHE WRITE +FROM\nlocal\/qwen\* +\$0\.10 +\$0\.075000 +\$0\.10 +\$0\.10 +settings\n$/,
    );
    const globbed = JSON.parse((await place.run(["price", "list", "cloud/*sonnet-5", "--json"])).stdout) as typeof all;
    expect(globbed.prices.map(({ provider, model }) => `${provider}/${model}`)).toEqual(["cloud/claude-sonnet-5"]);
    expect((await place.run(["price", "list", "no(such[model"])).stdout).toContain("no such price");
  });

  test("one model, with who says so", async () => {
    await using place = new Place();
    settle(
      place,
      [
        "providers: {local: {base_url: 'http://h', wire: openai}}",
        "prices:",
        "  local/qwen*: {input: 100000, output: 400000, tiers: [{above: 1000, input: 200000, output: 800000}], web_search: 5000}",
        "",
      ].join("\n"),
    );
    expect((await place.run(["price", "show", "local/qwen3"])).stdout).toBe(
      [
        "local/qwen3: set in sallyport.yaml",
        "  input          $0.10 per million tokens",
        "  output         $0.40",
        "  cache read     $0.10",
        "  cache write    $0.10, for an hour $0.10",
        "above 1,000 tokens of input",
        "  input          $0.20 per million tokens",
        "  output         $0.80",
        "  cache read     $0.20",
        "  cache write    $0.20, for an hour $0.20",
        "  one search     $0.005000",
        "",
      ].join("\n"),
    );
    expect((await place.run(["price", "show", "local/other"])).stdout).toContain("local/other: the provider is free");
    const shipped = await place.run(["price", "show", "openrouter/anthropic/claude-sonnet-5", "--json"]);
    expect(JSON.parse(shipped.stdout)).toMatchObject({
      provider: "openrouter",
      model: "anthropic/claude-sonnet-5",
      from: "shipped",
    });
  });

  test.each([
    ["cloud/claude-next-99", "cloud/claude-next-99 has no price, so it is refused; set one with"],
    ["nobody/m", "there is no provider nobody; there are: cloud, sim"],
    ["claude-sonnet-5", "write it as provider/model"],
    ["cloud/", "write it as provider/model"],
  ])("%s is refused", async (name, message) => {
    await using place = new Place();
    const { code, stderr } = await place.run(["price", "show", name]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
