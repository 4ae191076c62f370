import { describe, expect, test } from "vitest";
import type { ModelView } from "../../src/protocol/index.ts";
import { modelFacts, nextChoice, searchModels } from "../../src/web/console/pages/new/model-search.ts";

const model = (name: string, more: Partial<ModelView> = {}): ModelView => ({ provider: "p", model: name, ...more });

describe("searchModels", () => {
  const models = [
    model("maker/coder-small", { name: "Maker: Coder Small" }),
    model("large-coder"),
    model("coder"),
    model("other/thing", { name: "Large Thing" }),
  ];

  test.each<[string, readonly string[]]>([
    ["", ["maker/coder-small", "large-coder", "coder", "other/thing"]],
    ["coder", ["maker/coder-small", "coder", "large-coder"]],
    ["CODER large", ["large-coder"]],
    ["large", ["large-coder", "other/thing"]],
    ["nothing", []],
  ])("%j", (query, names) => {
    expect(searchModels(models, query)).toEqual({
      shown: names.map((name) => models.find((one) => one.model === name)),
      hidden: 0,
    });
  });

  test("shows a screen's worth, and says how many more there are", () => {
    const many = Array.from({ length: 100 }, (_one, index) => model(`m${index}`));
    const { shown, hidden } = searchModels(many, "m");
    expect([shown.length, hidden]).toEqual([60, 40]);
  });
});

test.each<[Partial<ModelView>, string]>([
  [{}, ""],
  [{ price: { input: 0, output: 0 }, price_from: "free" }, "free"],
  [
    { context_tokens: 200_000, price: { input: 3_000_000, output: 15_000_000 }, price_from: "shipped" },
    "200K tokens · $3.00 in, $15.00 out per million tokens",
  ],
  [
    { told_price: { input: 1_000_000, output: 2_000_000 }, refusal: "no price" },
    "its provider says $1.00 in, $2.00 out per million tokens",
  ],
])("what is said of %j", (more, words) => {
  expect(modelFacts(model("m", more))).toBe(words);
});

describe("nextChoice passes over what cannot be chosen", () => {
  const models = [model("a", { refusal: "x" }), model("b"), model("c", { refusal: "x" }), model("d")];
  test.each<[number, 1 | -1, number]>([
    [-1, 1, 1],
    [1, 1, 3],
    [3, 1, 1],
    [-1, -1, 3],
    [3, -1, 1],
    [1, -1, 3],
  ])("from %i by %i: %i", (from, step, index) => {
    expect(nextChoice(models, from, step)).toBe(index);
  });

  test("none", () => {
    expect(nextChoice([], -1, 1)).toBe(-1);
    expect(nextChoice([model("a", { refusal: "x" })], -1, -1)).toBe(-1);
  });
});
