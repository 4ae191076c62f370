import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  endToolItem,
  modelBodyText,
  ModelApi,
  startToolItem,
  type EventBody,
  type Item,
  type ItemStatus,
} from "../../src/protocol/index.ts";
import { modelRequest, originOf } from "../../src/engines/loop/request.ts";
import { ModelTranscript } from "../../src/engines/loop/transcript.ts";
import { readRequest as readMessages } from "../../src/sim/anthropic/request.ts";
import { readRequest as readChat } from "../../src/sim/openai-chat/request.ts";
import { readRequest as readResponses } from "../../src/sim/openai-responses/request.ts";
import { numbered, promptEvent, SETTINGS } from "./world.ts";

type End = Exclude<ItemStatus, "in_progress">;

const started = (item: Item): EventBody => ({ type: "item.started", item });
const completed = (item: Item): EventBody => ({ type: "item.completed", item });
const prompt = (text: string): EventBody => promptEvent({ text });
const failed = (message: string): EventBody => ({
  type: "turn.failed",
  turn_id: "turn_1",
  error: { code: "aborted", message },
  usage: {
    input_tokens: 0,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    model_calls: 0,
  },
});

function says(
  id: string,
  message_id: string,
  text: string,
  status: End = "completed",
  parent_id?: string,
): readonly EventBody[] {
  const item: Item = {
    id,
    type: "agent_message",
    status: "in_progress",
    message_id,
    text: "",
    ...(parent_id === undefined ? {} : { parent_id }),
  };
  return [started(item), completed({ ...item, status, text })];
}

function thinks(id: string, message_id: string, text: string, signature?: string): readonly EventBody[] {
  const item: Item = { id, type: "reasoning", status: "in_progress", message_id, text: "" };
  return [
    started(item),
    completed({ ...item, status: "completed", text, ...(signature === undefined ? {} : { signature }) }),
  ];
}

function calls(id: string, message_id: string, result?: string, parent_id?: string): readonly EventBody[] {
  const item = startToolItem({
    id,
    tool: "Bash",
    tool_use_id: `toolu_${id}`,
    input: { command: id },
    message_id,
    parent_id,
  });
  if (result === undefined) return [started(item)];
  return [
    started(item),
    completed(
      endToolItem(
        { ...item, approved_input: { command: "other" } },
        { status: "completed", output: [{ type: "text", text: result }], is_error: false },
      ),
    ),
  ];
}

function transcriptOf(events: readonly EventBody[]): ModelTranscript {
  const transcript = new ModelTranscript();
  for (const event of numbered(events)) transcript.add(event);
  return transcript;
}

const user = (...texts: readonly string[]): object => ({
  role: "user",
  content: texts.map((text) => ({ type: "text", text })),
});
const spoken = (text: string): object => ({ type: "text", text });
const call = (id: string): object => ({
  type: "tool_use",
  id: `toolu_${id}`,
  name: "Bash",
  input: { command: id },
});
const result = (id: string, content: string): object => ({ type: "tool_result", tool_use_id: `toolu_${id}`, content });
const unknown = (id: string): object => ({ ...result(id, "Interrupted; outcome unknown."), is_error: true });

const CASES: readonly {
  readonly name: string;
  readonly events: readonly EventBody[];
  readonly messages: readonly object[];
}[] = [
  { name: "a prompt", events: [prompt("hi")], messages: [user("hi")] },
  {
    name: "words, then a call with the input that the model wrote, then its result",
    events: [
      prompt("hi"),
      ...thinks("r", "m1", "hm", "sig"),
      ...says("t", "m1", "I run."),
      ...calls("c", "m1", "out"),
      ...says("u", "m2", "Done."),
    ],
    messages: [
      user("hi"),
      {
        role: "assistant",
        content: [{ type: "thinking", thinking: "hm", signature: "sig" }, spoken("I run."), call("c")],
      },
      { role: "user", content: [result("c", "out")] },
      { role: "assistant", content: [spoken("Done.")] },
    ],
  },
  {
    name: "results in the order of the calls, whenever they came",
    events: [prompt("hi"), ...calls("a", "m1"), ...calls("b", "m1", "B"), ...calls("a", "m1", "A").slice(1)],
    messages: [
      user("hi"),
      { role: "assistant", content: [call("a"), call("b")] },
      { role: "user", content: [result("a", "A"), result("b", "B")] },
    ],
  },
  {
    name: "a call without a result",
    events: [prompt("hi"), ...calls("a", "m1"), failed("aborted"), prompt("again")],
    messages: [
      user("hi"),
      { role: "assistant", content: [call("a")] },
      { role: "user", content: [unknown("a")] },
      user("again"),
    ],
  },
  {
    name: "superseded and refused words are gone, interrupted ones stay, empty ones do not",
    events: [
      prompt("hi"),
      ...says("a", "m1", "half", "superseded"),
      ...says("b", "m2", "whole"),
      ...says("c", "m2", " \n", "interrupted"),
      ...says("d", "m3", "part", "interrupted"),
      ...says("e", "m4", "bad", "failed"),
    ],
    messages: [
      user("hi"),
      { role: "assistant", content: [spoken("whole")] },
      { role: "assistant", content: [spoken("part")] },
    ],
  },
  {
    name: "thoughts alone, or without a signature",
    events: [
      prompt("hi"),
      ...thinks("a", "m1", "alone", "sig"),
      ...thinks("b", "m2", "unsigned"),
      ...says("c", "m2", "said"),
    ],
    messages: [user("hi"), { role: "assistant", content: [spoken("said")] }],
  },
  {
    name: "a prompt without an answer says so",
    events: [
      prompt("one"),
      failed("model gone"),
      prompt("two"),
      ...says("a", "m1", "x"),
      failed("later"),
      failed("of a prompt that never began"),
    ],
    messages: [user("one", "[No answer: model gone]"), user("two"), { role: "assistant", content: [spoken("x")] }],
  },
  {
    name: "what sub-agents did is not there",
    events: [
      prompt("hi"),
      ...calls("t", "m1"),
      ...says("x", "m9", "below", "completed", "t"),
      ...calls("y", "m9", "deep", "t"),
      ...calls("t", "m1", "task done").slice(1),
    ],
    messages: [
      user("hi"),
      { role: "assistant", content: [call("t")] },
      { role: "user", content: [result("t", "task done")] },
    ],
  },
  {
    name: "a summary stands for what is before it, up to a message",
    events: [
      prompt("one"),
      ...says("a", "m1", "x"),
      prompt("two"),
      ...says("b", "m2", "y"),
      completed({ id: "s", type: "compaction", status: "completed", summary: "SUM", through: "m1", tokens_before: 9 }),
      prompt("three"),
    ],
    messages: [user("SUM"), user("two"), { role: "assistant", content: [spoken("y")] }, user("three")],
  },
  {
    name: "a summary of everything",
    events: [
      prompt("one"),
      ...says("a", "m1", "x"),
      completed({ id: "s", type: "compaction", status: "completed", summary: "SUM", tokens_before: 9 }),
    ],
    messages: [user("SUM")],
  },
  {
    name: "items of an engine that names no messages",
    events: [
      prompt("hi"),
      started({ id: "a", type: "agent_message", status: "in_progress", text: "" }),
      completed({ id: "a", type: "agent_message", status: "completed", text: "x" }),
    ],
    messages: [user("hi"), { role: "assistant", content: [spoken("x")] }],
  },
];

