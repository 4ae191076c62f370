import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import type { Column, NumberColumn } from "../../../../src/web/workbench/data/column.ts";
import { columnOf } from "../../../../src/web/workbench/data/make.ts";
import { tintOf } from "../../../../src/web/workbench/grid/tint.ts";
import { planColumns, windowAt } from "../../../../src/web/workbench/grid/columns.ts";
import { toTsv } from "../../../../src/web/workbench/grid/copy.ts";
import {
  foundValues,
  rangeFacts,
  rangeSpec,
  valueCounts,
} from "../../../../src/web/workbench/grid/column/filter-facts.ts";
import { keyAction } from "../../../../src/web/workbench/grid/keys.ts";
import { sortedBy } from "../../../../src/web/workbench/grid/look.ts";
import { packColumn, unpackColumn } from "../../../../src/web/workbench/grid/order/packed.ts";
import { barLength, isStuck, placeAt, scrolledTo, topShowing } from "../../../../src/web/workbench/grid/scroll.ts";
import { cellTests, nextFound, searchCells } from "../../../../src/web/workbench/grid/search/search.ts";
import { GRID_LIMITS } from "../../../../src/web/workbench/grid/sizes.ts";
import { selectedAfter, selectHow } from "../../../../src/web/workbench/grid/selection.ts";
import { shownRows } from "../../../../src/web/workbench/grid/order/shown-rows.ts";

describe("scrolling", () => {
  const few = { content: 28_000, view: 700 };
  const many = { content: 28_000_000, view: 700 };

  it("is the browser's own while the rows fit", () => {
    expect(scrolledTo({ top: 0, bar: 0 }, 5_000, few)).toEqual({ top: 5_000, bar: 5_000 });
    expect(placeAt(99_999, few)).toEqual({ top: 27_300, bar: 27_300 });
    expect([barLength(few), barLength(many)]).toEqual([28_000, 8_000_000]);
  });

  it("moves by pixels in small steps and along the rows in jumps", () => {
    const middle = placeAt(14_000_000, many);
    expect(scrolledTo(middle, middle.bar + 100, many).top).toBe(14_000_100);
    expect(scrolledTo(middle, 7_999_300, many).top).toBe(27_999_300);
    expect(scrolledTo(middle, 0, many).top).toBe(0);
  });

  it("has the bar at its ends only for the first and the last row, and no row out of reach", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 27_999_300 }),
        fc.array(fc.integer({ min: -700, max: 700 })),
        (top, steps) => {
          let place = placeAt(top, many);
          for (const step of steps) {
            place = scrolledTo(place, Math.max(0, Math.min(7_999_300, place.bar + step)), many);
            if (isStuck(place, many)) place = placeAt(place.top, many);
            expect(isStuck(place, many)).toBe(false);
            expect(place.top).toBeGreaterThanOrEqual(0);
            expect(place.top).toBeLessThanOrEqual(27_999_300);
          }
        },
      ),
      { seed: 6, numRuns: 200 },
    );
  });

  it("shows a row with the least movement", () => {
    expect([topShowing(0, 500, few), topShowing(20, 500, few), topShowing(100, 500, few)]).toEqual([0, 500, 2_128]);
  });
});

describe("columns that are seen", () => {
  it("are those that the window touches", () => {
    const columns = Array.from({ length: 300 }, (_, index) => columnOf(`c${index}`, [1]));
    const plan = planColumns(
      columns,
      { widths: {}, hidden: [], pinned: ["c5"] },
      { rowCount: 1, digit: 8, autoWidth: () => 100 },
    );
    expect([plan.pinnedWidth, plan.freeWidth, plan.all[0]?.column.name]).toEqual([144, 29_900, "c5"]);
    expect([0, 50, 99, 100, 1_050, 29_700].map((left) => windowAt(plan, left, 250))).toEqual([
      { first: 0, end: 3 },
      { first: 0, end: 3 },
      { first: 0, end: 4 },
      { first: 1, end: 4 },
      { first: 10, end: 13 },
      { first: 297, end: 299 },
    ]);
  });
});

