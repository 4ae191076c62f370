import { describe, expect, it } from "vitest";
import { ansiPieces, carriedTo } from "../../src/web/console/transcript/ansi.ts";
import { linesOf, SHOWN_LINES, windowOf } from "../../src/web/console/transcript/lines.ts";
import { beginningOf } from "../../src/web/console/transcript/prompt-text.ts";

const ESC = "\u001B";
const plain = { bold: false, italic: false, underline: false };

describe("colours of output", () => {
  it.each([
    ["no escapes", "words", [{ ...plain, text: "words" }]],
    [
      "a name of the eight",
      `a${ESC}[31mred${ESC}[0mb`,
      [
        { ...plain, text: "a" },
        { ...plain, text: "red", color: "var(--ansi-red)" },
        { ...plain, text: "b" },
      ],
    ],
    ["bright is the same name", `${ESC}[91mred`, [{ ...plain, text: "red", color: "var(--ansi-red)" }]],
    [
      "what comes later does not change what came before",
      `${ESC}[31ma${ESC}[1mb`,
      [
        { ...plain, text: "a", color: "var(--ansi-red)" },
        { ...plain, text: "b", color: "var(--ansi-red)", bold: true },
      ],
    ],
    ["dim", `${ESC}[2mx`, [{ ...plain, text: "x", color: "var(--faint)" }]],
    ["a number below 16 is a name", `${ESC}[38;5;2mx`, [{ ...plain, text: "x", color: "var(--ansi-green)" }]],
    [
      "readable on dark only",
      `${ESC}[38;5;208mx`,
      [{ ...plain, text: "x", color: "light-dark(currentColor, rgb(255 135 0))" }],
    ],
    [
      "readable on light only",
      `${ESC}[38;2;20;20;40mx`,
      [{ ...plain, text: "x", color: "light-dark(rgb(20 20 40), currentColor)" }],
    ],
    [
      "a grey of 256",
      `${ESC}[38;5;255mx`,
      [{ ...plain, text: "x", color: "light-dark(currentColor, rgb(238 238 238))" }],
    ],
    ["a background alone", `${ESC}[44mx`, [{ ...plain, text: "x" }]],
    [
      "a colour goes on behind an erasure, and a link leaves its words",
      `${ESC}[32ma${ESC}[Kb ${ESC}]8;;https://example.com${ESC}\\words${ESC}]8;;\u0007`,
      [{ ...plain, text: "ab words", color: "var(--ansi-green)" }],
    ],
    ["a title and a character set", `${ESC}]0;title\u0007a${ESC}(Bb`, [{ ...plain, text: "ab" }]],
  ])("%s", (_name, text, pieces) => {
    expect(ansiPieces(text)).toEqual(pieces);
  });

  it.each([
    ["nothing before", ["a", "b"], 1, ""],
    ["on since two lines", [`${ESC}[31ma`, "b", "c"], 2, `${ESC}[31m`],
    ["ended", [`${ESC}[31ma${ESC}[0m`, "b"], 1, ""],
    ["ended with the short form, begun anew", [`${ESC}[31ma${ESC}[m${ESC}[1m`, "b"], 1, `${ESC}[1m`],
    ["one upon the other", [`${ESC}[31ma`, `${ESC}[1mb`, "c"], 2, `${ESC}[31m${ESC}[1m`],
    ["what follows does not count", ["a", `${ESC}[31mb`], 1, ""],
  ])("at a line's beginning: %s", (_name, lines, from, carried) => {
    expect(carriedTo(lines, from)).toBe(carried);
  });
});

describe("lines of output", () => {
  it.each([
    ["a last line's end is no line", "a\nb\n", ["a", "b"]],
    ["an empty text is one line", "", [""]],
    ["an endless line is broken", "x".repeat(9_000), ["x".repeat(4_000), "x".repeat(4_000), "x".repeat(1_000)]],
    ["not in the middle of an escape", `${"x".repeat(3_998)}${ESC}[31mred`, ["x".repeat(3_998), `${ESC}[31mred`]],
  ])("%s", (_name, text, lines) => {
    expect(linesOf(text)).toEqual(lines);
  });

  it.each([
    ["the last ones", 1_000, undefined, { from: 1_000 - SHOWN_LINES, to: 1_000 }],
    ["asked for", 1_000, 100, { from: 100, to: 100 + SHOWN_LINES }],
    ["not before the first", 1_000, -5, { from: 0, to: SHOWN_LINES }],
    ["all of a short one", 10, undefined, { from: 0, to: 10 }],
  ])("shown are %s", (_name, count, from, shown) => {
    expect(windowOf(count, from)).toEqual(shown);
  });
});

describe("a prompt's beginning", () => {
  const lines = (many: number): string => Array.from({ length: many }, (_, index) => `line ${index}`).join("\n");
  it.each([
    ["short", "do it", undefined],
    ["a few lines more are not hidden", lines(15), undefined],
    ["many lines", lines(40), lines(12)],
    ["one long line", "x".repeat(5_000), "x".repeat(1_200)],
  ])("%s", (_name, text, beginning) => {
    expect(beginningOf(text)).toBe(beginning);
  });
});
