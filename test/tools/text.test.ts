import * as fc from "fast-check";
import { applyPatch } from "diff";
import { describe, expect, test } from "vitest";
import { unifiedDiff } from "../../src/tools/files/diff.ts";
import { linesOfText } from "../../src/tools/files/lines.ts";
import { replaceText } from "../../src/tools/files/replace.ts";
import { matchingLines } from "../../src/tools/shell/filter.ts";
import { htmlToText } from "../../src/tools/web/html.ts";
import { cpuTime } from "../support/cpu-time.ts";

const seed = 4711;

describe("unifiedDiff", () => {
  test.each([
    ["same", "a\n", "a\n", ""],
    ["new", "", "hello world", "@@ -0,0 +1 @@\n+hello world"],
    ["new, two lines", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b"],
    ["emptied", "hello", "", "@@ -1 +0,0 @@\n-hello"],
    ["one line", "a\n", "b\n", "@@ -1 +1 @@\n-a\n+b"],
    ["the last newline only", "x\ny", "x\ny\n", "@@ -1,2 +1,2 @@\n x\n-y\n+y"],
    [
      "context of three",
      "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
      "1\n2\n3\n4\nX\n6\n7\n8\n9\n",
      "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8",
    ],
    ["carriage returns", "a\r\nb\r\n", "a\r\nc\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r"],
    ["a line that looks like a marker", "a\n", "\\ x\n", "@@ -1 +1 @@\n-a\n+\\ x"],
  ])("%s", (_name, before, after, expected) => {
    const head = expected === "" ? "" : "--- a//f\n+++ b//f\n";
    expect(unifiedDiff({ path: "/f", before, after }).text).toBe(head + expected);
  });

  const line = fc.constantFrom("a", "b", "c", "+x", "-y", " z", "");
  const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.map((one) => `${one}\n`).join(""));

  test("applied to the old text it gives the new one; its counts are right", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { text: diff, added, removed } = unifiedDiff({ path: "f", before, after });
        expect(diff === "" ? before : applyPatch(before, diff)).toBe(after);
        const lines = (content: string): number => content.split("\n").length;
        expect(added - removed).toBe(lines(after) - lines(before));
      }),
      { seed, numRuns: 300 },
    );
  });

  test("texts with nothing in common take no more than their time, and the diff is whole", () => {
    const numbers = (from: number): string =>
      Array.from({ length: 20_000 }, (_, index) => `${from + ((index * 7_919) % 20_011)}\n`).join("");
    const [before, after] = [`same\n${numbers(0)}end\n`, `same\n${numbers(500_000)}end\n`];
    const { text: diff, added, removed } = unifiedDiff({ path: "f", before, after });
    expect([added, removed]).toEqual([20_000, 20_000]);
    expect(diff.startsWith("--- a/f\n+++ b/f\n@@ -1,20002 +1,20002 @@\n same\n-")).toBe(true);
    expect(applyPatch(before, diff)).toBe(after);
  });
});

describe("replaceText", () => {
  const piece = fc.constantFrom("a", "b", "\n", "\r\n", "\r", "x");
  const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(""));

  test("what is not replaced stays, byte for byte", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const raw = `${before}<mark>${after}`;
        expect(replaceText(raw, { old_string: "<mark>", new_string: "<new>", replace_all: false })).toEqual({
          text: `${before}<new>${after}`,
          occurrences: 1,
        });
      }),
      { seed, numRuns: 300 },
    );
  });

  test("a text read without carriage returns is found, and put back it is the same file", () => {
    fc.assert(
      fc.property(text, text, text, (before, middle, after) => {
        const raw = `${before}(${middle})${after}`;
        const seen = `(${middle})`.replaceAll("\r\n", "\n");
        const there = replaceText(raw, { old_string: seen, new_string: "<>", replace_all: false });
        expect(there).toEqual({ text: `${before}<>${after}`, occurrences: 1 });
      }),
      { seed, numRuns: 300 },
    );
  });
});

