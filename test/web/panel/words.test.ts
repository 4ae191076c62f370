import { describe, expect, test } from "vitest";
import { Failure } from "../../../src/client/index.ts";
import { LIMITS } from "../../../src/protocol/index.ts";
import { dollars } from "../../../src/web/panel/language.ts";
import { PANEL_LIMITS } from "../../../src/web/panel/limits.ts";
import { isShortcut, parseShortcut } from "../../../src/web/panel/shortcut.ts";
import {
  bareTool,
  connectionWords,
  hunksOf,
  pageWords,
  shorten,
  stepWords,
  troubleOf,
} from "../../../src/web/panel/words.ts";

describe("a step in words", () => {
  const cases: readonly (readonly [string, Record<string, unknown>, string])[] = [
    ["Read", { file_path: "a.txt" }, "Read a.txt"],
    ["Write", { file_path: "a.txt" }, "Write a.txt"],
    ["Edit", { file_path: "a.txt" }, "Edit a.txt"],
    ["NotebookEdit", { notebook_path: "a.ipynb" }, "Edit a.ipynb"],
    ["Bash", { command: `echo ${"x".repeat(200)}` }, `Bash: echo ${"x".repeat(115)}`],
    ["Bash", { command: "a\n  b" }, "Bash: a b"],
    ["Glob", { pattern: "*.md", path: "docs" }, "Glob *.md in docs"],
    ["Glob", { pattern: "*.md" }, "Glob *.md"],
    ["Grep", { pattern: "x", path: "src" }, "Grep 'x' in src"],
    ["WebSearch", { query: "cats" }, "WebSearch: cats"],
    ["WebFetch", { url: "https://a.example" }, "WebFetch: https://a.example"],
    ["mcp__shop__add_to_cart", { article: "milk" }, "Add to cart"],
    ["mcp__my_page__list", {}, "List"],
    ["Read", { file_path: 7 }, "Read"],
    ["mcp__x__y", { a: "b".repeat(10) }, "Y"],
  ];
  test.each(cases)("%s %o", (tool, input, words) => expect(stepWords(tool, input)).toBe(words));

  test("the page's own words come first, if it has some", () => {
    const describeStep = pageWords("workbench", (tool, input) =>
      tool === "add_viewer" ? `Adding ${String(input["viewerType"])} viewer…` : undefined,
    );
    expect([
      stepWords("mcp__workbench__add_viewer", { viewerType: "Scatter plot" }, describeStep),
      stepWords("mcp__workbench__undo", {}, describeStep),
      stepWords("mcp__workbench__undo", {}, () => {
        throw new Error("broken");
      }),
      stepWords("x", {}, () => "y".repeat(1_000)).length,
    ]).toEqual(["Adding Scatter plot viewer…", "Undo", "Undo", PANEL_LIMITS.stepWordsChars]);
  });

  test("the page has no words for what others call alike", () => {
    const harmless = pageWords("workbench", (tool) => (tool === "undo" ? "Taking back…" : undefined));
    expect([
      stepWords("mcp__workbench__undo", {}, harmless),
      stepWords("mcp__mail__undo", {}, harmless),
      stepWords("mcp__workbench2__undo", {}, harmless),
      stepWords(
        "mcp__mail__undo",
        {},
        pageWords(undefined, (tool) => tool),
      ),
    ]).toEqual(["Taking back…", "Undo", "Undo", "mcp__mail__undo"]);
  });

  test("a tool without where it comes from", () =>
    expect(["mcp__a__b", "mcp__a__b__c", "mcp__a_b__c_d", "Bash"].map(bareTool)).toEqual(["b", "b__c", "c_d", "Bash"]));
});

describe("a change", () => {
  test("has all its lines, also those that look like the names of a file", () => {
    const hunk = "@@ -1,2 +1,2 @@\n--- a comment of SQL\n+++ steal();\n same";
    expect([hunksOf(`--- a/x.sql\n+++ b/x.sql\n${hunk}\n`), hunksOf(hunk)]).toEqual([hunk, hunk]);
  });
});

describe("what went wrong, and what to do", () => {
  const cases: readonly (readonly [unknown, object])[] = [
    [
      new Failure("budget_exceeded", "x"),
      { text: "The budget is used up.", next: "Ask an admin for more, or start a new chat with a smaller question." },
    ],
    [new Failure("unauthenticated", "x"), { text: "You are signed out.", next: "Reload the page to sign in again." }],
    [new Failure("forbidden", "only admins"), { text: "You may not do this: only admins.", next: "Ask an admin." }],
    [new Failure("engine_failed", "the engine ended"), { text: "The engine ended." }],
    [
      { code: "max_tokens", message: "x" },
      { text: "The answer was too long and is cut off.", next: "Say “go on” to get the rest." },
    ],
    [
      new TypeError("Failed to fetch"),
      { text: "The server cannot be reached.", next: "Check your network and that the server runs, then try again." },
    ],
    [new Error("odd"), { text: "odd", next: "Try again." }],
    [undefined, { text: "Something went wrong.", next: "Try again." }],
  ];
  test.each(cases)("%o", (error, trouble) => expect(troubleOf(error)).toEqual(trouble));
});

test("how the connection stands", () => {
  const now = 1_000_000;
  expect([
    connectionWords({ state: "open", attempt: 0 }, now),
    connectionWords({ state: "closed", attempt: 0 }, now),
    connectionWords({ state: "connecting", attempt: 0 }, now),
    connectionWords({ state: "connecting", attempt: 2 }, now),
    connectionWords({ state: "waiting", attempt: 2, retry_at: now + 2_100 }, now),
    connectionWords({ state: "waiting", attempt: 2, retry_at: now - 5 }, now),
    connectionWords({ state: "offline", attempt: 1 }, now),
  ]).toEqual([
    undefined,
    undefined,
    "Connecting…",
    "The server cannot be reached. Trying again…",
    "The server cannot be reached. Trying again in 3 s.",
    "The server cannot be reached. Trying again in 0 s.",
    "You are offline. The chat goes on when the network is back.",
  ]);
});

test("money and long texts", () => {
  expect([0, 4_200, 1_230_000].map(dollars)).toEqual(["$0.00", "$0.0042", "$1.23"]);
  expect([shorten("abc", 3), shorten("abcde", 3)]).toEqual(["abc", "abc\n… (2 more characters)"]);
});

test("the shortcut", () => {
  const plain = { ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };
  const keys = parseShortcut("Ctrl+Shift+I");
  expect(keys).toEqual({ key: "i", control: true, shift: true, alt: false });
  expect(parseShortcut("")).toBeUndefined();
  if (keys === undefined) return;
  expect([
    isShortcut(keys, { ...plain, key: "I", ctrlKey: true, shiftKey: true }),
    isShortcut(keys, { ...plain, key: "I", metaKey: true, shiftKey: true }),
    isShortcut(keys, { ...plain, key: "i", ctrlKey: true }),
    isShortcut(keys, { ...plain, key: "i" }),
  ]).toEqual([true, true, false, false]);
});

test("the panel takes no more than the server does", () => {
  expect([
    PANEL_LIMITS.promptChars,
    PANEL_LIMITS.attachments,
    PANEL_LIMITS.imageBytes,
    PANEL_LIMITS.feedbackChars,
    PANEL_LIMITS.diffChars,
  ]).toEqual([
    LIMITS.promptChars,
    LIMITS.attachmentsPerPrompt,
    LIMITS.attachmentBytes,
    LIMITS.feedbackChars,
    LIMITS.diffChars,
  ]);
  expect(PANEL_LIMITS.attachedChars).toBeLessThan(LIMITS.bodyBytes);
});
