import { describe, expect, it } from "vitest";
import { openPriceBook } from "../../src/ledger/index.ts";
import { Price } from "../../src/protocol/index.ts";

const NOW = Date.UTC(2026, 10, 15);
const book = (overrides: Readonly<Record<string, Price>> = {}) =>
  openPriceBook(
    () => overrides,
    () => NOW,
  );
const at = (id: string, free = false) => ({ id, free });
const shipped = (id: string, model: string) => book().priceOf(at(id), model)?.price;

describe("shipped prices", () => {
  it("are whole micro-USD per million tokens, with cache, tiers, searches and sizes", () => {
    expect([
      book().priceOf(at("cloud"), "claude-haiku-4-5-20251001"),
      shipped("cloud", "claude-sonnet-4-5-20250929"),
      shipped("openai", "gpt-5.4"),
      shipped("xai", "grok-4.5"),
    ]).toEqual([
      {
        provider: "cloud",
        model: "claude-haiku-4-5-20251001",
        from: "shipped",
        price: {
          input: 1_000_000,
          output: 5_000_000,
          cache_read: 100_000,
          cache_write: 1_250_000,
          cache_write_1h: 2_000_000,
          batch_percent: 50,
          web_search: 10_000,
          context_tokens: 200_000,
          output_tokens: 64_000,
          image_tokens: 5_000,
        },
      },
      {
        input: 3_000_000,
        output: 15_000_000,
        cache_read: 300_000,
        cache_write: 3_750_000,
        cache_write_1h: 6_000_000,
        tiers: [
          {
            above: 200_000,
            input: 6_000_000,
            output: 22_500_000,
            cache_read: 600_000,
            cache_write: 7_500_000,
            cache_write_1h: 12_000_000,
          },
        ],
        batch_percent: 50,
        web_search: 10_000,
        context_tokens: 1_000_000,
        output_tokens: 64_000,
        image_tokens: 5_000,
      },
      {
        input: 2_500_000,
        output: 15_000_000,
        cache_read: 250_000,
        tiers: [{ above: 271_999, input: 5_000_000, output: 22_500_000, cache_read: 500_000 }],
        batch_percent: 50,
        web_search: 10_000,
        context_tokens: 1_050_000,
        output_tokens: 128_000,
      },
      {
        input: 2_000_000,
        output: 6_000_000,
        cache_read: 300_000,
        tiers: [{ above: 199_999, input: 4_000_000, output: 12_000_000, cache_read: 600_000 }],
        context_tokens: 500_000,
      },
    ]);
  });

  it("know what Anthropic charges for its cache where the table has no figure, also behind OpenRouter", () => {
    expect(shipped("openrouter", "anthropic/claude-3-haiku")).toEqual({
      input: 250_000,
      output: 1_250_000,
      cache_write: 312_500,
      cache_write_1h: 500_000,
      context_tokens: 200_000,
      output_tokens: 8_192,
      image_tokens: 5_000,
    });
  });

  it("are those of the day", () => {
    const prices = ["2025-06-09", "2025-06-10"].map((day) =>
      openPriceBook(
        () => ({}),
        () => Date.parse(day),
      ).priceOf(at("openai"), "o3"),
    );
    expect(prices.map((priced) => priced?.price.input)).toEqual([10_000_000, 2_000_000]);
    const day = { now: Date.parse("2025-06-09") };
    const lasting = openPriceBook(
      () => ({}),
      () => day.now,
    );
    const before = lasting.priceOf(at("openai"), "o3")?.price.input;
    day.now = Date.parse("2025-06-11");
    expect([before, lasting.priceOf(at("openai"), "o3")?.price.input]).toEqual([10_000_000, 2_000_000]);
  });

  it("are the dearest of the day where they change by the hour", () => {
    expect(shipped("deepseek", "deepseek-chat")).toMatchObject({
      input: 270_000,
      output: 1_100_000,
      cache_read: 70_000,
    });
  });

  it("are all in order", () => {
    const all = book().list();
    const wrong = all.filter(({ price }) => !Price.safeParse(price).success);
    const cheapCache = all.filter(({ model, price: { input, cache_write = 0 } }) => {
      return model.includes("claude") && cache_write < input;
    });
    expect({ wrong, cheapCache, providers: [...new Set(all.map(({ provider }) => provider))] }).toEqual({
      wrong: [],
      cheapCache: [],
      providers: ["cloud", "openai", "xai", "openrouter"],
    });
    expect(all.length).toBeGreaterThan(500);
  });

  it("are found under the very name that they are listed by", () => {
    const prices = book();
    const lost = prices.list().filter(({ provider, model, price }) => {
      return JSON.stringify(prices.priceOf(at(provider), model)?.price) !== JSON.stringify(price);
    });
    expect(lost).toEqual([]);
  });
});

const SAME: readonly (readonly [provider: string, name: string, model: string])[] = [
  ["cloud", "claude-sonnet-4-20250514", "claude-sonnet-4-0"],
  ["cloud", "claude-sonnet-5-20260301", "claude-sonnet-5"],
  ["cloud", "claude-opus-4-1-20250805", "claude-opus-4-1"],
  ["cloud", "claude-3-5-haiku-20241022", "claude-3-5-haiku-latest"],
  ["cloud", "claude-opus-5-5-20261001", "claude-opus-5-5"],
  ["openai", "gpt-5-nano-2025-08-07", "gpt-5-nano"],
  ["openai", "gpt-5.6-terra-2026-07-01", "gpt-5.6-terra"],
  ["openai", "gpt-5-codex", "gpt-5"],
  ["openrouter", "anthropic/claude-4.5-sonnet-20250929", "anthropic/claude-sonnet-4.5"],
  ["proxy-of-mine", "claude-opus-5", "claude-opus-5"],
];