describe("keys", () => {
  const press = (
    key: string,
    held: Partial<Parameters<typeof keyAction>[0]> = {},
  ): Parameters<typeof keyAction>[0] => ({
    key,
    shiftKey: false,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    ...held,
  });
  const at = (position: number, place = 1): Parameters<typeof keyAction>[1] => ({
    active: { position, place },
    rows: 100,
    columns: 5,
    page: 10,
  });
  const to = (position: number, place: number, extend = false): object => ({
    kind: "move",
    to: { position, place },
    extend,
  });
  it.each([
    ["down from a head", press("ArrowDown"), at(-1), to(0, 1)],
    ["up from the first row", press("ArrowUp"), at(0), to(-1, 1)],
    ["up with control", press("ArrowUp", { ctrlKey: true }), at(50), to(0, 1)],
    ["down at the end", press("ArrowDown"), at(99), to(99, 1)],
    ["left at the edge", press("ArrowLeft"), at(3, 0), to(3, 0)],
    ["a page", press("PageDown"), at(95), to(99, 1)],
    ["a page with shift", press("PageUp", { shiftKey: true }), at(50), to(40, 1, true)],
    ["home", press("Home"), at(7), to(7, 0)],
    ["the very end", press("End", { metaKey: true }), at(7), to(99, 4)],
    ["space on a row", press(" "), at(7), { kind: "toggle" }],
    ["space on a head", press(" "), at(-1), { kind: "sort", more: false }],
    ["enter with shift on a head", press("Enter", { shiftKey: true }), at(-1), { kind: "sort", more: true }],
    ["wider", press("ArrowRight", { shiftKey: true }), at(-1), { kind: "resize", wider: true }],
    ["the menu", press("ArrowDown", { altKey: true }), at(3), { kind: "menu" }],
    ["the menu's own key", press("F10", { shiftKey: true }), at(3), { kind: "menu" }],
    ["all", press("A", { ctrlKey: true }), at(3), { kind: "select-all" }],
    ["the browser's own", press("c", { ctrlKey: true }), at(3), undefined],
    ["back in the browser", press("ArrowLeft", { altKey: true }), at(3), undefined],
    ["a letter", press("x"), at(3), undefined],
    ["enter on a cell", press("Enter"), at(3), { kind: "edit" }],
    ["its other key", press("F2"), at(3), { kind: "edit" }],
    ["delete", press("Delete"), at(3), { kind: "erase" }],
    ["delete on a head", press("Delete"), at(-1), undefined],
    ["find", press("f", { ctrlKey: true }), at(-1), { kind: "find" }],
  ])("%s", (_words, pressed, place, action) => {
    expect(keyAction(pressed, place)).toEqual(action);
  });

  it("stay at the heads of a table without rows", () => {
    expect(keyAction(press("End", { ctrlKey: true }), { ...at(-1), rows: 0 })).toEqual(to(-1, 4));
    expect(keyAction(press("PageDown"), { ...at(-1), rows: 0 })).toEqual(to(-1, 1));
  });
});

