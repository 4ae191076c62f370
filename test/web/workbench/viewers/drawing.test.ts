import { describe, expect, it } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import { categoriesOf, rowsByGroup } from "../../../../src/web/workbench/viewers/drawing/categories.ts";
import { categoryColor, inkOn, paletteOf, rgbOf } from "../../../../src/web/workbench/viewers/drawing/colors.ts";
import { pearson, ranks, regression, spearman } from "../../../../src/web/workbench/viewers/drawing/correlation.ts";
import { legendPlace } from "../../../../src/web/workbench/viewers/drawing/legend.tsx";
import { fastScale, jitterOf, nearestPoint } from "../../../../src/web/workbench/viewers/drawing/points.ts";
import { MARKER_TYPES, Raster, stampOf } from "../../../../src/web/workbench/viewers/drawing/raster.ts";
import { chooseGroup, filterKey, rowsOf, selectRows } from "../../../../src/web/workbench/viewers/drawing/rows.ts";
import { categoryScale, extentOf, padded, valueScale } from "../../../../src/web/workbench/viewers/drawing/scale.ts";
import { rowBeside } from "../../../../src/web/workbench/viewers/drawing/stage.tsx";
import { moved, zoomed } from "../../../../src/web/workbench/viewers/drawing/view.ts";
import { elide } from "../../../../src/web/workbench/viewers/drawing/words.ts";

const texts = (scale: { readonly ticks: readonly { readonly text: string }[] }): readonly string[] =>
  scale.ticks.map(({ text }) => text);

describe("scales", () => {
  it.each([
    ["linear", { extent: { min: 0, max: 100 }, range: [0, 300] as const }, 50, 150],
    ["turned round", { extent: { min: 0, max: 100 }, range: [0, 300] as const, inverted: true }, 25, 225],
    ["upwards", { extent: { min: 0, max: 10 }, range: [200, 0] as const }, 2.5, 150],
    ["logarithmic", { extent: { min: 1, max: 100 }, range: [0, 300] as const, type: "logarithmic" }, 10, 150],
  ])("%s", (_, options, value, pixel) => {
    const scale = valueScale(options);
    expect(scale.of(value)).toBeCloseTo(pixel, 9);
    expect(scale.at(pixel)).toBeCloseTo(value, 9);
    expect(fastScale(scale)(value)).toBeCloseTo(pixel, 9);
  });

  it.each([
    [
      { extent: { min: 0, max: 4_000 }, range: [300, 0] as const },
      ["0", "500", "1,000", "1,500", "2,000", "2,500", "3,000", "3,500", "4,000"],
    ],
    [{ extent: { min: 0, max: 2_000_000 }, range: [200, 0] as const }, ["0", "500k", "1M", "1.5M", "2M"]],
    [{ extent: { min: 0, max: 0.3 }, range: [0, 220] as const }, ["0", "0.1", "0.2", "0.3"]],
    [
      { extent: { min: 1, max: 10_000 }, range: [0, 300] as const, type: "logarithmic" },
      ["1", "10", "100", "1,000", "10,000"],
    ],
    [
      { extent: { min: Date.UTC(2020, 0), max: Date.UTC(2021, 6) }, range: [0, 444] as const, time: true },
      ["2020", "Apr", "Jul", "Oct", "2021", "Apr", "Jul"],
    ],
  ])("ticks %#", (options, expected) => {
    expect(texts(valueScale(options))).toEqual(expected);
  });

  it.each([
    [{ min: 5, max: 5 }, [4.75, 5.25]],
    [{ min: 0, max: 0 }, [-1, 1]],
    [{ min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY }, [0, 1]],
  ])("an extent without room gets some: %j", (extent, domain) => {
    expect(valueScale({ extent, range: [0, 100] }).domain).toEqual(domain);
  });

  it("a logarithmic one has no place for zero", () => {
    const scale = valueScale({ extent: { min: -5, max: 100 }, range: [0, 100], type: "logarithmic" });
    expect(scale.domain).toEqual([0.01, 100]);
    expect(scale.of(0)).toBeNaN();
  });

  it("categories have bands", () => {
    const scale = categoryScale(["a", "b", "c", "d"], [0, 100]);
    expect([scale.band, scale.of(0), scale.of(3), scale.at(37.5)]).toEqual([25, 12.5, 87.5, 1]);
    expect(categoryScale(["a", "b"], [0, 100], true).of(0)).toBe(75);
  });

  it("extents leave out missing values and rows that are not asked for", () => {
    const column = columnOf("x", [-3, 1, null, 8, 20]);
    expect(extentOf(column, Bits.of(5, [0, 1, 2, 3]))).toEqual({ min: -3, max: 8 });
    expect(extentOf(column, Bits.all(5), true)).toEqual({ min: 1, max: 20 });
    expect(padded({ min: 0, max: 100 }, 0.1)).toEqual({ min: -10, max: 110 });
  });

  it("zooms and moves", () => {
    const scale = valueScale({ extent: { min: 0, max: 100 }, range: [0, 200] });
    expect(zoomed(scale, 25, 0.5)).toEqual({ min: 12.5, max: 62.5 });
    expect(moved(scale, 20)).toEqual({ min: -10, max: 90 });
    const log = valueScale({ extent: { min: 1, max: 100 }, range: [0, 200], type: "logarithmic" });
    expect(zoomed(log, 10, 0.5).max).toBeCloseTo(Math.sqrt(1000), 9);
  });
});

