import { describe, expect, test } from "vitest";
import { FailoverSettings, failoverFor, type Price } from "../../src/protocol/index.ts";
import { chooseRoute, costsMore, type RoutePlace } from "../../src/sessions/routing/choose.ts";

const CHEAP: Price = { input: 1, output: 2 };
const USUAL: Price = { input: 3, output: 15 };

function place(provider: string, change: Partial<RoutePlace> = {}): RoutePlace {
  return { provider, model: "m", dearer: false, status: "available", price: USUAL, ...change };
}

const DOWN = { status: "unavailable" } as const;

describe("chooseRoute", () => {
  test.each<[string, RoutePlace, readonly RoutePlace[], string | undefined]>([
    ["stays while it can be used", place("a"), [place("b", { price: CHEAP })], "a"],
    ["stays with one that had trouble", place("a", { status: "degraded" }), [place("b")], "a"],
    ["goes to the first that is listed", place("a", DOWN), [place("b"), place("c", { price: CHEAP })], "b"],
    ["passes over one that fails too", place("a", DOWN), [place("b", DOWN), place("c")], "c"],
    [
      "takes one that answers before one that had trouble",
      place("a", DOWN),
      [place("b", { status: "degraded" }), place("c")],
      "c",
    ],
    ["takes one that had trouble where no other is", place("a", DOWN), [place("b", { status: "degraded" })], "b"],
    ["passes over one that the policy refuses", place("a", DOWN), [place("b", { refusal: "policy" }), place("c")], "c"],
    ["never goes to a dearer one", place("a", DOWN), [place("b", { price: { input: 3, output: 16 } })], undefined],
    [
      "nor to one that is cheaper in one way and dearer in the other",
      place("a", DOWN),
      [place("b", { price: { input: 4, output: 1 } })],
      undefined,
    ],
    ["nor to one without a price", place("a", DOWN), [place("b", { price: undefined })], undefined],
    [
      "goes to a dearer one that is marked",
      place("a", DOWN),
      [place("b", { price: { input: 9, output: 99 }, dearer: true })],
      "b",
    ],
    [
      "passes over a dearer one for a later one",
      place("a", DOWN),
      [place("b", { price: { input: 9, output: 9 } }), place("c")],
      "c",
    ],
    [
      "compares nothing where the first has no price",
      place("a", { refusal: "it has no price", price: undefined }),
      [place("b")],
      "b",
    ],
    ["has nowhere to go", place("a", DOWN), [], undefined],
  ])("%s", (_name, current, others, chosen) => {
    expect(chooseRoute({ current, wanted: current, others }).place?.provider).toBe(chosen);
  });

  test("what others may cost is measured on what was asked for, not on where it is", () => {
    const [first, second] = [place("first"), place("second", { ...DOWN, price: CHEAP })];
    expect(chooseRoute({ current: second, wanted: first, others: [first] }).place).toBe(first);
  });

  test("says why each place was not taken", () => {
    const others = [
      place("b", DOWN),
      place("c", { price: { input: 9, output: 9 } }),
      place("d", { refusal: "no key" }),
    ];
    expect(chooseRoute({ current: place("a", DOWN), wanted: place("a"), others }).passed).toEqual([
      { provider: "a", model: "m", why: "it does not answer" },
      { provider: "b", model: "m", why: "it does not answer" },
      { provider: "c", model: "m", why: "it costs more" },
      { provider: "d", model: "m", why: "no key" },
    ]);
  });
});

test.each<[Price, Price, boolean]>([
  [USUAL, USUAL, false],
  [CHEAP, USUAL, false],
  [USUAL, CHEAP, true],
  // What an absent rate of the cache means is compared too.
  [{ input: 3, output: 15 }, { input: 3, output: 15, cache_read: 1 }, true],
  [{ input: 3, output: 15, cache_read: 1 }, { input: 3, output: 15 }, false],
  [{ input: 3, output: 15, cache_write: 4 }, { input: 3, output: 15 }, true],
  // A long request may cost more.
  [{ input: 1, output: 1, tiers: [{ above: 100, input: 9, output: 1 }] }, USUAL, true],
  [USUAL, { ...USUAL, tiers: [{ above: 100, input: 1, output: 1 }] }, true],
  [{ ...USUAL, tiers: [{ above: 100, input: 1, output: 1 }] }, USUAL, false],
])("%j costs more than %j: %s", (price, than, expected) => {
  expect(costsMore(price, than)).toBe(expected);
});

test("the entry of a provider's model wins over the model's, and no name of an object's own counts", () => {
  const settings = FailoverSettings.parse({
    m: [{ provider: "b" }],
    "a/m": [{ provider: "c", model: "n", dearer: true }],
  });
  expect(failoverFor(settings, { provider: "a", model: "m" })).toEqual([{ provider: "c", model: "n", dearer: true }]);
  expect(failoverFor(settings, { provider: "x", model: "m" })).toEqual([{ provider: "b" }]);
  expect(failoverFor(settings, { provider: "x", model: "toString" })).toEqual([]);
});