describe("a search", () => {
  const columns: readonly Column[] = [
    columnOf("name", ["Ann", null, "annA", "Bob"]),
    { ...columnOf("pay", [1200, 12, null, 7]), format: { kind: "number", style: "plain", groups: "comma" } },
  ];
  const found = (text: string, shown = shownRows(Bits.all(4), undefined)): readonly string[] => {
    const steps = searchCells(shown, cellTests(columns, text));
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    return step.value.cells.map(({ position, place }) => `${position}.${place}`);
  };
  it("finds texts in any letters, and numbers as they are shown or stored", () => {
    expect(found("ann")).toEqual(["0.0", "2.0"]);
    expect([found("1,2"), found("1200"), found("12")]).toEqual([["0.1"], ["0.1"], ["0.1", "1.1"]]);
    expect([found("—"), found("nobody")]).toEqual([[], []]);
  });
  it("follows the order and the filters of the grid", () => {
    expect(found("ann", shownRows(Bits.of(4, [2, 0, 1]), Int32Array.of(3, 2, 1, 0)))).toEqual(["0.0", "2.0"]);
  });
  it("stops at its bound, and says so", () => {
    const many = shownRows(Bits.all(GRID_LIMITS.foundCells + 1), undefined);
    const steps = searchCells(many, [() => true]);
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    expect([step.value.cells.length, step.value.isCut]).toEqual([GRID_LIMITS.foundCells, true]);
  });
  it("goes round", () => {
    const cells = [
      { position: 1, place: 0 },
      { position: 1, place: 2 },
      { position: 5, place: 1 },
    ];
    const next = (position: number, place: number, way: "forward" | "back"): number =>
      nextFound(cells, { position, place }, way);
    expect([next(-1, 0, "forward"), next(1, 0, "forward"), next(5, 1, "forward")]).toEqual([0, 1, 0]);
    expect([next(1, 0, "back"), next(5, 1, "back"), next(3, 0, "back")]).toEqual([2, 1, 1]);
    expect(nextFound([], { position: 0, place: 0 }, "forward")).toBe(-1);
  });
});

