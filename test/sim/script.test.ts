import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readScript } from "../../src/sim/script.ts";
import { after, assemble, Client, eventsOf, script, type Sent } from "./world.ts";

let client: Client;
beforeAll(async () => {
  client = await Client.start();
});
afterAll(() => client.server.close());

describe("a scripted stream", () => {
  test("has the frames of the real API, byte for byte the same each time", async () => {
    const messages = [
      script({ think: "I see." }, { say: "Hello there." }, { tool: "Read", input: { file_path: "/a/b" } }),
    ];
    const stream = await client.stream(messages);
    expect(await client.stream(messages)).toBe(stream);
    const usage = { input_tokens: 29, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    expect(eventsOf(stream)).toEqual([
      {
        type: "message_start",
        message: {
          id: expect.stringMatching(/^msg_[0-9a-f]{24}$/),
          type: "message",
          role: "assistant",
          model: "sim",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...usage, output_tokens: 1, service_tier: "standard" },
        },
      },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
      { type: "ping" },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "I " } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "see." } },
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "signature_delta", signature: expect.stringMatching(/^sim\./) },
      },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Hello " } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "there." } },
      { type: "content_block_stop", index: 1 },
      {
        type: "content_block_start",
        index: 2,
        content_block: { type: "tool_use", id: expect.stringMatching(/^toolu_[0-9a-f]{24}$/), name: "Read", input: {} },
      },
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: "" } },
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: "{" } },
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '"file_p' } },
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: "ath" } },
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '":"/a/b"}' } },
      { type: "content_block_stop", index: 2 },
      {
        type: "message_delta",
        delta: { stop_reason: "tool_use", stop_sequence: null },
        usage: { ...usage, output_tokens: 11, output_tokens_details: { thinking_tokens: 2 } },
      },
      { type: "message_stop" },
    ]);
  });

  const SAME: readonly { readonly name: string; readonly steps: readonly unknown[] }[] = [
    { name: "text", steps: [{ say: "One two\n\nthree  " }] },
    { name: "thinking and several texts", steps: [{ think: "hm" }, { say: "a" }, { say: "b" }] },
    {
      name: "several tools with odd inputs",
      steps: [
        {
          tools: [
            { tool: "A", input: { text: '\u{1F600} "\\\u0000é', deep: { list: [1, null, true] } } },
            { tool: "B" },
          ],
        },
      ],
    },
    { name: "a stream of tokens", steps: [{ stream: { tokens: 700 } }] },
    {
      name: "usage",
      steps: [
        { usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 } },
        { say: "x" },
      ],
    },
    { name: "a stop sequence", steps: [{ say: "x" }, { stop_reason: "stop_sequence" }] },
    { name: "nothing", steps: [] },
  ];
  test.each(SAME)("of $name is the answer without streaming, in pieces", async ({ steps }) => {
    const messages = [script(...steps)];
    expect(assemble(await client.stream(messages))).toEqual(await client.ask(messages));
  });

  test("keeps its rate", async () => {
    const start = performance.now();
    const answer = assemble(await client.stream([script({ stream: { tokens: 20, per_second: 200 } })]));
    expect(performance.now() - start).toBeGreaterThan(90);
    expect(answer.usage["output_tokens"]).toBe(20);
  });
});

