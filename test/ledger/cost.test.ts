import { array, assert, constantFrom, integer, nat, option, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { costOf, type RequestFacts, worstCase } from "../../src/ledger/index.ts";
import { Failure, LIMITS, NO_TOKENS, type Price, type TokenCount } from "../../src/protocol/index.ts";

const SONNET: Price = {
  input: 3_000_000,
  output: 15_000_000,
  cache_read: 300_000,
  cache_write: 3_750_000,
  cache_write_1h: 6_000_000,
  tiers: [
    { above: 400_000, input: 9_000_000, output: 30_000_000 },
    { above: 200_000, input: 6_000_000, output: 22_500_000, cache_read: 600_000, cache_write: 7_500_000 },
  ],
  batch_percent: 50,
  web_search: 10_000,
  context_tokens: 1_000_000,
  output_tokens: 64_000,
};
const PLAIN: Price = { input: 1_000_000, output: 2_000_000 };
const tokens = (count: Partial<TokenCount>): TokenCount => ({ ...NO_TOKENS, ...count });

interface Case {
  readonly price: Price;
  readonly tokens: Partial<TokenCount>;
  readonly options?: Parameters<typeof costOf>[2];
  readonly cost: number;
}

const COSTS: readonly Case[] = [
  { price: SONNET, tokens: {}, cost: 0 },
  { price: SONNET, tokens: { input: 1_000_000 / 5, output: 100 }, cost: 600_000 + 1_500 },
  { price: SONNET, tokens: { input: 1, cache_read: 1 }, cost: 4 },
  {
    price: SONNET,
    tokens: { input: 10, cache_read: 100, cache_write: 100, cache_write_1h: 100 },
    cost: 30 + 30 + 375 + 600,
  },
  // Reasoning is part of the output.
  { price: SONNET, tokens: { output: 10, reasoning: 10 }, cost: 150 },
  // The whole request at the tier of its whole input, cache included.
  { price: SONNET, tokens: { input: 1, cache_read: 200_000, output: 2 }, cost: 6 + 120_000 + 45 },
  { price: SONNET, tokens: { input: 0, cache_read: 200_000, output: 2 }, cost: 60_000 + 30 },
  { price: SONNET, tokens: { cache_write_1h: 200_001 }, cost: 1_500_008 },
  // What a tier does not say is its own input.
  { price: SONNET, tokens: { cache_read: 400_001 }, cost: 3_600_009 },
  { price: SONNET, tokens: { web_searches: 3, output: 1 }, cost: 30_015 },
  { price: SONNET, tokens: { output: 3, web_searches: 1 }, options: { batch: true }, cost: 10_023 },
  { price: SONNET, tokens: { output: 3, web_searches: 1 }, options: { placePercent: 110 }, cost: 10_050 },
  { price: SONNET, tokens: { output: 3 }, options: { placePercent: 110, batch: true }, cost: 25 },
  { price: PLAIN, tokens: { input: 1, cache_read: 1, cache_write: 1, cache_write_1h: 1, web_searches: 9 }, cost: 4 },
  { price: PLAIN, tokens: { input: 5 }, options: { batch: true }, cost: 5 },
  // Exact where doubles are not: 0.1 + 0.2 of a micro-dollar is no more than 0.3.
  { price: { input: 100_000, output: 200_000 }, tokens: { input: 1, output: 1 }, cost: 1 },
  { price: { input: 100_000, output: 700_000 }, tokens: { input: 3, output: 1 }, cost: 1 },
  { price: { input: 33_333_333, output: 1 }, tokens: { input: 270_000_000 }, cost: 8_999_999_910 },
  { price: { input: Number.MAX_SAFE_INTEGER, output: 0 }, tokens: { input: 1_000_000 }, cost: Number.MAX_SAFE_INTEGER },
  { price: { input: Number.MAX_SAFE_INTEGER, output: 0 }, tokens: { input: 9e15 }, cost: Number.MAX_SAFE_INTEGER },
];

describe("the cost of a request", () => {
  it.each(COSTS)("%#: $tokens cost $cost", ({ price, tokens: count, options, cost }) => {
    expect(costOf(price, tokens(count), options)).toBe(cost);
  });
});

const FACTS: RequestFacts = {
  bytes: 1_000,
  answers: 1,
  cacheWrite: "none",
  images: 0,
  opaque: 0,
  compactions: 0,
  serverTools: [],
  placePercent: 100,
};
const facts = (more: Partial<RequestFacts>): RequestFacts => ({ ...FACTS, ...more });
const { preambleTokens, imageTokens, serverToolUses } = LIMITS;

describe("the worst case of a request", () => {
  const cases: readonly { readonly price: Price; readonly facts: Partial<RequestFacts>; readonly bound: unknown }[] = [
    {
      price: PLAIN,
      facts: { maxOutput: 10 },
      bound: { input: 1_000 + preambleTokens, output: 10, amount: 1_000 + preambleTokens + 20 },
    },
    {
      price: { ...PLAIN, context_tokens: 3_000, output_tokens: 500 },
      facts: { answers: 3 },
      bound: { input: 3_000, output: 1_500, amount: 6_000 },
    },
    // No more than the window, whatever is asked for.
    {
      price: { ...PLAIN, context_tokens: 3_000 },
      facts: { maxOutput: 1e9 },
      bound: { input: 3_000, output: 3_000, amount: 9_000 },
    },
    // What was counted, and a margin.
    {
      price: PLAIN,
      facts: { bytes: 9_000, counted: 1_000, maxOutput: 0 },
      bound: { input: 2_074, output: 0, amount: 2_074 },
    },
    // No more than the bytes could be.
    {
      price: PLAIN,
      facts: { bytes: 0, counted: 90_000, maxOutput: 0 },
      bound: { input: 4_096, output: 0, amount: 4_096 },
    },
    {
      price: PLAIN,
      facts: { bytes: 0, counted: 90_000, opaque: 1, maxOutput: 0 },
      bound: { input: 95_524, output: 0, amount: 95_524 },
    },
    {
      price: PLAIN,
      facts: { bytes: 0, images: 2, maxOutput: 0 },
      bound: { input: preambleTokens + 2 * imageTokens, output: 0, amount: preambleTokens + 2 * imageTokens },
    },
    {
      price: { ...PLAIN, image_tokens: 100 },
      facts: { bytes: 0, images: 2, maxOutput: 0 },
      bound: { input: preambleTokens + 200, output: 0, amount: preambleTokens + 200 },
    },
    {
      price: { ...PLAIN, context_tokens: 8_000 },
      facts: { bytes: 0, opaque: 1, maxOutput: 0 },
      bound: { input: 8_000, output: 0, amount: 8_000 },
    },
    // The dearest kind of input: a cache may be written without being asked.
    {
      price: { ...PLAIN, context_tokens: 4, cache_write: 2_000_000, cache_write_1h: 3_000_000 },
      facts: { maxOutput: 0 },
      bound: { input: 4, output: 0, amount: 8 },
    },
    {
      price: { ...PLAIN, context_tokens: 4, cache_write: 2_000_000, cache_write_1h: 3_000_000 },
      facts: { maxOutput: 0, cacheWrite: "1h" },
      bound: { input: 4, output: 0, amount: 12 },
    },
    // The dearest tier that can be reached, and not the next one.
    {
      price: SONNET,
      facts: { bytes: 200_000 - preambleTokens, maxOutput: 1_000 },
      bound: { input: 200_000, output: 1_000, amount: 750_000 + 15_000 },
    },
    {
      price: SONNET,
      facts: { bytes: 200_001 - preambleTokens, maxOutput: 1_000, cacheWrite: "5m" },
      bound: { input: 200_001, output: 1_000, amount: 1_500_008 + 22_500 },
    },
    {
      price: SONNET,
      facts: { bytes: 9_000_000, maxOutput: 1_000, placePercent: 110 },
      bound: { input: 1_000_000, output: 1_000, amount: 9_933_000 },
    },
    // Each use of a tool is another round, with up to a whole window and another answer.
    {
      price: { ...PLAIN, context_tokens: 10_000, web_search: 7 },
      facts: {
        bytes: 0,
        maxOutput: 10,
        serverTools: [
          { type: "web_search_20250305", maxUses: 2 },
          { type: "web_fetch_20250910", maxUses: 1 },
        ],
      },
      bound: { input: preambleTokens + 30_000, output: 40, amount: preambleTokens + 30_000 + 80 + 14 },
    },
    {
      price: { ...PLAIN, context_tokens: 10_000, web_search: 7 },
      facts: { bytes: 0, maxOutput: 0, serverTools: [{ type: "web_search" }] },
      bound: {
        input: preambleTokens + 10_000 * serverToolUses,
        output: 0,
        amount: preambleTokens + 10_007 * serverToolUses,
      },
    },
    // What costs nothing is refused nothing.
    {
      price: { input: 0, output: 0 },
      facts: { opaque: 1, tier: "priority", serverTools: [{ type: "code_execution" }] },
      bound: { input: 1_000 + preambleTokens, output: 0, amount: 0 },
    },
    { price: { input: 1_000_000, output: 0 }, facts: { bytes: 0 }, bound: { input: 4_096, output: 0, amount: 4_096 } },
  ];

  it.each(cases)("%#: $facts", ({ price, facts: more, bound }) => {
    expect(worstCase(price, facts(more))).toEqual(bound);
  });

  const refused: readonly { readonly price: Price; readonly facts: Partial<RequestFacts>; readonly failure: object }[] =
    [
      {
        price: PLAIN,
        facts: {},
        failure: { code: "invalid_request", message: expect.stringContaining("Set max_tokens") },
      },
      {
        price: PLAIN,
        facts: { maxOutput: 1, opaque: 1 },
        failure: { code: "model_unpriced", message: expect.stringContaining("context_tokens") },
      },
      {
        price: SONNET,
        facts: { tier: "priority" },
        failure: { code: "model_unpriced", message: expect.stringContaining('"priority"') },
      },
      ...["code_execution_20250825", "web_search_preview", "web_searching", "file_search", ""].map((type) => ({
        price: SONNET,
        facts: { serverTools: [{ type, maxUses: 0 }] },
        failure: { code: "model_unpriced", message: expect.stringContaining(`"${type}"`) as unknown },
      })),
      {
        price: { ...PLAIN, context_tokens: 1_000 },
        facts: { maxOutput: 1, serverTools: [{ type: "web_search" }] },
        failure: { code: "model_unpriced", message: expect.stringContaining("web search has no price") },
      },
      {
        price: PLAIN,
        facts: { maxOutput: 1, serverTools: [{ type: "web_fetch" }] },
        failure: { code: "model_unpriced", message: expect.stringContaining("no bound") },
      },
      {
        price: { ...PLAIN, input: 0, output: 0, web_search: 1 },
        facts: { tier: "fast" },
        failure: { code: "model_unpriced" },
      },
    ];

  it.each(refused)("%#: refuses $facts", ({ price, facts: more, failure }) => {
    const answer = worstCase(price, facts(more));
    expect(answer).toBeInstanceOf(Failure);
    expect(answer).toMatchObject(failure);
  });
});

const rate = integer({ min: 0, max: 200_000_000 });
const rates = {
  input: rate,
  output: rate,
  cache_read: option(rate, { nil: undefined }),
  cache_write: option(rate, { nil: undefined }),
  cache_write_1h: option(rate, { nil: undefined }),
};
const anyPrice = record({
  ...rates,
  tiers: option(array(record({ above: integer({ min: 1, max: 300_000 }), ...rates }), { maxLength: 3 }), {
    nil: undefined,
  }),
  batch_percent: option(integer({ min: 0, max: 100 }), { nil: undefined }),
  web_search: option(integer({ min: 0, max: 100_000 }), { nil: undefined }),
  context_tokens: option(integer({ min: 1, max: 300_000 }), { nil: undefined }),
  output_tokens: option(integer({ min: 1, max: 100_000 }), { nil: undefined }),
  image_tokens: option(integer({ min: 1, max: 100_000 }), { nil: undefined }),
});
const anyFacts = record({
  bytes: nat(400_000),
  counted: option(nat(400_000), { nil: undefined }),
  maxOutput: option(nat(100_000), { nil: undefined }),
  answers: integer({ min: 1, max: 4 }),
  cacheWrite: constantFrom("none" as const, "5m" as const, "1h" as const),
  images: nat(3),
  opaque: nat(1),
  compactions: nat(2),
  serverTools: array(record({ type: constantFrom("web_search_20250305", "web_fetch"), maxUses: nat(3) }), {
    maxLength: 2,
  }),
  placePercent: constantFrom(90, 100, 110),
});
const share = integer({ min: 0, max: 1_000 });

describe("the worst case", () => {
  it("is never passed by any usage within its bounds", () => {
    let bounds = 0;
    assert(
      property(anyPrice, anyFacts, array(share, { minLength: 6, maxLength: 6 }), (given, asked, shares) => {
        const price = JSON.parse(JSON.stringify(given)) as Price;
        const bound = worstCase(price, asked);
        if (bound instanceof Failure) return;
        bounds += 1;
        const [whole = 0, read = 0, write = 0, long = 0, out = 0, search = 0] = shares;
        const part = (of: number, thousandths: number) => Math.floor((of * thousandths) / 1_000);
        // Mostly all of the input, split at random into the kinds that the request can lead to.
        const input = whole > 300 ? bound.input : part(bound.input, whole);
        const cache_read = part(input, read);
        const cache_write = part(input - cache_read, write);
        const cache_write_1h = asked.cacheWrite === "1h" ? part(input - cache_read - cache_write, long) : 0;
        const uses = asked.serverTools.filter(({ type }) => type !== "web_fetch").map(({ maxUses }) => maxUses);
        const used: TokenCount = {
          input: input - cache_read - cache_write - cache_write_1h,
          cache_read,
          cache_write,
          cache_write_1h,
          output: out > 300 ? bound.output : part(bound.output, out),
          reasoning: 0,
          web_searches: part(
            uses.reduce((sum, count) => sum + count, 0),
            search,
          ),
        };
        const { placePercent } = asked;
        expect(costOf(price, used, { placePercent })).toBeLessThanOrEqual(bound.amount);
        expect(costOf(price, used, { placePercent, batch: true })).toBeLessThanOrEqual(bound.amount);
      }),
      { seed: 20_261_115, numRuns: 3_000 },
    );
    expect(bounds).toBeGreaterThan(1_000);
  });

  it("is what the dearest usage costs, to the micro-dollar", () => {
    const price: Price = { ...PLAIN, cache_write_1h: 5_000_000, context_tokens: 1_000 };
    const bound = worstCase(price, facts({ maxOutput: 50, cacheWrite: "1h" }));
    expect(bound).toEqual({
      input: 1_000,
      output: 50,
      amount: costOf(price, tokens({ cache_write_1h: 1_000, output: 50 })),
    });
  });
});