describe("selection", () => {
  const shown = shownRows(Bits.of(10, [9, 7, 5, 3, 1]), Int32Array.of(9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
  const selected = Bits.of(10, [0, 7]);
  it.each([
    ["only", [5]],
    ["range", [5, 7]],
    ["toggle", [0, 5, 7]],
    ["range-more", [0, 5, 7]],
  ] as const)("%s", (how, rows) => {
    expect([...selectedAfter(how, { selected, shown, anchor: 1, position: 2 }).rows()]).toEqual(rows);
  });
  it("begins a range where the pointer is when there is no anchor", () => {
    expect([...selectedAfter("range", { selected, shown, anchor: -1, position: 4 }).rows()]).toEqual([1]);
  });
  it("is what the keys say", () => {
    const held = (shiftKey: boolean, ctrlKey: boolean, metaKey = false) => selectHow({ shiftKey, ctrlKey, metaKey });
    expect([
      held(false, false),
      held(true, false),
      held(false, true),
      held(false, false, true),
      held(true, true),
    ]).toEqual(["only", "range", "toggle", "toggle", "range-more"]);
  });
});

describe("sorting by clicks", () => {
  const up = (column: string) => ({ column, descending: false });
  const down = (column: string) => ({ column, descending: true });
  it.each([
    ["first click", [], "a", false, [up("a")]],
    ["second", [up("a")], "a", false, [down("a")]],
    ["third", [down("a")], "a", false, []],
    ["another column", [down("a")], "b", false, [up("b")]],
    ["one of two alone", [up("a"), down("b")], "b", false, [up("b")]],
    ["one more", [down("a")], "b", true, [down("a"), up("b")]],
    ["one more turned", [down("a"), up("b")], "b", true, [down("a"), down("b")]],
    ["one less", [down("a"), down("b")], "a", true, [down("b")]],
  ])("%s", (_words, keys, column, more, after) => {
    expect(sortedBy(keys, column, more)).toEqual(after);
  });
});

describe("filters", () => {
  it("start from the range and the shape of the numbers", () => {
    const column = columnOf("x", [0, 32, 16, null, 31, 1]) as NumberColumn;
    const facts = rangeFacts(column, Bits.of(6, [0, 1, 3, 4]));
    expect([facts.min, facts.max, facts.missing, facts.bins[0], facts.bins[31], facts.bins[16]]).toEqual([
      0, 32, 1, 1, 2, 0,
    ]);
    expect(rangeSpec("x", facts, { min: 0, max: 32, missing: true })).toBeUndefined();
    expect(rangeSpec("x", facts, { min: 0, max: undefined, missing: false })).toEqual({ kind: "range", column: "x" });
    expect(rangeSpec("x", facts, { min: 3, max: 99, missing: true })).toEqual({
      kind: "range",
      column: "x",
      min: 3,
      missing: true,
    });
    expect(rangeFacts(columnOf("x", [null, null], "double") as NumberColumn, Bits.all(2))).toEqual({
      min: Number.NaN,
      max: Number.NaN,
      missing: 2,
      bins: [],
    });
  });

  it("count values, frequent ones first, and find them", () => {
    const values = valueCounts(columnOf("x", ["fir", "Elm", "elm", "elm", null]), Bits.all(5));
    expect(values).toEqual([
      { value: null, rows: 1 },
      { value: "elm", rows: 2 },
      { value: "fir", rows: 1 },
      { value: "Elm", rows: 1 },
    ]);
    expect(foundValues(values, " ELM ").map(({ value }) => value)).toEqual(["elm", "Elm"]);
    expect(valueCounts(columnOf("x", [true, true, false, null]), Bits.all(4))).toEqual([
      { value: null, rows: 1 },
      { value: "true", rows: 2 },
      { value: "false", rows: 1 },
    ]);
  });
});

describe("what leaves the grid", () => {
  it("is copied whole and cannot break its lines", () => {
    const columns = [columnOf("a\tb", ['say "x"', "two\nlines", null]), columnOf("n", [1 / 3, 2, Number.NaN])];
    expect(toTsv(columns, [0, 1, 2])).toBe('"a\tb"\tn\n"say ""x"""\t0.3333333333333333\n"two\nlines"\t2\n\t\n');
  });

  it("comes out of a worker's packing as it went in", async () => {
    const texts = columnOf("t", ["", "ä𝒳", "x".repeat(99), null, "ä𝒳"]);
    const numbers = columnOf("n", [1, null]);
    expect([
      unpackColumn(await packColumn(texts, async () => {})),
      unpackColumn(await packColumn(numbers, async () => {})),
    ]).toEqual([texts, numbers]);
  });
});

describe("colours of cells", () => {
  const percents = (column: Column): readonly (string | undefined)[] => {
    const rows = "codes" in column ? column.codes.length : column.numbers.length;
    return Array.from({ length: rows }, (_, row) => /\d+(?=%)/.exec(tintOf(column)(row) ?? "")?.[0]);
  };

  it("numbers and times go from little to much; what is missing has none, and a far value takes no colour from others", () => {
    expect(percents(columnOf("n", [0, 5, 10, null]))).toEqual(["4", "25", "46", undefined]);
    expect(percents(columnOf("n", [7, 7]))).toEqual(["25", "25"]);
    expect(percents(columnOf("n", [9_007_199_254_740_993n, 1n], "bigint"))).toEqual(["46", "4"]);
    expect(percents(columnOf("t", [new Date(0), null, new Date(9)]))).toEqual(["4", undefined, "46"]);
    const far = columnOf(
      "n",
      Array.from({ length: 200 }, (_, row) => (row === 199 ? 1e9 : row)),
    );
    expect(Number(percents(far)[150])).toBeGreaterThan(30);
    expect(percents(columnOf("n", [Number.POSITIVE_INFINITY, 1, 2, Number.NEGATIVE_INFINITY]))).toEqual([
      "46",
      "4",
      "46",
      "4",
    ]);
  });

  it("each text and truth value has its own, and the same one everywhere", () => {
    const tint = tintOf(columnOf("s", ["a", "b", null, "a"]));
    expect([tint(0), tint(1), tint(2)]).toEqual(["hsl(210 65% 50% / 0.24)", "hsl(348 65% 50% / 0.24)", undefined]);
    expect(tint(3)).toBe(tint(0));
    const truth = tintOf(columnOf("b", [true, false, null]));
    expect([truth(0), truth(1), truth(2)]).toEqual(["hsl(348 65% 50% / 0.24)", "hsl(210 65% 50% / 0.24)", undefined]);
  });
});
