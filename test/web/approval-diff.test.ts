import { describe, expect, it } from "vitest";
import { wordMarks } from "../../src/web/console/approval/diff/marks.ts";
import { readPatch } from "../../src/web/console/approval/diff/patch.ts";
import { countRows, partsOf, rowsOf, SHOWN_CHARS } from "../../src/web/console/approval/diff/rows.ts";

const PATCH = `--- a/x.ts
+++ b/x.ts
@@ -3,4 +3,4 @@ function x
 one
-two old
-three
+two new
 four
\\ No newline at end of file
`;

describe("a patch", () => {
  it("has numbered lines, and pairs of what replaces what", () => {
    const { lines, pairs, partners, ...rest } = readPatch(PATCH);
    expect(lines).toEqual([
      { kind: "hunk", text: "@@ -3,4 +3,4 @@ function x" },
      { kind: "context", text: "one", old: 3, new: 3 },
      { kind: "removed", text: "two old", old: 4 },
      { kind: "removed", text: "three", old: 5 },
      { kind: "added", text: "two new", new: 4 },
      { kind: "context", text: "four", old: 6, new: 5 },
      { kind: "note", text: "No newline at end of file" },
    ]);
    expect(pairs).toEqual([
      { left: 0, whole: true },
      { left: 1, right: 1 },
      { left: 2, right: 4 },
      { left: 3 },
      { left: 5, right: 5 },
      { left: 6, whole: true },
    ]);
    expect([...partners]).toEqual([
      [2, 4],
      [4, 2],
    ]);
    expect(rest).toEqual({ added: 1, removed: 2, cut: false });
  });

  it("keeps a note between removed and added lines, behind their pair", () => {
    const { pairs } = readPatch("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n");
    expect(pairs).toEqual([
      { left: 0, whole: true },
      { left: 1, right: 3 },
      { left: 2, whole: true },
    ]);
  });

  it("without a hunk has nothing", () => {
    expect(readPatch("--- a/x\n+++ b/x\n").lines).toEqual([]);
    expect(readPatch("").lines).toEqual([]);
  });

  it("reads a removed line that looks like a head as a line", () => {
    expect(readPatch("@@ -1 +0,0 @@\n--- a/x\n").lines[1]).toEqual({ kind: "removed", text: "-- a/x", old: 1 });
  });
});

describe("rows", () => {
  const all = { from: 0, to: 100, long: new Map<number, number>() };

  it("stand in one column or beside each other", () => {
    const patch = readPatch(PATCH);
    expect({ split: countRows(patch, "split"), unified: countRows(patch, "unified") }).toEqual({
      split: 6,
      unified: 7,
    });
    expect(rowsOf(patch, { ...all, layout: "split", from: 2, to: 4 }, () => undefined)).toEqual([
      {
        type: "pair",
        left: { kind: "removed", old: 4, line: 2, parts: [{ text: "two " }, { text: "old", marked: true }] },
        right: { kind: "added", new: 4, line: 4, parts: [{ text: "two " }, { text: "new", marked: true }] },
      },
      { type: "pair", left: { kind: "removed", old: 5, line: 3, parts: [{ text: "three" }] } },
    ]);
    expect(rowsOf(patch, { ...all, layout: "unified", from: 5 }, () => undefined)).toEqual([
      { type: "line", cell: { kind: "context", old: 6, new: 5, line: 5, parts: [{ text: "four" }] } },
      { type: "note", text: "No newline at end of file" },
    ]);
  });

  it("show the beginning of a long line and say how much is left", () => {
    const patch = readPatch(`@@ -0,0 +1 @@\n+${"x".repeat(SHOWN_CHARS + 7)}\n`);
    const [, row] = rowsOf(patch, { ...all, layout: "unified" }, () => undefined);
    expect(row).toEqual({
      type: "line",
      cell: { kind: "added", new: 1, line: 1, parts: [{ text: "x".repeat(SHOWN_CHARS) }], more: 7 },
    });
  });
});

describe("parts of a line", () => {
  const red = { light: "#f00" };
  it.each([
    ["plain", "abc", undefined, [], [{ text: "abc" }]],
    ["marks", "abc", undefined, [[1, 2]], [{ text: "a" }, { text: "b", marked: true }, { text: "c" }]],
    [
      "colours and a mark across them",
      "abcd",
      [{ text: "ab", ...red }, { text: "cd" }],
      [[1, 3]],
      [{ text: "a", ...red }, { text: "b", ...red, marked: true }, { text: "c", marked: true }, { text: "d" }],
    ],
    ["colours of another text", "abc", [{ text: "xyz", ...red }], [], [{ text: "abc" }]],
    ["colours of a longer text", "ab", [{ text: "abc", ...red }], [], [{ text: "ab", ...red }]],
    [
      "a carriage return behind the colours",
      "ab\r",
      [{ text: "ab", ...red }],
      [],
      [{ text: "ab", ...red }, { text: "\r" }],
    ],
    ["nothing", "", undefined, [], []],
  ] as const)("%s", (_, text, colours, marks, parts) => expect(partsOf(text, colours, marks)).toEqual(parts));
});

describe("word marks", () => {
  it("are left out where lines have nothing in common or are too long", () => {
    expect(wordMarks("const a = 1;", "return await thing(b)")).toBeUndefined();
    expect(wordMarks("x".repeat(3_000), "y")).toBeUndefined();
  });
  it("name what differs on each side", () => {
    expect(wordMarks("let a = 1;", "let b = 1;")).toEqual({ before: [[4, 5]], after: [[4, 5]] });
  });
});
