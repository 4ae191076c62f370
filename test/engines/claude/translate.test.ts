import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { outcomeOf } from "../../../src/engines/claude/outcome.ts";
import { VendorTranslator } from "../../../src/engines/claude/translate.ts";
import { readMessage } from "../../../src/engines/claude/wire.ts";
import type { EngineEvent } from "../../../src/engines/index.ts";
import { record, text, type VendorFields } from "../../../src/engines/vendor/fields.ts";

const GOLDEN = join(import.meta.dirname, "golden");
const names = readdirSync(GOLDEN).flatMap((name) => /^(.*)\.jsonl$/.exec(name)?.[1] ?? []);

function replay(lines: readonly VendorFields[]): readonly EngineEvent[] {
  let ids = 0;
  const translator = new VendorTranslator({ idFor: (prefix) => `${prefix}_${(ids += 1)}`, now: () => 1_000 });
  const events: EngineEvent[] = [];
  for (const line of lines) {
    const request = record(line["request"]);
    if (line["type"] === "answer") {
      const tool_use_id = text(line["tool_use_id"]) ?? "";
      if (line["behavior"] === "allow")
        translator.decided(tool_use_id, { effect: "allow", input: record(line["updatedInput"]) });
      else {
        const message = text(line["message"]) ?? "";
        translator.decided(tool_use_id, { effect: "deny", message, status: "declined", interrupt: false });
      }
    } else if (request["subtype"] === "can_use_tool") {
      const asked = {
        tool_use_id: text(request["tool_use_id"]) ?? "",
        tool: text(request["tool_name"]) ?? "",
        input: record(request["input"]),
        agent_id: text(request["agent_id"]),
      };
      events.push(...translator.begin(asked).events);
    } else events.push(...end(translator, line));
  }
  return events;
}

/** As a turn ends: what the result stands for comes last. */
function end(translator: VendorTranslator, line: VendorFields): readonly EngineEvent[] {
  const said = readMessage(line);
  const events = translator.take(said);
  if (said.type !== "result") return events;
  const { apiError, deadStreams } = translator;
  const context = { apiError, cut: deadStreams > 0, refusal: undefined, max_turns: 15, structured: false };
  const outcome = outcomeOf(said, context);
  const rest = translator.close(outcome.type === "completed" ? "completed" : "interrupted");
  const terminal: EngineEvent =
    outcome.type === "completed"
      ? { ...outcome, type: "turn.completed" }
      : {
          type: "turn.failed",
          error: outcome.type === "failed" ? outcome.error : { code: "budget_exceeded", message: "" },
        };
  return [...events, ...rest, terminal];
}

