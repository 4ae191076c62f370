import { describe, expect, test } from "vitest";
import { readNotice } from "../../src/engines/codex/wire.ts";
import { count, isDeeper, keyOf, parsedJson } from "../../src/engines/vendor/fields.ts";
import { LIMITS } from "../../src/protocol/index.ts";

describe("fields that a vendor's program wrote", () => {
  test.each([
    ["0", 0],
    ["1.4", 1],
    ["1e13", 1e13],
    ["1763580000000", 1_763_580_000_000],
    ["1e14", undefined],
    ["9007199254740993", undefined],
    ["1e308", undefined],
    ["1e999", undefined],
    ["-1", undefined],
    ['"7"', undefined],
    ["null", undefined],
    ["[7]", undefined],
  ])("the figure %s counts as %s", (json, counted) => {
    expect(count(JSON.parse(json))).toBe(counted);
  });

  test.each([
    ["1", 0, false],
    ["{}", 0, true],
    ["{}", 1, false],
    ['{"a":[1]}', 1, true],
    ['{"a":[1]}', 2, false],
    [`${"[".repeat(100_000)}${"]".repeat(100_000)}`, 200, true],
    [`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`, 200, true],
  ])("%.20s with %i levels allowed", (json, most, isDeep) => {
    expect(isDeeper(JSON.parse(json), most)).toBe(isDeep);
  });

  test("JSON that is none, or nests too deep, is nothing", () => {
    const levels = LIMITS.engineNesting;
    expect([parsedJson("{"), parsedJson('{"a":1}'), parsedJson("null")]).toEqual([undefined, { a: 1 }, null]);
    expect(parsedJson(`${"[".repeat(levels)}${"]".repeat(levels)}`)).toBeDefined();
    expect(parsedJson(`${"[".repeat(levels + 1)}${"]".repeat(levels + 1)}`)).toBeUndefined();
  });

  test("the same input has the same key, whatever the order of its fields", () => {
    expect(keyOf({ a: 1, b: { c: [2], d: 3 } })).toBe(keyOf({ b: { d: 3, c: [2] }, a: 1 }));
    expect(keyOf({ a: [1, 2] })).not.toBe(keyOf({ a: [2, 1] }));
  });

  test("Codex's warnings and errors are cut", () => {
    const long = "x".repeat(1_000_000);
    expect(readNotice("warning", { message: long })).toEqual({
      type: "warning",
      message: "x".repeat(LIMITS.engineNoticeChars),
    });
    const turn = { id: "t", status: "failed", error: { message: long } };
    expect(readNotice("turn/completed", { turn })).toMatchObject({
      error: { message: "x".repeat(LIMITS.modelErrorBytes) },
    });
  });
});