describe("a transcript", () => {
  test.each(CASES)("$name", ({ events, messages }) => {
    expect(transcriptOf(events).messages()).toEqual(messages);
  });

  test("knows what is open and how far the turn is", () => {
    const transcript = transcriptOf([
      prompt("hi"),
      ...says("a", "m1", "x"),
      ...calls("b", "m1", "B"),
      ...calls("c", "m2"),
      ...calls("d", "m3", undefined, "c"),
    ]);
    expect(transcript.turnMessages).toBe(2);
    expect(transcript.openItems().map((item) => item.id)).toEqual(["c"]);
    expect(
      transcript
        .takeChild("c")
        ?.openItems()
        .map((item) => item.id),
    ).toEqual(["d"]);
    expect(transcript.takeChild("c")).toBeUndefined();
    expect(["toolu_b", "toolu_d", "toolu_x"].map((id) => transcript.knows(id))).toEqual([true, true, false]);
  });
});

describe("whatever a journal holds, the model takes it", () => {
  const text = fc.constantFrom("", " ", "words", "more words\n");
  const status = fc.constantFrom<End>("completed", "interrupted", "superseded", "failed");
  const origin = fc.constantFrom(undefined, "sim/responses", "sim/chat");
  const message = fc.record({
    thought: fc.option(fc.record({ text, signed: fc.boolean(), origin })),
    said: fc.array(fc.record({ text, status }), { maxLength: 2 }),
    called: fc.array(fc.option(text), { maxLength: 3 }),
  });
  const turn = fc.record({
    prompt: fc.constantFrom("one", "two"),
    messages: fc.array(message, { maxLength: 3 }),
    fails: fc.boolean(),
    summary: fc.boolean(),
  });

  const madeBy =
    (whose: string | undefined) =>
    (event: EventBody): EventBody =>
      whose !== undefined && event.type === "item.completed" && event.item.type === "reasoning"
        ? { ...event, item: { ...event.item, origin: whose } }
        : event;

  function write(
    turns: readonly (typeof turn extends fc.Arbitrary<infer Value> ? Value : never)[],
  ): readonly EventBody[] {
    const events: EventBody[] = [];
    let number = 0;
    for (const { prompt: words, messages, fails, summary } of turns) {
      events.push(prompt(words));
      for (const { thought, said, called } of messages) {
        const id = `m${(number += 1)}`;
        if (thought !== null)
          events.push(
            ...thinks(`i${(number += 1)}`, id, thought.text, thought.signed ? "sig" : undefined).map(
              madeBy(thought.origin),
            ),
          );
        for (const { text: spokenText, status: end } of said)
          events.push(...says(`i${(number += 1)}`, id, spokenText, end));
        for (const output of called) events.push(...calls(`i${(number += 1)}`, id, output ?? undefined));
        if (summary)
          events.push(
            completed({
              id: `s${number}`,
              type: "compaction",
              status: "completed",
              summary: "SUM",
              through: id,
              tokens_before: 1,
            }),
          );
      }
      if (fails) events.push(failed("aborted"));
    }
    return events;
  }

  const readers = { messages: readMessages, responses: readResponses, chat: readChat } as const;

  test.each(ModelApi.options)("at every point, asked as %s", (api) => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 4 }), fc.nat(), (turns, cut) => {
        const whole = write(turns);
        const events = [...whole.slice(0, cut % (whole.length + 1)), prompt("and now")];
        const request = modelRequest(
          { baseUrl: "http://x", key: "k", name: "sim", facts: { api }, origin: originOf(api, "sim") },
          { system: "s", messages: transcriptOf(events).messages(), tools: [], settings: SETTINGS },
        );
        expect(
          readers[api](JSON.parse(modelBodyText(request.body)))
            .messages.at(-1)
            ?.content.at(-1),
        ).toEqual({
          type: "text",
          text: "and now",
        });
      }),
      { seed: 11, numRuns: 300 },
    );
  });
});
