import { assert, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { LiveOutput } from "../../src/cli/show/live-output.ts";
import { paintFor } from "../../src/cli/terminal/paint.ts";
import { table } from "../../src/cli/terminal/table.ts";
import { clip, oneLine, visible } from "../../src/cli/terminal/visible.ts";
import { age, count, countdown, duration } from "../../src/cli/terminal/words.ts";
import { LIMITS } from "../../src/protocol/index.ts";

describe("text from elsewhere", () => {
  test.each([
    ["plain words\n\tand äöü 漢字 👍🏽", "plain words\n\tand äöü 漢字 👍🏽"],
    ["\u001b[2J\u001b[1;31mred", "␛[2J␛[1;31mred"],
    ["over\rwritten\u0007\u0008\u007f", "over␍written␇␈␡"],
    ["\u009b31m", "⟨U+009B⟩31m"],
    ["rm \u202efdp.txt", "rm ⟨U+202E⟩fdp.txt"],
    ["a\u200bb\ufeffc\u2028d\u00ade", "a⟨U+200B⟩b⟨U+FEFF⟩c⟨U+2028⟩d⟨U+00AD⟩e"],
    ["\u{e0041}", "⟨U+E0041⟩"],
    ["👨‍👩‍👧", "👨‍👩‍👧"],
  ])("%j is shown as %j", (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test("never holds a control character but newline and tab", () => {
    assert(
      property(string({ unit: "binary" }), (text) => !/\p{Cc}/u.test(visible(text).replaceAll(/[\n\t]/g, ""))),
      { seed: 7, numRuns: 500 },
    );
  });

  test.each([
    [" one\ntwo\nthree ", 10, "one (+2 lines)"],
    ["one\ntwo", 10, "one (+1 line)"],
    ["0123456789abc", 10, "0123456789…"],
  ])("%j on one line of %d is %j", (text, characters, shown) => {
    expect(oneLine(text, characters)).toBe(shown);
  });

  test("a character outside the basic plane is never cut in half", () => {
    expect(clip("abc👍", 4)).toBe("abc…");
  });
});

test("times and numbers", () => {
  expect([duration(3), duration(1_234), duration(125_000)]).toEqual(["3 ms", "1.2 s", "2 min 5 s"]);
  expect([countdown(299_001), countdown(-5), countdown(61_000)]).toEqual(["5:00", "0:00", "1:01"]);
  expect([age(5_000), age(61_000), age(7_200_000), age(200_000_000)]).toEqual(["5 s", "1 min", "2 h", "2 d"]);
  expect([count(1, "line"), count(1_234, "line")]).toEqual(["1 line", "1,234 lines"]);
});

test("a table has columns, no control characters, and the width of the terminal", () => {
  const rows = [
    ["ID", "STATUS", "TITLE"],
    ["1", "working", "short"],
    ["22", "idle", "two\nlines \u001b[31m and much too long"],
  ];
  expect(table(rows, 30)).toEqual(["ID  STATUS   TITLE", "1   working  short", "22  idle     two lines ␛[31m …"]);
});

test.each([
  [{ isTTY: true }, {}, true],
  [{ isTTY: true }, { NO_COLOR: "1" }, false],
  [{ isTTY: true }, { TERM: "dumb" }, false],
  [{ isTTY: false }, {}, false],
  [{}, { FORCE_COLOR: "1" }, true],
  [{}, { FORCE_COLOR: "0" }, false],
  [{}, { FORCE_COLOR: "1", NO_COLOR: "1" }, false],
])("colours on %j with %j: %s", (stream, environment, coloured) => {
  expect(paintFor(stream, environment).isColorSupported).toBe(coloured);
});

describe("a command's output", () => {
  const shown = (chunks: readonly string[]): readonly string[] => {
    const lines: string[] = [];
    const output = new LiveOutput((line) => lines.push(line));
    for (const chunk of chunks) output.add(chunk);
    output.end();
    return lines;
  };

  test("short: every line, however it was cut into pieces", () => {
    expect(shown(["on", "e\ntw", "o\n\nthree"])).toEqual(["one", "two", "", "three"]);
  });

  test("long: the first lines, how many are left out, the last ones", () => {
    const all = Array.from({ length: 100 }, (_, index) => `${index + 1}`);
    const hidden = 100 - LIMITS.terminalOutputHead - LIMITS.terminalOutputTail;
    expect(shown([`${all.join("\n")}\n`])).toEqual([
      ...all.slice(0, LIMITS.terminalOutputHead),
      `… ${hidden} more lines`,
      ...all.slice(-LIMITS.terminalOutputTail),
    ]);
  });

  test("a progress bar is what it drew last, a wide line is cut, escapes are seen", () => {
    expect(shown(["10%\r50%\r100%\r\n", "\u001b[31mred\n"])).toEqual(["100%", "␛[31mred"]);
    expect(shown(["x".repeat(5_000)])[0]?.length).toBe(LIMITS.terminalLineChars + 1);
  });
});
