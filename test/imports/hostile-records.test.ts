import { describe, expect, it } from "vitest";
import { readRecord } from "../../src/imports/index.ts";
import { ImportedConversation, LIMITS } from "../../src/protocol/index.ts";

const user = (content: unknown, more: object = {}): object => ({ type: "user", message: { content }, ...more });
const assistant = (content: unknown, more: object = {}): object => ({
  type: "assistant",
  message: { content },
  ...more,
});
const event = (message: unknown): object => ({ type: "event_msg", payload: { type: "user_message", message } });
const item = (payload: unknown): object => ({ type: "response_item", payload });
const text = (...lines: readonly (object | string)[]): string =>
  lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
const use = (more: object): object => ({ type: "tool_use", id: "t1", name: "Bash", input: {}, ...more });
const deep = (depth: number, [open, close]: readonly [string, string] = ["[", "]"]): string =>
  `${open.repeat(depth)}${open.endsWith(":") ? "1" : ""}${close.repeat(depth)}`;
const DEEP = 200_000;
const raw = (line: object, value: string): string => JSON.stringify(line).replace('"@"', () => value);

/** One record each that somebody made to do harm. */
const RECORDS: Readonly<Record<string, string>> = {
  "input nested deeper than any stack": text(
    user("hi"),
    raw(assistant([use({ input: "@" })]), deep(DEEP, ['{"a":', "}"])),
  ),
  "input of lists nested deeper than any stack": text(user("hi"), raw(assistant([use({ input: "@" })]), deep(DEEP))),
  "an output nested deeper than any stack": text(
    user("hi"),
    assistant([use({})]),
    raw(user([{ type: "tool_result", tool_use_id: "t1", content: "@" }]), deep(DEEP)),
  ),
  "Codex arguments nested deeper than any stack": text(
    event("hi"),
    item({ type: "function_call", name: "x", arguments: deep(DEEP), call_id: "c" }),
  ),
  "Codex output nested deeper than any stack": text(
    event("hi"),
    item({ type: "function_call", name: "x", arguments: "{}", call_id: "c" }),
    raw(item({ type: "function_call_output", call_id: "c", output: "@" }), deep(DEEP)),
  ),
  "a Codex action nested deeper than any stack": text(
    event("hi"),
    raw(item({ type: "local_shell_call", call_id: "c", action: "@" }), deep(DEEP)),
  ),
  "one turn larger than any body": text(
    user("hi"),
    ...Array.from({ length: 400 }, () => assistant([{ type: "text", text: "x".repeat(200_000) }])),
  ),
  "an input larger than any body": text(user("hi"), assistant([use({ input: { command: "x".repeat(40_000_000) } })])),
  "an empty tool name": text(user("hi"), assistant([use({ name: "" })])),
  "an id of the conversation that is a book": text(user("hi", { sessionId: "x".repeat(100_000) })),
  "a Codex id that is a book": text(
    { type: "session_meta", payload: { id: "x".repeat(100_000), cwd: "/" } },
    event("hi"),
  ),
  "a year of five digits": text(user("hi", { timestamp: "+275760-01-01T00:00:00.000Z" })),
  "a year before Christ": text(user("hi", { timestamp: "-000044-03-15T00:00:00.000Z" })),
  "a time that is none": text(user("hi", { timestamp: "yesterday" })),
  "a time of another form": text(user("hi", { timestamp: "Tue, 17 Nov 2026 10:00:00 GMT" })),
  "more items than fit in a turn": text(
    user("hi"),
    ...Array.from({ length: LIMITS.importItems + 10 }, () => assistant([{ type: "text", text: "x" }])),
  ),
  "more turns than fit": text(...Array.from({ length: LIMITS.importTurns + 10 }, (_, index) => user(`p${index}`))),
  "prototype names": text(
    user("hi", { sessionId: "__proto__", cwd: "constructor" }),
    assistant([use({ name: "__proto__", id: "__proto__" }), use({ name: "constructor", id: "toString" })]),
    raw(
      assistant([use({ id: "x", input: "@" })]),
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    ),
    user([{ type: "tool_result", tool_use_id: "__proto__", content: "own" }]),
  ),
  "twice the same id": text(
    user("hi"),
    assistant([use({}), use({})]),
    user([
      { type: "tool_result", tool_use_id: "t1", content: "one" },
      { type: "tool_result", tool_use_id: "t1", content: "two" },
    ]),
  ),
  "half a character at each cut": text(
    user(`${"x".repeat(LIMITS.promptChars - 1)}😀`),
    assistant([
      { type: "text", text: `${"x".repeat(LIMITS.importOutputChars - 1)}😀` },
      use({ name: `${"x".repeat(199)}😀` }),
    ]),
  ),
  "lone halves of characters": text(
    raw(user("@"), String.raw`"a\ud800b"`),
    raw(assistant([{ type: "text", text: "@" }]), String.raw`"\udfff"`),
  ),
  "a million lines": `${text(user("hi"))}${"\n".repeat(1_000_000)}${"{}\n".repeat(300_000)}`,
  "types that are wrong": text(
    user("hi"),
    user(5),
    user([5]),
    user([{ type: "tool_result", tool_use_id: 5, content: { a: 1 } }]),
    user({ content: "x" }),
    assistant([{ type: "tool_use", id: 7, name: ["x"], input: "x" }]),
    assistant([use({ input: "text" }), use({ input: null }), use({ input: [1, 2] }), use({ input: 5 })]),
    { type: "user", message: null },
    { type: "user", message: { content: "kept" }, sessionId: null, cwd: 5, timestamp: 1_763_000_000 },
  ),
  "types that are wrong, Codex": text(
    event("hi"),
    event(5),
    item({ type: "message", role: "user", content: "x" }),
    item({ type: "message", role: 5, content: [] }),
    item({ type: "function_call", name: "x", arguments: "null", call_id: "c" }),
    item({ type: "function_call", name: "x", arguments: "[1]", call_id: "d" }),
    item({ type: "function_call_output", call_id: "c" }),
    item({ type: "function_call_output", call_id: "d", output: null }),
    item(null),
  ),
};

describe("a record that was made to do harm", () => {
  it.each(Object.entries(RECORDS))("with %s is read, and the server takes what was read", (_what, record) => {
    const found = readRecord(record);
    expect(found).toBeDefined();
    const { conversation } = found ?? {};
    expect(ImportedConversation.safeParse(conversation).error?.issues).toBeUndefined();
    const sent = JSON.stringify(conversation);
    expect(Buffer.byteLength(sent)).toBeLessThan(LIMITS.bodyBytes);
    expect(sent.isWellFormed()).toBe(true);
    expect(sent).not.toMatch(/\\ud[89a-f]/i);
  });
});