describe("categories", () => {
  it.each([
    [columnOf("t", ["b", null, "a", "b"]), "", { codes: [1, -1, 0, 1], names: ["a", "b"] }],
    [columnOf("t", ["x10", "x9"]), "", { codes: [1, 0], names: ["x9", "x10"] }],
    [columnOf("b", [true, false, null]), "", { codes: [1, 0, -1], names: ["false", "true"] }],
    [columnOf("n", [3, 1, null, 3]), "", { codes: [1, 0, -1, 1], names: ["1", "3"] }],
    [
      columnOf("d", [new Date(Date.UTC(2020, 4)), new Date(Date.UTC(2019, 11))]),
      "year",
      { codes: [1, 0], names: ["2019", "2020"] },
    ],
    [
      columnOf("d", [new Date(Date.UTC(2020, 4)), new Date(Date.UTC(2020, 0))]),
      "quarter",
      { codes: [1, 0], names: ["2020 Q1", "2020 Q2"] },
    ],
    [columnOf("d", [new Date(Date.UTC(2020, 4)), null]), "month", { codes: [0, -1], names: ["2020-05"] }],
  ])("%#", (column, map, expected) => {
    const { codes, names } = categoriesOf(column, map);
    expect({ codes: [...codes], names }).toEqual(expected);
  });

  it("many numbers become ranges", () => {
    const { codes, names } = categoriesOf(
      columnOf(
        "n",
        Array.from({ length: 101 }, (_, row) => row),
      ),
    );
    expect([names.length, names[0], codes[0], codes[99], codes[100]]).toEqual([10, "0 – 10", 0, 9, 9]);
  });

  it("rows by group, those without a value last", () => {
    const lists = rowsByGroup(Int32Array.of(1, -1, 0, 1), 2, Int32Array.of(0, 1, 3));
    expect(lists).toEqual([Int32Array.of(), Int32Array.of(0, 3), Int32Array.of(1)]);
  });
});

describe("correlation", () => {
  const x = Float64Array.of(1, 2, 3, 4, 5);
  const all = [0, 1, 2, 3, 4];

  it.each([
    ["a line", [3, 5, 7, 9, 11], 1, 1],
    ["a falling line", [5, 4, 3, 2, 1], -1, -1],
    // By hand: Σdxdy = 8, Σdx² = 10, Σdy² = 10.
    ["some", [1, 3, 2, 5, 4], 0.8, 0.8],
    // Means 3 and 11; Σdxdy = 60, Σdx² = 10, Σdy² = 374. Ranks go together wholly.
    ["a bent one", [1, 4, 9, 16, 25], 60 / Math.sqrt(10 * 374), 1],
    // Ranks 1.5 1.5 3 4.5 4.5: Σdxdy = 9, Σdx² = 10, Σdy² = 9.
    ["ties", [1, 1, 2, 3, 3], 6 / Math.sqrt(10 * 4), 9 / Math.sqrt(90)],
  ])("%s", (_, y, r, rho) => {
    const values = Float64Array.from(y);
    expect(pearson(x, values, all)).toBeCloseTo(r, 12);
    expect(spearman(x, values, all)).toBeCloseTo(rho, 12);
  });

  it("leaves out rows without both", () => {
    const y = Float64Array.of(2, Number.NaN, 6, 8, 10);
    expect(regression(x, y, all)).toEqual({ slope: 2, intercept: 0, r: 1, count: 4 });
  });

  it("nothing to say of what does not vary", () => {
    expect(pearson(x, Float64Array.of(1, 1, 1, 1, 1), all)).toBeNaN();
  });

  it("equal values share their rank", () => {
    expect([...ranks(Float64Array.of(10, 20, 20, 5), Int32Array.of(0, 1, 2, 3))]).toEqual([2, 3.5, 3.5, 1]);
  });
});