test("lines cut out of a text are its lines", () => {
  const text = fc.array(fc.constantFrom("a", "bb", "\n", "\r\n"), { maxLength: 40 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }), (raw, offset, limit) => {
      const all =
        raw === ""
          ? []
          : raw
              .replace(/\n$/, "")
              .split("\n")
              .map((line) => line.replace(/\r$/, ""));
      const found = linesOfText(raw, { offset, limit });
      expect(found.lines).toEqual(all.slice(offset - 1, offset - 1 + limit));
      expect(found.more).toBe(all.length > offset - 1 + limit);
      if (!found.more) expect(found.total).toBe(all.length);
    }),
    { seed, numRuns: 500 },
  );
});

describe("matchingLines", () => {
  test.each([
    ["plain", "b", [false, true, false]],
    ["anchored", "^a$", [true, false, false]],
    ["nothing", "zzz", [false, false, false]],
    ["everything", "", [true, true, true]],
  ])("%s", (_name, filter, expected) => {
    expect(matchingLines(["a", "abc", "x"], filter)).toEqual(expected);
  });

  test("no expression", () => {
    expect(matchingLines(["a"], "(")).toEqual({
      refused: expect.stringMatching(/^The filter is not a valid regular expression/) as string,
    });
  });

  test("an expression that would take ages is stopped", () => {
    const begin = cpuTime();
    expect(matchingLines([`${"a".repeat(60)}!`], "^(a+)+$")).toEqual({
      refused: "The filter takes too long on this output. Use a simpler expression.",
    });
    expect(cpuTime() - begin).toBeLessThan(5_000);
  });
});

describe("htmlToText", () => {
  test.each([
    ["plain", "hello <b>big</b>\n world", "hello big world"],
    [
      "title",
      "<html><head><title>The &amp; title</title><style>x{}</style></head><body>b</body></html>",
      "# The & title\n\nb",
    ],
    ["headings and paragraphs", "<h1>One</h1><p>first</p><p>second<br>line</p>", "# One\n\nfirst\n\nsecond\nline"],
    ["lists", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>end", "- a\n- b\n  - c\n\nend"],
    [
      "links",
      '<a href="/x?a=1&amp;b=2">go <i>there</i></a>, <a href="#top">up</a>, <a href="javascript:x()">js</a>',
      "[go there](https://h.org/x?a=1&b=2), up, js",
    ],
    ["pre", "<pre>a\n  b\n\nc</pre>d", "a\n  b\n\nc\n\nd"],
    ["table", "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "| a | b\n| 1 | 2"],
    [
      "scripts, comments, doctype",
      "<!doctype html><!-- <p>no</p> --><script>if (a < b) {}</script>yes<style>p{}</style>",
      "yes",
    ],
    ["entities", "&lt;a&gt; &#65;&#x42; &nbsp;&unknown; &#0;", "<a> AB &unknown; \u{FFFD}"],
    ["entities of all kinds", "<pre>&Eacute;&alpha;&nbsp;&#128;&AMP</pre>", "Éα €&"],
    ["entities in an address", '<a href="/?a=1&copy=2&amp;b=3">t</a>', "[t](https://h.org/?a=1&copy=2&b=3)"],
    ["images", '<img src="a.png" alt="A cat">', "[image: A cat]"],
    ["a lone <", "1 < 2 and <3", "1 < 2 and <3"],
    ["quoted >", '<a href="x" title="a>b">t</a>', "[t](https://h.org/x)"],
    ["not closed", "<p>a<div>b<script>never", "a\nb"],
    ["empty", "", ""],
  ])("%s", (_name, html, expected) => {
    expect(htmlToText(html, "https://h.org/page")).toBe(expected);
  });

  test.each([
    ["open links", "<a href=x>".repeat(100_000)],
    ["open lists", "<ul><li>".repeat(100_000)],
    ["bold words", "<b>x</b>".repeat(200_000)],
    ["lone brackets", "<".repeat(500_000)],
    ["titles", `<head>${"<title ".repeat(100_000)}`],
    ["open quotes", '<a href="'.repeat(100_000)],
    ["ampersands", "&#".repeat(300_000)],
  ])("a page of %s takes no time", (_name, html) => {
    const begin = cpuTime();
    htmlToText(html, "https://h.org/");
    expect(cpuTime() - begin).toBeLessThan(3_000);
  });
});
