import { describe, expect, test } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { isText, type NumberColumn } from "../../../../src/web/workbench/data/column.ts";
import type { FilterSpec } from "../../../../src/web/workbench/data/filter.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import { filters } from "../../../../src/web/workbench/viewers/filters/definition.ts";
import {
  BINS,
  contentOf,
  countsOf,
  endOf,
  endText,
  filtersOf,
  foreign,
  histogramOf,
  kindOf,
  rangeOf,
  rangeSpec,
  searched,
  startingColumns,
  stepOf,
  ticked,
  tickedAll,
} from "../../../../src/web/workbench/viewers/filters/model.ts";
import { wholeLook } from "../../../../src/web/workbench/viewers/registry.ts";
import type { Look } from "../../../../src/web/workbench/viewers/viewer.ts";

const table = () =>
  newTable("people", [
    columnOf("Name", ["bo", "ann", null, "bo", "cy"]),
    columnOf("Age", [0, 10, 20, 40, null]),
    columnOf("Born", [new Date("2000-01-01"), null, null, null, new Date("2001-01-01")]),
    columnOf("Well", [true, false, true, null, true]),
    columnOf("Member", [true, true, true, false, true]),
  ]);
const numbers = (name: string): NumberColumn => {
  const column = table().column(name);
  if (column === undefined || isText(column)) throw new Error(name);
  return column;
};
const all = Bits.all(5);
const no = new Bits(5);

describe("cards", () => {
  test("of each kind", () => {
    const people = table();
    const model = filtersOf(people, wholeLook(filters, people, {}));
    expect(model.cards.map(({ column, kind }) => [column.name, kind])).toEqual([
      ["Name", "categories"],
      ["Age", "range"],
      ["Born", "range"],
      ["Well", "categories"],
      ["Member", "categories"],
    ]);
    expect(
      kindOf(
        columnOf(
          "Id",
          Array.from({ length: 20_001 }, (_, at) => `v${String(at)}`),
        ),
      ),
    ).toBe("contains");
  });

  test.each<[Look]>([
    [{ columnNames: ["Age"] }],
    [{ active: false }],
    [{ showHeader: false }],
    [{ showHistogram: false }],
    [{ showMinMax: false }],
    [{ showSearchBox: false }],
    [{ showFilterCountsIndication: false }],
    [{ showFilterIndication: false }],
    [{ showSelectionIndication: false }],
    [{ showCurrentRow: false }],
    [{ showMouseOverRow: false }],
    [{ showBoolCombinedFilter: true }],
  ])("%j changes the panel", (set) => {
    const people = table();
    expect(filtersOf(people, wholeLook(filters, people, set))).not.toEqual(
      filtersOf(people, wholeLook(filters, people, {})),
    );
  });

  test("names of persons have none to begin with", () => {
    const many = newTable("m", [
      columnOf(
        "Id",
        Array.from({ length: 600 }, (_, at) => `v${String(at)}`),
      ),
      columnOf(
        "Kind",
        Array.from({ length: 600 }, () => "a"),
      ),
    ]);
    expect(startingColumns(many)).toEqual(["Kind"]);
  });
});

describe("counts", () => {
  test("by value: the most first, then by name, none last; those that others filter out stay with 0", () => {
    const name = table().columns[0];
    if (name === undefined) throw new Error("none");
    expect(countsOf(name, all, Bits.of(5, [0, 2]))).toEqual([
      { value: "bo", count: 2, selected: 1 },
      { value: "ann", count: 1, selected: 0 },
      { value: "cy", count: 1, selected: 0 },
      { value: null, count: 1, selected: 1 },
    ]);
    expect(countsOf(name, Bits.of(5, [4]), no).map(({ value, count }) => [value, count])).toEqual([
      ["cy", 1],
      ["ann", 0],
      ["bo", 0],
      [null, 0],
    ]);
    expect(countsOf(numbers("Well"), all, no).map(({ value, count }) => [value, count])).toEqual([
      ["false", 1],
      ["true", 3],
      [null, 1],
    ]);
  });

  test("a card counts what the other filters let through, not its own", () => {
    const people = table();
    people.setFilter("column:Name", { kind: "categories", column: "Name", values: ["bo"] });
    people.setFilter("column:Age", { kind: "range", column: "Age", min: 5, missing: true });
    const [card] = filtersOf(people, { columnNames: ["Name"] }).cards;
    const content = card && contentOf(people, card);
    expect(content?.kind === "categories" && content.counts.map(({ value, count }) => [value, count])).toEqual([
      ["ann", 1],
      ["bo", 1],
      ["cy", 1],
      [null, 1],
    ]);
  });

  test("a histogram over the bounds of all rows", () => {
    const histogram = histogramOf(numbers("Age"), Bits.of(5, [0, 1, 3, 4]), Bits.of(5, [3, 2]));
    const expected = new Int32Array(BINS);
    for (const bin of [0, 10, 39]) expected[bin] = 1;
    expect([histogram.counts, histogram.selected[39], histogram.missing, histogram.most]).toEqual([expected, 1, 1, 1]);
  });

  test("a search", () => {
    const counts = [
      { value: "Bo", count: 1, selected: 0 },
      { value: null, count: 1, selected: 0 },
    ];
    expect([
      searched(counts, " b "),
      searched(counts, "no v"),
      searched(counts, "zz"),
      searched(counts, "").length,
    ]).toEqual([[counts[0]], [counts[1]], [], 2]);
  });
});

