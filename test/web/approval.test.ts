import { describe, expect, it } from "vitest";
import { answersOf, choose, chooseOther, isAnswered, NOTHING_CHOSEN } from "../../src/web/ui/answers.ts";
import { isUrgent, remainingWords } from "../../src/web/console/approval/countdown.ts";
import { visible } from "../../src/web/ui/visible.ts";
import { fieldsOf, inputOfJson, withTexts } from "../../src/web/console/approval/edit.ts";

describe("countdown", () => {
  const now = Date.parse("2026-11-15T12:00:00Z");
  it.each([
    [undefined, "no time limit", false],
    ["2026-11-15T12:00:45Z", "45 s left", true],
    ["2026-11-15T12:04:05Z", "4:05 left", false],
    ["2026-11-15T13:03:10Z", "1 h 3 min left", false],
    ["2026-11-15T12:00:00.200Z", "1 s left", true],
    ["2026-11-15T11:59:59Z", "time is up", true],
  ])("%j: %j", (expires, words, urgent) => {
    expect(remainingWords(expires, now)).toBe(words);
    expect(isUrgent(expires, now)).toBe(urgent);
  });
});

describe("answers", () => {
  const option = (label: string) => ({ label, description: "" });
  const one = { question: "Which?", header: "Which", options: [option("a"), option("b")], multiSelect: false };
  const many = { ...one, question: "Which ones?", multiSelect: true };

  it("one answer: the last choice counts, a label or own words", () => {
    const first = choose(NOTHING_CHOSEN, "a", false);
    expect(answersOf([one], [choose(first, "b", false)])).toEqual({ "Which?": "b" });
    expect(answersOf([one], [chooseOther(first, " my own ", false)])).toEqual({ "Which?": "my own" });
    expect(answersOf([one], [choose(chooseOther(first, "x", false), "a", false)])).toEqual({ "Which?": "a" });
  });

  it("questions with one text keep their own answers", () => {
    const chosen = ["a", "b"].map((label) => choose(NOTHING_CHOSEN, label, false));
    expect(answersOf([one, one], chosen)).toEqual({ "Which?": "a", "Which? (2)": "b" });
    expect(answersOf([one, one], [NOTHING_CHOSEN, ...chosen.slice(1)])).toEqual({ "Which? (2)": "b" });
  });

  it("several answers: in the order of the options, own words last, a second click gives one back", () => {
    const both = choose(choose(NOTHING_CHOSEN, "b", true), "a", true);
    expect(answersOf([many], [chooseOther(both, "c", true)])).toEqual({ "Which ones?": ["a", "b", "c"] });
    expect(answersOf([many], [choose(both, "a", true)])).toEqual({ "Which ones?": ["b"] });
    expect(answersOf([many], [chooseOther(chooseOther(both, "c", true), undefined, true)])).toEqual({
      "Which ones?": ["a", "b"],
    });
  });

  it("what is open is left out, and empty words are no answer", () => {
    const blank = chooseOther(NOTHING_CHOSEN, "  ", false);
    expect(isAnswered(blank)).toBe(false);
    expect(answersOf([one, many], [blank])).toEqual({});
  });

  it("a question may have any words", () => {
    const odd = { ...one, question: "__proto__" };
    const answers = answersOf([odd], [choose(NOTHING_CHOSEN, "a", false)]);
    expect(Object.entries(answers)).toEqual([["__proto__", "a"]]);
  });
});

describe("editing an input", () => {
  const change = (tool: string, input: Record<string, unknown>, texts: readonly string[]): unknown =>
    withTexts(input, fieldsOf(tool, input), texts);

  it.each([
    ["Write", { file_path: "a", content: "x" }, ["y"], { file_path: "a", content: "y" }],
    [
      "Edit",
      { file_path: "a", old_string: "x", new_string: "y" },
      ["x", "z"],
      { file_path: "a", old_string: "x", new_string: "z" },
    ],
    ["Bash", { command: "ls", timeout: 5 }, ["ls -l"], { command: "ls -l", timeout: 5 }],
    ["NotebookEdit", { notebook_path: "n", new_source: "1" }, ["2"], { notebook_path: "n", new_source: "2" }],
    [
      "MultiEdit",
      {
        file_path: "a",
        edits: [
          { old_string: "x", new_string: "y" },
          { old_string: "p", new_string: "q", replace_all: true },
        ],
      },
      ["x", "y", "p", "r"],
      {
        file_path: "a",
        edits: [
          { old_string: "x", new_string: "y" },
          { old_string: "p", new_string: "r", replace_all: true },
        ],
      },
    ],
  ])("%s", (tool, input, texts, changed) => expect(change(tool, input, texts)).toEqual(changed));

  it("keeps line ends: those of an untouched text, and those of a text that had only CRLF", () => {
    expect(change("Write", { content: "a\r\nb\n" }, ["a\nb\n"])).toEqual({ content: "a\r\nb\n" });
    expect(change("Write", { content: "a\r\nb\r\n" }, ["a\nc\n"])).toEqual({ content: "a\r\nc\r\n" });
    expect(change("Write", { content: "a\r\nb\n" }, ["a\nc\n"])).toEqual({ content: "a\nc\n" });
  });

  it("other tools have no texts of their own", () => {
    expect(fieldsOf("WebFetch", { url: "https://example.com" })).toEqual([]);
    expect(fieldsOf("MultiEdit", { edits: "none" })).toEqual([]);
  });

  it("JSON must be an object", () => {
    expect(inputOfJson('{"a":1}')).toEqual({ input: { a: 1 } });
    expect(inputOfJson("[1]")).toEqual({ problem: "The input must be a JSON object." });
    expect(inputOfJson("{")).toEqual({ problem: expect.stringMatching(/^This is not JSON: /) });
  });
});

describe("characters that would not be seen", () => {
  it.each([
    ["plain text\twith\nlines\r\n", "plain text\twith\nlines\r\n"],
    ["a\u202Eb", "a⟨U+202E⟩b"],
    ["\u200Bx\uFEFF", "⟨U+200B⟩x⟨U+FEFF⟩"],
    ["\u001B[31m", "⟨U+001B⟩[31m"],
    ["\u{E0041}", "⟨U+E0041⟩"],
    ["größe 日本 👍", "größe 日本 👍"],
  ])("%j is shown as %j", (text, shown) => expect(visible(text)).toBe(shown));
});