const UNKNOWN: readonly (readonly [provider: string, name: string])[] = [
  ["cloud", "claude-sonnet-99"],
  // The table's own rules take these for an older, cheaper model.
  ["cloud", "claude-sonnet-5-5"],
  ["cloud", "claude-sonnet-5-5-20270101"],
  ["cloud", "claude-opus-4-1-mega"],
  ["cloud", "claude-haiku-4-5-fast"],
  ["openai", "gpt-5-nano-ultra"],
  ["openai", "gpt-5.5-ultra"],
  ["openai", "gpt-5.5-2027-01-01"],
  ["openai", "ft:gpt-4o-2024-08-06:acme::abc"],
  ["openai", ""],
  ["openai", "gpt-5".padEnd(100_000, "0")],
  ["xai", "grok-9"],
  // Another provider's model.
  ["openai", "claude-sonnet-5"],
  ["cloud", "gpt-5"],
  ["openrouter", "claude-sonnet-5"],
  ["openrouter", "anthropic/claude-sonnet-5:online"],
  // Not sold by the tokens that are counted here.
  ["openai", "gpt-4o-audio-preview"],
  ["openai", "gpt-realtime"],
  ["openai", "gpt-image-1"],
  ["openai", "gpt-4o-mini-search-preview"],
  ["openai", "text-embedding-3-small"],
  ["openai", "whisper-1"],
  ["openrouter", "gemini-2.5-pro-exp-03-25"],
  // Everybody sells it at another price.
  ["proxy-of-mine", "gpt-oss-120b"],
  ["proxy-of-mine", "llama-4"],
];

describe("names of models", () => {
  it("may carry the date of a release, or be an alias", () => {
    for (const [provider, name, model] of SAME) {
      const [price, expected] = [shipped(provider, name), shipped(provider, model)];
      expect({ name, price }).toEqual({ name, price: expected });
      expect({ name, known: price !== undefined }).toEqual({ name, known: true });
    }
  });

  it("that only look like a known one have no price", () => {
    const found = UNKNOWN.filter(([provider, name]) => shipped(provider, name) !== undefined);
    expect(found).toEqual([]);
  });

  it("with a price of their own keep it, although another name begins like them", () => {
    expect([shipped("openai", "gpt-4o")?.input, shipped("openai", "gpt-4o-2024-05-13")?.input]).toEqual([
      2_500_000, 5_000_000,
    ]);
  });
});

const RATES = { input: 1, output: 2 };

describe("prices of the settings", () => {
  const overrides: Record<string, Price> = {
    "*": { ...RATES, input: 10 },
    "claude-*": { ...RATES, input: 11 },
    "claude-*-5*": { ...RATES, input: 12, context_tokens: 7 },
    "cloud/claude-*": { ...RATES, input: 13 },
    "openrouter/*/claude-*": { ...RATES, input: 14 },
    "meta/llama*": { ...RATES, input: 15 },
    "gpt-5": { ...RATES, input: 16, output_tokens: 9 },
    "a*b*c": { ...RATES, input: 17 },
  };

  it("are those of the glob that says most", () => {
    const cases: readonly (readonly [provider: string, model: string, input: number])[] = [
      ["local", "anything", 10],
      ["local", "claude-3", 11],
      ["local", "claude-opus-5-5", 12],
      ["cloud", "claude-opus-5-5", 13],
      ["cloud", "not-claude-5", 10],
      ["openrouter", "anthropic/claude-x", 14],
      ["openrouter", "meta/llama-4", 15],
      ["local", "meta/llama-4", 15],
      ["local", "other/meta/llama-4", 10],
      ["openai", "gpt-5", 16],
      ["openai", "gpt-5.1", 10],
      ["local", "abc", 17],
      ["local", "a.b.b.c", 17],
      ["local", "ab", 10],
      ["local", "ac", 10],
      ["local", "abcd", 10],
    ];
    const found = cases.map(([id, model]) => [id, model, book(overrides).priceOf(at(id), model)?.price.input]);
    expect(found).toEqual(cases);
  });

  it("win over a free provider and keep the sizes that they do not say", () => {
    const prices = book({ "gpt-5": { ...RATES, output_tokens: 9 }, sim: RATES });
    expect([
      prices.priceOf(at("openai"), "gpt-5"),
      prices.priceOf(at("sim", true), "sim"),
      prices.priceOf(at("local", true), "claude-sonnet-5"),
    ]).toEqual([
      {
        provider: "openai",
        model: "gpt-5",
        price: { ...RATES, context_tokens: 400_000, output_tokens: 9 },
        from: "settings",
      },
      { provider: "sim", model: "sim", price: RATES, from: "settings" },
      { provider: "local", model: "claude-sonnet-5", price: { input: 0, output: 0 }, from: "free" },
    ]);
  });

  it("are the newest at each call, and listed first", () => {
    const settings: { prices: Record<string, Price> } = { prices: {} };
    const prices = openPriceBook(() => settings.prices);
    const before = prices.priceOf(at("local"), "mine");
    settings.prices = { "mine*": RATES };
    expect([before, prices.priceOf(at("local"), "mine")?.from, prices.list()[0]]).toEqual([
      undefined,
      "settings",
      { provider: "*", model: "mine*", price: RATES, from: "settings" },
    ]);
  });

  it("take a glob of many stars without long thought", () => {
    const glob = "a*".repeat(100);
    const prices = book({ [`${glob}b`]: RATES });
    const started = performance.now();
    expect(prices.priceOf(at("local"), "a".repeat(10_000))).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