describe("colours", () => {
  const linear = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const light = (color: string): number => {
    const [red, green, blue] = rgbOf(color).map((part) => linear(part / 255)) as [number, number, number];
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one: string, other: string): number => {
    const [high, low] = [light(one), light(other)].sort((left, right) => right - left) as [number, number];
    return (high + 0.05) / (low + 0.05);
  };
  /** How people see colours who lack one kind of cones (Machado and others 2009), and those who lack none. */
  const SIGHTS = [
    [1, 0, 0, 0, 1, 0, 0, 0, 1],
    [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
    [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
    [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
  ];
  /** A place in a space where distances are as seen (OKLab). */
  const seen = (color: string, sight: readonly number[]): readonly number[] => {
    const parts = rgbOf(color).map((part) => linear(part / 255));
    const [r, g, b] = [0, 3, 6].map((row) =>
      Math.max(
        0,
        parts.reduce((sum, part, index) => sum + part * (sight[row + index] ?? 0), 0),
      ),
    ) as [number, number, number];
    const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return [
      0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
      1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
      0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
    ];
  };

  it.each([false, true])("dark %s: told apart by all eyes, and from the selected colour", (dark) => {
    const palette = paletteOf(dark, () => "");
    const colors = [...palette.categories, palette.selected];
    for (const sight of SIGHTS)
      for (const [index, one] of colors.entries())
        for (const other of colors.slice(0, index)) {
          const [a, b] = [seen(one, sight), seen(other, sight)];
          const distance = Math.hypot(...a.map((part, axis) => part - (b[axis] ?? 0)));
          expect(distance, `${one} ${other}`).toBeGreaterThan(0.07);
        }
  });

  it.each([false, true])("dark %s: marks stand out from the paper", (dark) => {
    const palette = paletteOf(dark, () => "");
    for (const color of [...palette.categories, palette.mark, palette.selected, palette.current])
      expect(contrast(color, palette.paper), color).toBeGreaterThan(2.9);
  });

  it.each([false, true])("dark %s: the scale goes one way, in even steps", (dark) => {
    const { linear: ramp } = paletteOf(dark, () => "");
    const steps = Array.from({ length: 11 }, (_, step) => seen(ramp(step / 10), SIGHTS[0] ?? [])[0] ?? 0);
    const differences = steps.slice(1).map((value, index) => (value - (steps[index] ?? 0)) * (dark ? 1 : -1));
    expect(Math.min(...differences)).toBeGreaterThan(0.02);
    expect(Math.max(...differences) / Math.min(...differences)).toBeLessThan(3);
  });

  it("ink on any colour can be read", () => {
    const { linear: ramp, diverging } = paletteOf(false, () => "");
    for (let step = 0; step <= 50; step += 1)
      for (const color of [ramp(step / 50), diverging(step / 50)])
        expect(contrast(inkOn(color), color)).toBeGreaterThanOrEqual(4.5);
  });

  it("categories after the last come in other shades", () => {
    const palette = paletteOf(false, () => "");
    const many = Array.from({ length: 24 }, (_, index) => categoryColor(palette, index));
    expect(new Set(many).size).toBe(24);
    expect(categoryColor(palette, -1)).toBe(palette.missing);
  });

  it("takes the page's own colours", () => {
    expect(paletteOf(false, (name) => (name === "--ink" ? "#123456" : "")).ink).toBe("#123456");
  });
});

describe("stamps", () => {
  it("a whole pixel", () => {
    const raster = new Raster(2, 1);
    raster.stamp(stampOf("square", 1), 0.5, 0.5, [10, 20, 30], 1);
    expect(raster.pixels.slice(4)).toEqual(Uint8ClampedArray.of(0, 0, 0, 0));
    expect(raster.pixels.slice(0, 3)).toEqual(Uint8ClampedArray.of(10, 20, 30));
  });

  it("one over another", () => {
    const raster = new Raster(1, 1);
    const full = { side: 1, cover: Uint8Array.of(255) };
    raster.stamp(full, 0.5, 0.5, [255, 255, 255], 1);
    raster.stamp(full, 0.5, 0.5, [0, 0, 0], 0.5);
    expect([...raster.pixels]).toEqual([128, 128, 128, 255]);
  });

  it("what is outside changes nothing", () => {
    const raster = new Raster(3, 3);
    for (const [x, y] of [
      [-9, 1],
      [1, 20],
      [Number.NaN, 1],
    ] as const)
      raster.stamp(stampOf("circle", 4), x, y, [9, 9, 9], 1);
    expect(raster.pixels.every((part) => part === 0)).toBe(true);
  });

  it("all shapes differ", () => {
    const shapes = MARKER_TYPES.map((type) => stampOf(type, 15).cover.join());
    expect(new Set(shapes).size).toBe(MARKER_TYPES.length);
  });
});

describe("rows", () => {
  const keys = { shiftKey: false, ctrlKey: false, metaKey: false };
  const make = () => newTable("t", [columnOf("x", [1, 2, 3, 4])]);
  const list = (rows: Bits): number[] => [...rows.rows()];

  it.each([
    [keys, [2, 3]],
    [{ ...keys, shiftKey: true }, [0, 2, 3]],
    [{ ...keys, ctrlKey: true }, [0, 3]],
    [{ ...keys, metaKey: true }, [0, 3]],
  ])("chosen with %j", (held, expected) => {
    const table = make();
    table.select(Bits.of(4, [0, 2]));
    selectRows(table, Bits.of(4, [2, 3]), held);
    expect(list(table.selected)).toEqual(expected);
  });

  it("a group filters, and once more no longer", () => {
    const table = make();
    const choice = { table, id: "v", action: "Filter", rows: Bits.of(4, [1]), keys };
    chooseGroup(choice);
    expect(list(table.filtered)).toEqual([1]);
    expect(list(rowsOf(table, {}, "v"))).toEqual([0, 1, 2, 3]);
    expect(list(rowsOf(table, {}, "other"))).toEqual([1]);
    chooseGroup({ ...choice, rows: Bits.of(4, [2]), keys: { ...keys, shiftKey: true } });
    expect(list(table.filtered)).toEqual([1, 2]);
    chooseGroup({ ...choice, rows: Bits.of(4, [1, 2]) });
    expect(table.filters.has(filterKey("v"))).toBe(false);
  });

  it("None does nothing", () => {
    const table = make();
    chooseGroup({ table, id: "v", action: "None", rows: Bits.of(4, [1]), keys });
    expect(table.selected.isEmpty).toBe(true);
  });

  it.each([
    ["All", [0, 1, 2, 3]],
    ["Filtered", [1, 2, 3]],
    ["Selected", [0, 1]],
    ["FilteredSelected", [1]],
    ["SelectedOrCurrent", [0, 1]],
    ["CurrentRow", [3]],
    ["MouseOverRow", [2]],
  ])("%s", (rowSource, expected) => {
    const table = make();
    table.setFilter("f", { kind: "range", column: "x", min: 2 });
    table.select(Bits.of(4, [0, 1]));
    table.setCurrentRow(3);
    table.setHoverRow(2);
    expect(list(rowsOf(table, { rowSource }, "v"))).toEqual(expected);
  });

  it("the next one for the keyboard", () => {
    const rows = Bits.of(10, [2, 5]);
    expect([rowBeside(rows, 2, 1), rowBeside(rows, 5, 1), rowBeside(rows, 5, -1), rowBeside(rows, -1, 1)]).toEqual([
      5, -1, 2, 2,
    ]);
  });

  it("the nearest point", () => {
    const points = { rows: Int32Array.of(0, 1, 2), xOf: (row: number) => row * 10, yOf: () => 0 };
    expect(nearestPoint(points, { x: 12, y: 1 }, 5)).toBe(1);
    expect(nearestPoint(points, { x: 15, y: 9 }, 5)).toBe(-1);
  });

  it("a shift is the same each time, and spread", () => {
    const shifts = Array.from({ length: 1_000 }, (_, row) => jitterOf(row));
    expect(shifts).toEqual(Array.from({ length: 1_000 }, (_, row) => jitterOf(row)));
    expect(Math.abs(shifts.reduce((sum, shift) => sum + shift, 0) / 1_000)).toBeLessThan(0.05);
    expect([Math.min(...shifts) >= -0.5, Math.max(...shifts) <= 0.5]).toEqual([true, true]);
  });
});

describe("legends", () => {
  const content = { kind: "categories", title: "SEX", entries: [{ name: "F", color: "#000000" }] } as const;
  const big = { width: 500, height: 400 };

  it.each([
    [{}, big, "right"],
    [{}, { width: 350, height: 300 }, "top"],
    [{}, { width: 250, height: 300 }, undefined],
    [{ legendVisibility: "Always" }, { width: 250, height: 300 }, "top"],
    [{ legendVisibility: "Never" }, big, undefined],
    [{ legendPosition: "Bottom" }, big, "bottom"],
    [{ legendPosition: "LeftTop" }, big, "left"],
  ])("%j in %j", (look, size, side) => {
    expect(legendPlace(look, size, content)?.side).toBe(side);
  });
});

it("long words are cut", () => {
  expect([elide("Caucasian", 200), elide("Caucasian", 40), elide("Caucasian", 3)]).toEqual(["Caucasian", "Cauc…", ""]);
});
