import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { piecesOf, type TextPiece } from "../../../src/web/panel/pieces.ts";

const at = (text: string): TextPiece => ({ text, continues: false });
const on = (text: string): TextPiece => ({ text, continues: true });

describe("a long text in pieces", () => {
  test.each<[string, string, number, readonly TextPiece[]]>([
    ["nothing", "", 4, []],
    ["short", "abc", 4, [at("abc")]],
    ["just so long", "abcd", 4, [at("abcd")]],
    ["lines stay whole", "a\nb\nc\nd", 4, [at("a\nb\n"), at("c\nd")]],
    ["a long line goes on", "+abcdef\n-b", 4, [at("+abc"), on("def\n"), at("-b")]],
    ["what goes on is no line of its own", "abcd+ef", 4, [at("abcd"), on("+ef")]],
    ["characters stay whole", "abc🙂d", 4, [at("abc"), on("🙂d")]],
  ])("%s", (_, text, chars, pieces) => {
    expect(piecesOf(text, chars)).toEqual(pieces);
  });

  test("joined they are the text, none is too long, and each says whether it begins a line", () => {
    const text = fc.array(fc.constantFrom("a", "\n", "\r\n", "🙂", "+")).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 9 }), (whole, chars) => {
        const pieces = piecesOf(whole, chars);
        expect(pieces.map((piece) => piece.text).join("")).toBe(whole);
        expect(pieces.every((piece) => piece.text !== "" && piece.text.length <= chars)).toBe(true);
        expect(pieces.every((piece) => !/\p{Surrogate}/u.test(piece.text))).toBe(true);
        pieces.forEach(({ continues }, index) =>
          expect(continues).toBe(index > 0 && !(pieces[index - 1]?.text ?? "").endsWith("\n")),
        );
      }),
      { seed: 6, numRuns: 500 },
    );
  });
});
