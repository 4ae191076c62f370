import { describe, expect, test } from "vitest";
import { dollars, limitFacts, NO_TOKENS, type BudgetLine, type UsageLine } from "../../src/protocol/index.ts";
import { colourOf, labelled, layoutOf } from "../../src/web/console/charts/bars.ts";
import { budgetWords, shares } from "../../src/web/console/pages/usage/budget-words.ts";
import { lastDays, placesOf, rangeProblem } from "../../src/web/console/pages/usage/range.ts";
import { costChart, rowsOf, tokensByKind } from "../../src/web/console/pages/usage/series.ts";
import { parseDollars, writeDollars } from "../../src/web/ui/dollars.ts";

const line = (day: string, model: string, cost: number, tokens: Partial<UsageLine["tokens"]> = {}): UsageLine => ({
  day,
  model,
  requests: 1,
  tokens: { ...NO_TOKENS, ...tokens },
  cost_microusd: cost,
  bound_microusd: 0,
});
const named = (text: string): string => text;
const words = String;

describe("days", () => {
  test("the last so many days end today, UTC", () => {
    expect(lastDays(7, Date.parse("2026-03-02T23:59:59Z"))).toEqual({ from: "2026-02-24", to: "2026-03-02" });
  });

  test.each([
    [{ from: "2026-11-01", to: "2026-11-15" }, undefined],
    [{ from: "2026-11-15", to: "2026-11-01" }, "The first day must not be after the last one."],
    [{ from: "2026-02-30", to: "2026-03-01" }, "Both must be days, such as 2026-11-15."],
    [{ from: "", to: "2026-03-01" }, "Both must be days, such as 2026-11-15."],
  ])("%j", (range, problem) => {
    expect(rangeProblem(range)).toBe(problem);
  });

  test("a long range has months, a short one every day", () => {
    expect(placesOf({ from: "2026-02-27", to: "2026-03-02" })).toEqual({
      places: ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"],
      months: false,
    });
    expect(placesOf({ from: "2025-11-20", to: "2026-03-02" })).toEqual({
      places: ["2025-11", "2025-12", "2026-01", "2026-02", "2026-03"],
      months: true,
    });
  });
});

describe("charts", () => {
  const range = { from: "2026-11-14", to: "2026-11-15" };

  test("series stand in the order of their cost, and days without any are there", () => {
    const lines = [line("2026-11-15", "small", 500_000), line("2026-11-15", "large", 2_000_000)];
    expect(costChart(lines, "model", { range, nameOf: named, words })).toEqual({
      bars: [
        { at: "2026-11-15", series: "small", value: 0.5, words: "2026-11-15, small: 0.5" },
        { at: "2026-11-15", series: "large", value: 2, words: "2026-11-15, large: 2" },
      ],
      places: ["2026-11-14", "2026-11-15"],
      series: ["large", "small"],
      unit: "dollars",
      months: false,
    });
  });

  test("what has no colour of its own is folded together", () => {
    const lines = Array.from({ length: 9 }, (_, index) => line("2026-11-14", `m${index}`, (9 - index) * 1_000_000));
    const chart = costChart(lines, "model", { range, nameOf: named, words });
    expect(chart.series).toEqual(["m0", "m1", "m2", "m3", "m4", "others"]);
    expect(chart.rest).toBe("others");
    expect(rowsOf(chart)).toEqual([{ at: "2026-11-14", values: [9, 8, 7, 6, 5, 10] }]);
  });

  test("two ids with one name are one series", () => {
    const lines = [line("2026-11-14", "a", 1_000_000), line("2026-11-14", "b", 1_000_000)];
    expect(costChart(lines, "model", { range, nameOf: () => "both", words }).bars).toEqual([
      { at: "2026-11-14", series: "both", value: 2, words: "2026-11-14, both: 2" },
    ]);
  });

  test("token kinds keep their order; caches of both lengths count", () => {
    const lines = [line("2026-11-14", "a", 0, { input: 5, output: 9, cache_write: 1, cache_write_1h: 2 })];
    const chart = tokensByKind(lines, { range, words });
    expect(chart.series).toEqual(["input", "output", "cache write"]);
    expect(rowsOf(chart)).toEqual([{ at: "2026-11-14", values: [5, 9, 3] }]);
  });

  test("nothing used draws nothing", () => {
    expect(costChart([line("2026-11-14", "a", 0)], "model", { range, nameOf: named, words }).bars).toEqual([]);
  });

  test("labels have room, and the newest day has one", () => {
    const places = Array.from({ length: 30 }, (_, index) => `d${index}`);
    expect(labelled(places, 400)).toEqual(["d4", "d9", "d14", "d19", "d24", "d29"]);
    expect(labelled(places.slice(0, 3), 400)).toEqual(["d0", "d1", "d2"]);
  });

  test("bars stand on each other, in the order of the legend; the axis ends at a round figure", () => {
    const bar = (at: string, series: string, value: number) => ({ at, series, value, words: `${at}, ${series}` });
    const chart = {
      bars: [bar("2026-11-15", "b", 3), bar("2026-11-15", "a", 5), bar("2026-11-14", "a", 2)],
      places: ["2026-11-14", "2026-11-15"],
      series: ["a", "b"],
      unit: "dollars",
      months: false,
    } as const;
    const { bars, bottom, xLabels, yLabels } = layoutOf(chart, 300);
    expect(yLabels.map(({ text }) => text)).toEqual(["$0", "$2", "$4", "$6", "$8"]);
    expect(xLabels.map(({ text }) => text)).toEqual(["Nov 14", "Nov 15"]);
    const unit = (bottom - (yLabels.at(-1)?.at ?? 0)) / 8;
    const placed = bars.map(({ bar: { at, series }, y, height }) => [at, series, (bottom - y) / unit, height / unit]);
    expect(placed).toEqual([
      ["2026-11-15", "a", 5, 5],
      ["2026-11-14", "a", 2, 2],
      ["2026-11-15", "b", 8, 3],
    ]);
  });

  test("colours are the page's own; the rest has a quiet one", () => {
    const chart = { series: ["a", "b", "c", "d", "e", "others"], rest: "others" };
    expect(chart.series.map((name) => colourOf(chart, name))).toEqual([
      "var(--info)",
      "var(--accent)",
      "var(--ok)",
      "var(--bad)",
      "color-mix(in srgb, var(--info) 52%, var(--raised))",
      "var(--line-strong)",
    ]);
  });
});