describe("a script", () => {
  test("goes on after each result and then ends the turn with nothing", async () => {
    let messages: readonly Sent[] = [
      script(
        { say: "a" },
        { tool: "T" },
        { say: "b" },
        { tools: [{ tool: "U" }, { tool: "V" }] },
        { delay_ms: 1 },
        { say: "c" },
        { tool: "W" },
      ),
    ];
    const seen: unknown[] = [];
    for (;;) {
      const answer = await client.ask(messages);
      seen.push([answer.stop_reason, ...answer.content.map((block) => block.text ?? block.name)]);
      if (answer.stop_reason !== "tool_use") break;
      messages = after(messages, answer, []);
    }
    expect(seen).toEqual([["tool_use", "a", "T"], ["tool_use", "b", "U", "V"], ["tool_use", "c", "W"], ["end_turn"]]);
  });

  const play = [{ say: "first" }, { stop_reason: "pause_turn" }, { say: "second" }, { tool: "T" }, { say: "third" }];
  const result = { type: "tool_result", tool_use_id: "toolu_1", content: "ok" };
  const PLACES: readonly { readonly name: string; readonly messages: readonly Sent[]; readonly says: string }[] = [
    { name: "in a text with other lines", messages: [script({ say: "found" })], says: "found" },
    {
      name: "in one of several blocks",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "<system-reminder>be nice</system-reminder>" },
            { type: "text", text: 'sim: [{"say":"found"}]' },
            { type: "text", text: "and more" },
          ],
        },
      ],
      says: "found",
    },
    {
      name: "twice: the last one counts",
      messages: [{ role: "user", content: 'sim: [{"say":"one"}]\nsim: [{"say":"two"}]' }],
      says: "two",
    },
    {
      name: "in an older prompt than another one",
      messages: [script({ say: "old" }), { role: "assistant", content: "old" }, script({ say: "new" })],
      says: "new",
    },
    {
      name: "after a prompt that had no answer",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: 'sim: [{"say":"void"}]' },
            { type: "text", text: "[No answer: aborted]" },
            { type: "text", text: 'sim: [{"say":"now"}]' },
          ],
        },
      ],
      says: "now",
    },
    {
      name: "past what Claude Code says in the model's place",
      messages: [
        script({ tool: "T" }, { say: "still here" }),
        { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "T", input: {} }] },
        { role: "user", content: [result] },
        { role: "assistant", content: "No response requested." },
        { role: "user", content: [{ type: "text", text: "<system-reminder>restarted</system-reminder>" }] },
      ],
      says: "still here",
    },
    { name: "paused", messages: [script(...play), { role: "assistant", content: "first" }], says: "second" },
    {
      name: "paused and merged",
      messages: [
        script(...play),
        { role: "assistant", content: "first" },
        {
          role: "assistant",
          content: [
            { type: "text", text: "second" },
            { type: "tool_use", id: "toolu_1", name: "T", input: {} },
          ],
        },
        { role: "user", content: [result] },
      ],
      says: "third",
    },
    {
      name: "with reminders beside results",
      messages: [
        script({ tool: "T" }, { say: "still here" }),
        { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "T", input: {} }] },
        { role: "user", content: [result, { type: "text", text: "<system-reminder>hurry</system-reminder>" }] },
      ],
      says: "still here",
    },
  ];
  test.each(PLACES)("is found $name", async ({ messages, says }) => {
    expect((await client.ask(messages)).content[0]?.text).toBe(says);
  });

  test("is over when a person says something else", async () => {
    const answer = await client.ask([
      script({ tool: "T" }, { say: "never" }),
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "T", input: {} }] },
      { role: "user", content: [result, { type: "text", text: "hello" }] },
    ]);
    expect(answer.content[0]?.text).toContain("demo model");
  });

  const WRONG = [
    { json: "[", message: /^the script is not valid JSON: / },
    { json: "[7]", message: "step 1: must be an object" },
    { json: '[{"say":"a"},{"shout":"b"}]', message: /^step 2: knows none of say, / },
    { json: '[{"say":"a","think":"b"}]', message: "step 1: say and think must be steps of their own" },
    { json: '[{"say":""}]', message: "step 1: say must be a text that is not empty" },
    { json: '[{"tool":7}]', message: "step 1: tool must be a tool's name" },
    { json: '[{"tool":"T","input":[]}]', message: "step 1: input must be an object" },
    { json: '[{"tools":[]}]', message: "step 1: tools must be a list of calls" },
    { json: '[{"stream":{}}]', message: "step 1: stream.tokens must be 1 to 1000000" },
    { json: '[{"delay_ms":-1}]', message: "step 1: delay_ms must be 0 to 600000" },
    { json: '[{"usage":{"tokens":1}}]', message: /^step 1: usage knows / },
    { json: '[{"error":{"status":200}}]', message: "step 1: error.status must be 400 to 599" },
    { json: '[{"cut":true,"times":-1}]', message: "step 1: times must be 0 to 1000" },
    { json: '[{"stop_reason":"tired"}]', message: /^step 1: stop_reason must be one of / },
    {
      json: JSON.stringify(Array.from({ length: 1_001 }, () => ({ say: "a" }))),
      message: "a script may have 1000 steps",
    },
  ];
  test.each(WRONG)("that is wrong says why: $message", async ({ json, message }) => {
    const expected = typeof message === "string" ? message : expect.stringMatching(message);
    expect(readScript(json)).toEqual(expected);
    const answer = await client.ask([{ role: "user", content: `sim: ${json}` }]);
    expect([answer.stop_reason, answer.content[0]?.text?.startsWith("sim: ")]).toEqual(["end_turn", true]);
  });
});

describe("faults", () => {
  const outcome = async (messages: readonly Sent[]): Promise<unknown> => {
    try {
      const response = await client.post({ model: "sim", max_tokens: 10, stream: true, messages });
      if (!response.ok) return [response.status, response.headers.get("retry-after"), await response.json()];
      return eventsOf(await response.text()).at(-1);
    } catch (error) {
      return (error as Error).message;
    }
  };

  test("an error before the first word is an answer, for as often as it says, and then again for the next one", async () => {
    const messages = [script({ error: { status: 529, times: 2, retry_after: 3 } }, { say: "ok" })];
    const overloaded = [
      529,
      "3",
      {
        type: "error",
        error: { type: "overloaded_error", message: "scripted error 529" },
        request_id: expect.stringMatching(/^req_/),
      },
    ];
    const stop = { type: "message_stop" };
    for (const expected of [overloaded, overloaded, stop, overloaded, overloaded, stop])
      expect(await outcome(messages)).toEqual(expected);
  });

  const MIDDLE = [
    {
      name: "an error",
      step: { error: { status: 500, message: "oh" } },
      first: { type: "error", error: { type: "api_error", message: "oh" } },
    },
    { name: "a cut", step: { cut: true }, first: "terminated" },
    { name: "a cut after a pause", step: [{ delay_ms: 1 }, { cut: true }], first: "terminated" },
    { name: "garbage", step: { malformed: true }, first: expect.stringContaining("JSON") },
  ];
  test.each(MIDDLE)("$name in the middle comes once", async ({ step, first }) => {
    const messages = [script({ say: "half" }, ...[step].flat(), { say: "rest" })];
    expect(await outcome(messages)).toEqual(first);
    expect(await outcome(messages)).toEqual({ type: "message_stop" });
  });

  test("hanging up frees the server at once", async () => {
    const controller = new AbortController();
    const response = await fetch(`${client.server.url}/v1/messages`, {
      method: "POST",
      signal: controller.signal,
      body: JSON.stringify({
        model: "sim",
        max_tokens: 10,
        stream: true,
        messages: [script({ say: "a" }, { delay_ms: 600_000 })],
      }),
    });
    controller.abort();
    await expect(response.text()).rejects.toThrow("abort");
  });
});
