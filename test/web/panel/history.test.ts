import { expect, test } from "vitest";
import { asText, bounded, listed, surplus, titleOf, type RememberedChat } from "../../../src/web/panel/history.ts";
import { PANEL_LIMITS } from "../../../src/web/panel/limits.ts";

const chat = (number: number, contextId = "a"): RememberedChat => ({
  id: `s${number}`,
  timestamp: number,
  contextId,
  initialPrompt: `prompt ${number}`,
  messages: [],
});
const many = Array.from({ length: 25 }, (_, index) => chat(index, index % 2 === 0 ? "a" : "b"));

test("20 are kept, whatever their context: the oldest go", () => {
  expect(surplus(many).map(({ id }) => id)).toEqual(["s4", "s3", "s2", "s1", "s0"]);
  expect(surplus(many.slice(0, 20))).toEqual([]);
});

test("10 of a context are listed, newest first", () => {
  expect(listed(many, "a").map(({ id }) => id)).toEqual([
    "s24",
    "s22",
    "s20",
    "s18",
    "s16",
    "s14",
    "s12",
    "s10",
    "s8",
    "s6",
  ]);
  expect(listed(many, "c")).toEqual([]);
});

test("the newest messages are kept, as many as there is room for", () => {
  const half = "x".repeat(PANEL_LIMITS.keptChars / 2);
  const messages = [
    { fromUser: true, text: "first" },
    { fromUser: false, text: half },
    { fromUser: true, text: half },
  ];
  expect(bounded({ ...chat(1), messages }).messages).toEqual(messages.slice(1));
});

test("a chat in the list", () =>
  expect([titleOf({ initialPrompt: "short\n one" }), titleOf({ initialPrompt: "x".repeat(50) })]).toEqual([
    "short one",
    `${"x".repeat(40)}…`,
  ]));

test("a conversation as text", () => {
  const line = "-".repeat(50);
  expect(
    asText([
      { fromUser: true, text: "add a chart" },
      { fromUser: false, text: "I add it." },
      { fromUser: false, text: "Done." },
      { fromUser: true, text: "thanks" },
    ]),
  ).toBe(`USER: add a chart\n${line}\nClaude: I add it.\nDone.\n${line}\nUSER: thanks`);
  expect(asText([])).toBe("");
});