describe("ticks", () => {
  const values = ["a", "b", null];
  const spec = (...chosen: (string | null)[]): FilterSpec => ({ kind: "categories", column: "x", values: chosen });
  test.each([
    ["the first one off", undefined, "b", spec("a", null)],
    ["another off", spec("a", null), null, spec("a")],
    ["on again", spec("a"), "b", spec("a", "b")],
    ["the last on: no filter", spec("a", "b"), null, undefined],
    ["all off: no row", spec("a"), "a", spec()],
  ])("%s", (_, filter, value, expected) => {
    expect(ticked({ column: "x", filter, all: values, value })).toEqual(expected);
  });

  test.each([
    ["none", undefined, values, false, spec()],
    ["all", spec("a"), values, true, undefined],
    ["none of those found", undefined, ["a"], false, spec("b", null)],
    ["all of those found", spec("b"), ["a"], true, spec("a", "b")],
  ])("%s", (_, filter, listed, on, expected) => {
    expect(tickedAll({ column: "x", filter, all: values, listed, on })).toEqual(expected);
  });
});

describe("ranges", () => {
  test.each([
    ["whole", { min: 0, max: 40, missing: true }, undefined],
    ["from below", { min: -5, max: 40, missing: true }, undefined],
    ["least", { min: 10, max: 40, missing: true }, { kind: "range", column: "Age", min: 10, missing: true }],
    [
      "most, without missing",
      { min: 0, max: 20, missing: false },
      { kind: "range", column: "Age", max: 20, missing: false },
    ],
    [
      "turned round",
      { min: 30, max: 10, missing: true },
      { kind: "range", column: "Age", min: 10, max: 30, missing: true },
    ],
    ["only without missing", { min: 0, max: 40, missing: false }, { kind: "range", column: "Age", missing: false }],
  ])("%s", (_, wanted, expected) => {
    expect(rangeSpec(numbers("Age"), wanted)).toEqual(expected);
  });

  test("read back", () => {
    expect(rangeOf(numbers("Age"), undefined)).toEqual({ min: 0, max: 40, missing: true });
    expect(rangeOf(numbers("Age"), { kind: "range", column: "Age", max: 9 })).toEqual({
      min: 0,
      max: 9,
      missing: false,
    });
  });

  test.each([
    ["Age", "1,5", 15],
    ["Age", " 12 ", 12],
    ["Age", "", Number.NaN],
    ["Age", "old", Number.NaN],
    ["Born", "2000-06-01", Date.UTC(2000, 5, 1)],
    ["Born", "then", Number.NaN],
  ])("an end of %s written as %j", (name, text, value) => {
    expect(endOf(numbers(name), text)).toBe(value);
  });

  test("an end in words, and a step", () => {
    expect([
      endText(numbers("Born"), Date.UTC(2000, 5, 1)),
      endText(numbers("Age"), 12),
      endText(numbers("Age"), Number.NaN),
    ]).toEqual(["2000-06-01", "12", ""]);
    expect([stepOf(numbers("Age")), stepOf(numbers("Born"))]).toEqual([1, 366 * 864_000]);
  });
});

test.each<[Parameters<typeof foreign>[0], FilterSpec | undefined, string | undefined]>([
  ["range", undefined, undefined],
  ["range", { kind: "range", column: "x" }, undefined],
  ["range", { kind: "categories", column: "x", values: ["1", "2"] }, "2 chosen values"],
  ["categories", { kind: "contains", column: "x", text: "bo" }, "Contains “bo”"],
  ["contains", { kind: "contains", column: "x", text: "bo" }, undefined],
  ["categories", { kind: "range", column: "x" }, "A range of numbers"],
  ["categories", { kind: "formula", expression: "${x} > 1" }, "${x} > 1"],
])("a card of %s with %j", (kind, filter, words) => {
  expect(foreign(kind, filter)).toBe(words);
});
