import { describe, expect, test } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import { words as sample } from "../../../../src/web/workbench/samples/words.ts";
import { wholeLook } from "../../../../src/web/workbench/viewers/registry.ts";
import type { Look } from "../../../../src/web/workbench/viewers/viewer.ts";
import { wordCloud } from "../../../../src/web/workbench/viewers/word-cloud/definition.ts";
import {
  boxAround,
  layWords,
  rowsWith,
  selectedCodes,
  wordAt,
  wordCloudOf,
  type WordCloudModel,
} from "../../../../src/web/workbench/viewers/word-cloud/model.ts";

const table = () =>
  newTable("t", [
    columnOf("Fruit", ["fig", "kiwi", "fig", null, "fig", "plum", " "]),
    columnOf("Weight", [1, 2, 3, 4, 5, 60, 7]),
  ]);
const model = (set: Look, of = table()): WordCloudModel => {
  const made = wordCloudOf(of, wholeLook(wordCloud, of, set));
  if (typeof made === "string") throw new Error(made);
  return made;
};
const brief = (made: WordCloudModel): unknown =>
  made.words.map(({ text, count, weight, size, angle }) => [text, count, weight, size, angle]);
const measure = (text: string, size: number): number => text.length * size * 0.6;

describe("words", () => {
  test.each<[string, Look, unknown]>([
    [
      "by how many rows",
      { minTextSize: 10, maxTextSize: 30 },
      [
        ["fig", 3, 3, 30, 0],
        ["kiwi", 1, 1, 10, 0],
        ["plum", 1, 1, 10, 0],
      ],
    ],
    [
      "by a sum",
      { sizeColumnName: "Weight", minTextSize: 10, maxTextSize: 20 },
      [
        ["plum", 1, 60, 20, 0],
        ["fig", 3, 9, 11, 0],
        ["kiwi", 1, 2, 10, 0],
      ],
    ],
    [
      "by another aggregate",
      { sizeColumnName: "Weight", sizeAggrType: "min", minTextSize: 10, maxTextSize: 69 },
      [
        ["plum", 1, 60, 69, 0],
        ["kiwi", 1, 2, 11, 0],
        ["fig", 3, 1, 10, 0],
      ],
    ],
    [
      "turned by steps",
      { minRotationDegree: -30, maxRotationDegree: 30, rotationStep: 30, minTextSize: 10, maxTextSize: 30 },
      [
        ["fig", 3, 3, 30, -30],
        ["kiwi", 1, 1, 10, 0],
        ["plum", 1, 1, 10, 30],
      ],
    ],
  ])("%s", (_, set, expected) => {
    expect(brief(model(set))).toEqual(expected);
  });

  test("another column, other letters", () => {
    expect(model({ columnColumnName: "Weight" }).words.length).toBe(7);
    expect(model({ fontFamily: "serif", bold: false }).font).toEqual({ family: "serif", bold: false });
  });

  test("rows that are shown, and those behind a word", () => {
    const some = table();
    some.setFilter("x", { kind: "rows", rows: Bits.of(7, [0, 1, 2, 3]) });
    expect(model({}, some).words.map(({ text, count }) => [text, count])).toEqual([
      ["fig", 2],
      ["kiwi", 1],
    ]);
    expect(rowsWith(some, "Fruit", 0)).toEqual([0, 2]);
    expect([...selectedCodes(some, "Fruit", Bits.of(7, [1, 3]))]).toEqual([1, -1]);
    some.setFilter("x", { kind: "rows", rows: Bits.of(7, [3]) });
    expect(wordCloudOf(some, wholeLook(wordCloud, some, {}))).toBe("No row that is shown has a word in Fruit.");
  });
});

describe("places", () => {
  const all = model({ minRotationDegree: -60, maxRotationDegree: 60, rotationStep: 20 }, sample());

  test("no word leaves the picture or lies on another; the same each time", () => {
    const cloud = layWords(all, { width: 480, height: 300 }, measure);
    expect(cloud.left).toBe(0);
    for (const placed of cloud.placed) {
      const box = boxAround(placed);
      expect(box.x >= -0.01 && box.y >= -0.01 && box.x + box.width <= 480.01 && box.y + box.height <= 300.01).toBe(
        true,
      );
      // Points of a word belong to it alone.
      for (const share of [-0.45, 0, 0.45]) {
        const turn = (placed.word.angle * Math.PI) / 180;
        const [x, y] = [
          placed.x + Math.cos(turn) * placed.width * share,
          placed.y + Math.sin(turn) * placed.width * share,
        ];
        expect(cloud.placed[wordAt(cloud, x, y)]?.word.text).toBe(placed.word.text);
      }
    }
    expect(layWords(all, { width: 480, height: 300 }, measure)).toEqual(cloud);
    expect(wordAt(cloud, 0, 0)).toBe(-1);
  });

  test("where there is no room the largest stay", () => {
    const cloud = layWords(all, { width: 90, height: 60 }, measure);
    expect(cloud.placed.length).toBeGreaterThan(0);
    expect(cloud.placed.length + cloud.left).toBe(all.words.length);
  });
});