function lines(name: string): readonly VendorFields[] {
  return readFileSync(join(GOLDEN, `${name}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line) => record(JSON.parse(line)));
}

describe("recorded traffic of Claude Code 2.1.325", () => {
  test.each(names)("%s", async (name) => {
    const events = replay(lines(name));
    const told = events.map((event) => JSON.stringify(event)).join("\n");
    await expect(`${told}\n`).toMatchFileSnapshot(join(GOLDEN, `${name}.events`));
  });

  test.each(names)("%s leaves nothing open, and ends once", (name) => {
    const events = replay(lines(name));
    const open = new Map<string, string>();
    for (const event of events) {
      if (event.type === "item.started") open.set(event.item.id, event.item.type);
      if (event.type === "item.completed") expect(open.delete(event.item.id)).toBe(true);
      if (event.type === "item.delta") expect(open.has(event.item_id)).toBe(true);
    }
    expect([...open]).toEqual([]);
    const terminal = events.filter((event) => event.type === "turn.completed" || event.type === "turn.failed");
    expect(terminal).toEqual([events.at(-1)]);
  });

  test.each(names)("%s stays whole when messages of kinds nobody knows come between", (name) => {
    const strange: readonly VendorFields[] = [
      { type: "weather", sunny: true },
      { type: "system", subtype: "from_the_future" },
      { type: "stream_event", event: { type: "content_block_delta", index: 7, delta: { type: "smell_delta" } } },
      { type: "assistant" },
      { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "toolu_unknown", content: "?" }] } },
    ];
    const mixed = lines(name).flatMap((line, index) => [line, strange[index % strange.length] ?? {}]);
    const plain = (events: readonly EngineEvent[]): string =>
      JSON.stringify(events).replaceAll(/(?:item|msg)_\d+/g, "id");
    expect(plain(replay(mixed))).toBe(plain(replay(lines(name))));
  });
});

test("words of a sub-agent that come in pieces lie in its own item, beside those of others", () => {
  let ids = 0;
  const translator = new VendorTranslator({ idFor: (prefix) => `${prefix}_${(ids += 1)}`, now: () => 0 });
  const say = (raw: VendorFields): readonly EngineEvent[] => translator.take(readMessage(raw));
  const piece = (parent: string | null, event: VendorFields): readonly EngineEvent[] =>
    say({ type: "stream_event", parent_tool_use_id: parent, event });
  const begin = (parent: string | null, id: string): readonly EngineEvent[] => [
    ...piece(parent, { type: "message_start", message: { id, usage: { input_tokens: 5, output_tokens: 1 } } }),
    ...piece(parent, { type: "content_block_start", index: 0, content_block: { type: "text" } }),
  ];
  const word = (parent: string | null, text: string): readonly EngineEvent[] =>
    piece(parent, { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
  const end = (parent: string | null): readonly EngineEvent[] =>
    piece(parent, { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } });
  const agents = ["toolu_a", "toolu_b"].map((tool_use_id) =>
    translator.begin({ tool_use_id, tool: "Agent", input: { description: "look", prompt: "x" } }),
  );
  const [a, b] = agents.map(({ item }) => item.id);
  const events = [
    ...begin("toolu_a", "msg_a"),
    ...begin("toolu_b", "msg_b"),
    ...word("toolu_a", "One "),
    ...word("toolu_b", "Eins "),
    ...word("toolu_a", "two."),
    ...say({
      type: "assistant",
      parent_tool_use_id: "toolu_a",
      message: { id: "msg_a", content: [{ type: "text", text: "One two." }] },
    }),
    ...end("toolu_a"),
    ...word("toolu_b", "zwei."),
    ...translator.close("interrupted"),
  ];
  const usage = { cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0, model_calls: 1, input_tokens: 5 };
  const words = (item: object): object => expect.objectContaining({ type: "agent_message", ...item });
  const started = (parent_id: string | undefined): object => ({
    type: "item.started",
    item: words({ parent_id, status: "in_progress" }),
  });
  const [first, second] = events.flatMap((event) => (event.type === "item.started" ? [event.item.id] : []));
  const delta = (item_id: string | undefined, text: string): object => ({
    type: "item.delta",
    item_id,
    field: "text",
    delta: text,
  });
  expect(events.slice(0, 9)).toEqual([
    started(a),
    delta(first, "One "),
    started(b),
    delta(second, "Eins "),
    delta(first, "two."),
    { type: "item.completed", item: words({ id: first, parent_id: a, status: "completed", text: "One two." }) },
    { type: "usage", usage: { ...usage, output_tokens: 2 } },
    delta(second, "zwei."),
    { type: "item.completed", item: words({ id: second, parent_id: b, status: "interrupted", text: "Eins zwei." }) },
  ]);
});

describe("readMessage", () => {
  test.each([
    undefined,
    null,
    3,
    "text",
    [],
    {},
    { type: "result" },
    { type: "assistant", message: { content: [null, 1, {}, { type: "tool_use" }] } },
    { type: "user", message: "?" },
    { type: "stream_event", event: { type: "message_start", message: { usage: { input_tokens: -1 } } } },
    { type: "system", subtype: "api_retry" },
  ])("takes anything: %j", (raw) => {
    const translator = new VendorTranslator({ idFor: (prefix) => `${prefix}_1`, now: () => 0 });
    expect(() => translator.take(readMessage(raw))).not.toThrow();
  });
});
