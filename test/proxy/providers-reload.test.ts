import { mkdirSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readSettings, watchSettings } from "../../src/cli/settings/settings.ts";
import { Failure, LIMITS } from "../../src/protocol/index.ts";
import { openPriceBook } from "../../src/ledger/index.ts";
import { namesOf, World } from "./providers-world.ts";

const FILE = "sallyport.yaml";
const LOCAL = "providers:\n  local: {base_url: http://one, wire: openai}\n";

function watch(world: World) {
  const environment = { HOME: world.folder };
  return watchSettings({ home: world.folder, environment, now: () => world.now, log: world.log });
}

const ids = (book: ReturnType<World["open"]>): readonly string[] =>
  book
    .list()
    .map(({ id }) => id)
    .filter((id) => !["cloud", "sim", "openai", "xai", "openrouter"].includes(id));

describe("sallyport.yaml while the server runs", () => {
  test("a new file is seen after a moment, whole", () => {
    using world = new World();
    const book = world.open(watch(world).providers);
    expect(ids(book)).toEqual([]);
    world.write(FILE, LOCAL);
    expect(ids(book)).toEqual([]);
    world.now += LIMITS.settingsCheckMs;
    expect([ids(book), book.get("local").baseUrl]).toEqual([["local"], { openai: "http://one" }]);
    world.write(FILE, LOCAL.replace("one", "two"));
    world.now += LIMITS.settingsCheckMs;
    expect(book.get("local").baseUrl).toEqual({ openai: "http://two" });
  });

  test.each([
    ["no YAML", "providers: [", "is not valid YAML at line 1, column 13"],
    ["another shape", "providers: {local: {base_url: 1}}", "providers.local.base_url "],
    ["an unknown setting", "prot: 1", "prot is not a setting; did you mean port?"],
    ["a line with a key", `a: b\n  CANARY-0123: "sk-ant-CANARY\n`, "is not valid YAML at line 1"],
    ["too much", `model: ${"x".repeat(1_100_000)}\n`, "is longer than 1048576 bytes"],
  ])("%s keeps what was good, is told once and not repeated", (_what, text, words) => {
    using world = new World();
    world.write(FILE, LOCAL);
    const book = world.open(watch(world).providers);
    world.write(FILE, text);
    for (let look = 0; look < 3; look += 1) {
      world.now += LIMITS.settingsCheckMs;
      expect(ids(book)).toEqual(["local"]);
    }
    expect(world.warnings).toEqual([
      {
        fields: { path: world.path(FILE), problem: expect.stringContaining(words) },
        message: "the new settings are not valid; those from before still apply",
      },
    ]);
    expect(world.told).not.toContain("CANARY");
    world.write(FILE, "model: m\n");
    world.now += LIMITS.settingsCheckMs;
    expect(ids(book)).toEqual([]);
  });

  test("a file that is being replaced is not gone; one that stays away is", () => {
    using world = new World();
    world.write(FILE, LOCAL);
    const book = world.open(watch(world).providers);
    rmSync(world.path(FILE));
    world.now += LIMITS.settingsCheckMs;
    expect(ids(book)).toEqual(["local"]);
    world.write(FILE, LOCAL);
    world.now += LIMITS.settingsCheckMs;
    expect(ids(book)).toEqual(["local"]);
    rmSync(world.path(FILE));
    world.now += LIMITS.settingsCheckMs;
    expect(ids(book)).toEqual(["local"]);
    world.now += LIMITS.settingsCheckMs;
    expect(ids(book)).toEqual([]);
  });

  test("a file that cannot be read at the start is said, and nothing runs without it", () => {
    using world = new World();
    mkdirSync(world.path(FILE));
    expect(() => watch(world)).toThrow(Failure);
    expect(() => readSettings({ home: world.folder }, {}, "/")).toThrow("is not a regular file");
  });

  test("a provider that did not change keeps its rests; one that did begins anew", async () => {
    using world = new World();
    const settings = (other: string): string =>
      [
        "providers:",
        "  same: {base_url: http://h, wire: openai, credentials: [{credential_env: A}, {credential_env: B}]}",
        `  other: {base_url: ${other}, wire: openai, credentials: [{credential_env: A}, {credential_env: B}]}`,
        "",
      ].join("\n");
    world.write(FILE, settings("http://one"));
    const book = world.open(watch(world).providers, { A: "key-a-0123456789", B: "key-b-0123456789" });
    for (const id of ["same", "other"]) {
      const provider = book.get(id);
      const [first] = await provider.credentials();
      if (first !== undefined) provider.report(first, { status: 401 });
    }
    const before = book.get("same");
    world.write(FILE, settings("http://two"));
    world.now += LIMITS.settingsCheckMs;
    expect([await namesOf(book, "same"), await namesOf(book, "other"), book.get("same") === before]).toEqual([
      ["B", "A"],
      ["A", "B"],
      true,
    ]);
  });

  test("files of keys count from the settings file, ~ from the home of the user", async () => {
    using world = new World();
    mkdirSync(world.path("home"));
    world.write("home/key", "home-key-0123456789");
    world.write("user-key", "user-key-0123456789");
    const path = world.write(
      "home/sallyport.yaml",
      "providers:\n  a: {base_url: http://h, wire: openai, credentials: [{credential_file: key}, {credential_file: ~/user-key}]}\n",
    );
    expect(path).toBe(world.path("home/sallyport.yaml"));
    const newest = watchSettings({
      home: world.path("home"),
      environment: { HOME: world.folder },
      now: () => world.now,
      log: world.log,
    });
    expect(await namesOf(world.open(newest.providers), "a")).toEqual(["key", "user-key"]);
  });

  test("prices too", () => {
    using world = new World();
    const prices = openPriceBook(watch(world).prices, () => world.now);
    const local = { id: "local", free: true };
    expect(prices.priceOf(local, "qwen3-coder")).toMatchObject({ from: "free" });
    world.write(FILE, "prices:\n  local/qwen*: {input: 100000, output: 400000}\n");
    world.now += LIMITS.settingsCheckMs;
    expect(prices.priceOf(local, "qwen3-coder")).toMatchObject({
      price: { input: 100_000, output: 400_000 },
      from: "settings",
    });
  });
});
