import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createLoopEngine, type Capabilities } from "../../src/engines/index.ts";
import { never, outline, readTurn, script, World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(() => {
  world.take();
});
afterAll(() => world.sim.close());

const USAGE = { input_tokens: 100, output_tokens: 20, cache_creation_input_tokens: 7, cache_read_input_tokens: 3 };
const TOLD_USAGE = {
  type: "usage",
  usage: {
    input_tokens: 100,
    output_tokens: 20,
    cache_read_tokens: 3,
    cache_write_tokens: 7,
    reasoning_tokens: 0,
    model_calls: 1,
  },
};

test("the engine can do what it says", () => {
  const declared: Capabilities = {
    streaming: true,
    thinking: true,
    parallel_tools: true,
    edited_input: true,
    images: true,
    subagents: true,
    structured_output: true,
    agents: true,
    fork: true,
    resume_turn: true,
    steer: true,
    warm: false,
  };
  const { id, capabilities } = createLoopEngine();
  expect({ id, capabilities }).toEqual({ id: "loop", capabilities: declared });
});

describe("a turn", () => {
  test("streams text and ends with it in one array", async () => {
    const host = world.host();
    const conversation = await world.open(host);
    const told = await readTurn(conversation.turn(script([{ usage: USAGE }, { say: "Hello there." }]), never()));
    expect(told).toEqual({
      arrays: [
        [
          {
            type: "item.started",
            item: { id: "item_2", type: "agent_message", status: "in_progress", message_id: "msg_1", text: "" },
          },
        ],
        [
          {
            type: "item.completed",
            item: {
              id: "item_2",
              type: "agent_message",
              status: "completed",
              message_id: "msg_1",
              text: "Hello there.",
            },
          },
          TOLD_USAGE,
          { type: "turn.completed", stop_reason: "end_turn" },
        ],
      ],
      deltas: { "item_2 text": "Hello there." },
    });
  });

  test("calls a tool, tells its output and goes on with its result", async () => {
    const host = world.host();
    const conversation = await world.open(host);
    const told = await readTurn(
      conversation.turn(
        script([
          { usage: USAGE },
          { say: "I run it." },
          { tool: "Bash", input: { command: "x" } },
          { usage: USAGE },
          { say: "Done." },
        ]),
        never(),
      ),
    );
    const [{ body } = { body: undefined }, second] = world.take();
    const call = {
      id: "item_3",
      status: "in_progress",
      tool: "Bash",
      tool_use_id: expect.stringMatching(/^toolu_/),
      input: { command: "x" },
      message_id: "msg_1",
      type: "command_execution",
      command: "x",
      aggregated_output: "",
    };
    expect(told).toEqual({
      arrays: [
        [
          {
            type: "item.started",
            item: { id: "item_2", type: "agent_message", status: "in_progress", message_id: "msg_1", text: "" },
          },
        ],
        [
          {
            type: "item.completed",
            item: { id: "item_2", type: "agent_message", status: "completed", message_id: "msg_1", text: "I run it." },
          },
          TOLD_USAGE,
          { type: "item.started", item: call },
        ],
        [
          {
            type: "item.completed",
            item: {
              ...call,
              status: "completed",
              output: [{ type: "text", text: "one\ntwo" }],
              is_error: false,
              duration_ms: 0,
              aggregated_output: "one\ntwo",
              exit_code: 0,
            },
          },
        ],
        [
          {
            type: "item.started",
            item: { id: "item_5", type: "agent_message", status: "in_progress", message_id: "msg_4", text: "" },
          },
        ],
        [
          {
            type: "item.completed",
            item: { id: "item_5", type: "agent_message", status: "completed", message_id: "msg_4", text: "Done." },
          },
          TOLD_USAGE,
          { type: "turn.completed", stop_reason: "end_turn" },
        ],
      ],
      deltas: { "item_2 text": "I run it.", "item_3 output": "one\ntwo\n", "item_5 text": "Done." },
    });
    expect(body).toMatchObject({ model: "sim", max_tokens: 8_192, stream: true });
    expect(second?.body).toMatchObject({
      messages: [
        { role: "user" },
        {
          role: "assistant",
          content: [
            { type: "text", text: "I run it." },
            { type: "tool_use", name: "Bash", input: { command: "x" } },
          ],
        },
        { role: "user", content: [{ type: "tool_result", content: "one\ntwo" }] },
      ],
    });
  });

  test("sends thinking back with its signature", async () => {
    const conversation = await world.open(world.host(), { settings: { thinking_tokens: 2_048 } });
    const told = await readTurn(
      conversation.turn(script([{ think: "Let me see." }, { tool: "Bash" }, { say: "Seen." }]), never()),
    );
    const [first, second] = world.take();
    expect(first?.body).toMatchObject({
      max_tokens: 8_192 + 2_048,
      thinking: { type: "enabled", budget_tokens: 2_048 },
    });
    const signature = expect.stringMatching(/^sim\./);
    expect(told.arrays[1]?.[0]).toEqual({
      type: "item.completed",
      item: {
        id: "item_2",
        type: "reasoning",
        status: "completed",
        message_id: "msg_1",
        text: "Let me see.",
        signature,
      },
    });
    expect(second?.status).toBe(200);
    expect(second?.body).toMatchObject({
      messages: [{}, { content: [{ type: "thinking", thinking: "Let me see.", signature }, { type: "tool_use" }] }, {}],
    });
  });

  test("marks tools, system and the newest messages for the cache", async () => {
    const conversation = await world.open(world.host());
    await readTurn(conversation.turn(script([{ tool: "Bash" }, { tool: "Bash" }, { say: "ok" }]), never()));
    const body = world.sent()[2];
    const mark = { type: "ephemeral" };
    expect(body?.system.map((part) => part.cache_control)).toEqual([mark]);
    expect(body?.tools?.flatMap((tool) => (tool.cache_control === undefined ? [] : [tool.name]))).toEqual(["Task"]);
    expect(body?.messages.map((message) => message.content.map((part) => part.cache_control))).toEqual([
      [undefined],
      [undefined],
      [mark],
      [undefined],
      [mark],
    ]);
  });

  test("says where it works and what the session adds", async () => {
    const conversation = await world.open(world.host(), { settings: { system_prompt: "Speak Latin." } });
    await readTurn(conversation.turn(script([{ say: "ita" }]), never()));
    const system = world.sent()[0]?.system[0]?.text;
    expect(system).toContain("Working directory: /project\n");
    expect(system).toContain("Always use the tools");
    expect(system?.endsWith("Speak Latin.")).toBe(true);
  });

  test("takes pictures and texts from prompts, and pictures from tools", async () => {
    const conversation = await world.open(world.host());
    const prompt = script([{ tool: "Picture" }, { say: "seen" }]);
    const attachments = [
      { type: "image" as const, media_type: "image/png" as const, data: "AAAA" },
      { type: "text" as const, text: "some notes", name: "notes.md" },
    ];
    await readTurn(conversation.turn({ ...prompt, attachments }, never()));
    expect(world.take()[1]?.body).toMatchObject({
      messages: [
        {
          content: [
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
            { type: "text", text: '<attachment name="notes.md">\nsome notes\n</attachment>' },
            { type: "text", text: prompt.text },
          ],
        },
        {},
        {
          content: [
            {
              type: "tool_result",
              content: [
                { type: "text", text: "a dot" },
                { type: "image", source: { data: "iVBORw0KGgo=" } },
              ],
            },
          ],
        },
      ],
    });
  });

  test("keeps the conversation between turns", async () => {
    const conversation = await world.open(world.host());
    await readTurn(conversation.turn(script([{ say: "one" }], "First."), never()));
    await readTurn(conversation.turn(script([{ say: "two" }], "Second."), never()));
    expect(world.sent().slice(1).flatMap(outline)).toEqual([
      ["user", "First."],
      ["assistant", "one"],
      ["user", "Second."],
    ]);
  });
});