describe("money", () => {
  test.each([
    ["2.50", 2_500_000],
    ["$ 1,000", 1_000_000_000],
    ["0.000001", 1],
    ["0", 0],
    ["", undefined],
    ["-1", undefined],
    ["1.2345678", undefined],
    ["ten", undefined],
    ["1e3", undefined],
    ["1,234.5", 1_234_500_000],
    ["1,23", undefined],
    ["0,5", undefined],
    ["7.", 7_000_000],
    ["$5", 5_000_000],
    ["ten", undefined],
  ])("%s", (text, microusd) => {
    expect(parseDollars(text)).toBe(microusd);
  });

  test.each([
    [2_500_000, "2.50"],
    [3_000_000, "3"],
    [1, "0.000001"],
    [0, "0"],
  ])("%d is written %s", (microusd, text) => {
    expect(writeDollars(microusd)).toBe(text);
    expect(parseDollars(text)).toBe(microusd);
  });
});

describe("budgets", () => {
  const account = (more: Partial<BudgetLine>): BudgetLine => ({
    kind: "agent_day",
    of: "tok_1",
    spent_microusd: 200_000,
    reserved_microusd: 50_000,
    ...more,
  });

  test.each([
    [account({}), "at most $0.20 spent, $0.05 reserved, no limit", { spent: 0, reserved: 0 }],
    [
      account({ limit_microusd: 1_000_000, remaining_microusd: 750_000 }),
      "at most $0.20 spent, $0.05 reserved, $0.75 left of $1.00",
      { spent: 20, reserved: 5 },
    ],
    [
      account({ spent_microusd: 900_000, reserved_microusd: 0, limit_microusd: 500_000, remaining_microusd: 0 }),
      "at most $0.90 spent, $0.00 left of $0.50",
      { spent: 100, reserved: 0 },
    ],
    [
      account({ limit_microusd: 0, remaining_microusd: 0 }),
      "at most $0.20 spent, $0.05 reserved, $0.00 left of $0.00",
      { spent: 100, reserved: 0 },
    ],
  ])("%#", (budget, text, bar) => {
    expect(budgetWords(budget, dollars)).toBe(text);
    expect(shares(budget)).toEqual(bar);
  });

  test("an account has the name of whose it is", () => {
    expect(limitFacts(account({}).kind).account("Ada")).toBe("Ada, today");
    expect(limitFacts("total").account("")).toBe("Everybody, in all");
  });
});
