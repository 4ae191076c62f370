import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { never, readTurn, script, Signal, World } from "./world.ts";

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
    const body = world.take()[2]?.body as {
      system: { cache_control?: unknown }[];
      tools: { name: string; cache_control?: unknown }[];
      messages: { role: string; content: { cache_control?: unknown }[] }[];
    };
    const mark = { type: "ephemeral" };
    expect(body.system.map((part) => part.cache_control)).toEqual([mark]);
    expect(body.tools.flatMap((tool) => (tool.cache_control === undefined ? [] : [tool.name]))).toEqual(["Task"]);
    expect(body.messages.map((message) => message.content.map((part) => part.cache_control))).toEqual([
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
    const { system } = world.take()[0]?.body as { system: { text: string }[] };
    expect(system[0]?.text).toContain("Working directory: /work\n");
    expect(system[0]?.text).toContain("Always use the tools");
    expect(system[0]?.text.endsWith("Speak Latin.")).toBe(true);
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
    const { messages } = world.take()[1]?.body as { messages: { role: string; content: { text: string }[] }[] };
    expect(messages.map((message) => [message.role, message.content[0]?.text.split("\n")[0]])).toEqual([
      ["user", "First."],
      ["assistant", "one"],
      ["user", "Second."],
    ]);
  });
});

describe("stop reasons", () => {
  const ENDS = [
    { steps: [{ say: "a" }], end: { type: "turn.completed", stop_reason: "end_turn" }, calls: 1 },
    {
      steps: [{ say: "a" }, { stop_reason: "stop_sequence" }],
      end: { type: "turn.completed", stop_reason: "stop_sequence" },
      calls: 1,
    },
    {
      steps: [{ say: "a" }, { stop_reason: "max_tokens" }],
      end: { type: "turn.completed", stop_reason: "max_tokens" },
      calls: 1,
    },
    {
      steps: [{ say: "a" }, { stop_reason: "model_context_window_exceeded" }],
      end: { type: "turn.completed", stop_reason: "model_context_window_exceeded" },
      calls: 1,
    },
    { steps: [{ tool: "Bash" }], end: { type: "turn.completed", stop_reason: "end_turn" }, calls: 2 },
    {
      steps: [{ say: "a" }, { stop_reason: "pause_turn" }, { say: "b" }],
      end: { type: "turn.completed", stop_reason: "end_turn" },
      calls: 2,
    },
    {
      steps: [{ say: "a" }, { stop_reason: "pause_turn" }, { tool: "Bash" }, { say: "b" }],
      end: { type: "turn.completed", stop_reason: "end_turn" },
      calls: 3,
    },
    {
      steps: [{ say: "no" }, { stop_reason: "refusal" }],
      end: {
        type: "turn.failed",
        error: {
          code: "refusal",
          message: "the model refused to answer; say it in another way or start a new session",
        },
      },
      calls: 1,
    },
  ];
  test.each(ENDS)("$steps", async ({ steps, end, calls }) => {
    const conversation = await world.open(world.host());
    const told = await readTurn(conversation.turn(script(steps), never()));
    expect(told.arrays.at(-1)?.at(-1)).toEqual(end);
    expect(world.take().map((exchange) => exchange.status)).toEqual(Array.from({ length: calls }, () => 200));
  });

  test("a refused message is not sent again", async () => {
    const conversation = await world.open(world.host());
    await readTurn(conversation.turn(script([{ say: "never" }, { stop_reason: "refusal" }], "Bad."), never()));
    await readTurn(conversation.turn(script([{ say: "fine" }], "Good."), never()));
    const { messages } = world.take()[1]?.body as { messages: { role: string; content: { text: string }[] }[] };
    expect(
      messages.map((message) => [message.role, ...message.content.map((part) => part.text.split("\n")[0])]),
    ).toEqual([["user", "Bad.", "Good."]]);
  });

  test("a call that max_tokens cut is answered with an error and the turn goes on", async () => {
    const host = world.host();
    const conversation = await world.open(host);
    const told = await readTurn(
      conversation.turn(
        script([
          {
            tools: [
              { tool: "Bash", input: { command: "a" } },
              { tool: "Write", input: { file_path: "/work/a", content: "long" } },
            ],
          },
          { stop_reason: "max_tokens" },
          { say: "again" },
        ]),
        never(),
      ),
    );
    const text =
      "Error: your message reached max_tokens in the middle of this call, so it was not run. Do it in smaller steps.";
    expect(told.arrays[0]?.slice(1)).toMatchObject([
      { type: "item.started", item: { tool: "Bash", status: "in_progress" } },
      { type: "item.started", item: { tool: "Write", input: {}, status: "in_progress" } },
      {
        type: "item.completed",
        item: { tool: "Write", status: "failed", is_error: true, output: [{ type: "text", text }] },
      },
    ]);
    expect(told.arrays.at(-1)?.at(-1)).toEqual({ type: "turn.completed", stop_reason: "end_turn" });
    expect(host.asked.map((call) => call.tool)).toEqual(["Bash"]);
    expect(world.take().map((exchange) => exchange.status)).toEqual([200, 200]);
  });

  test("max_turns ends a turn that goes on and on, and the next one can go on", async () => {
    const conversation = await world.open(world.host(), { settings: { max_turns: 2 } });
    const steps = [{ tool: "Bash" }, { tool: "Bash" }, { tool: "Bash" }];
    const told = await readTurn(conversation.turn(script(steps), never()));
    expect(told.arrays.at(-1)).toEqual([
      {
        type: "turn.failed",
        error: {
          code: "max_turns",
          message: "stopped after 2 messages of the model (max_turns); send another prompt to go on",
        },
      },
    ]);
    const next = await readTurn(conversation.turn(script([{ say: "ok" }]), never()));
    expect(next.arrays.at(-1)?.at(-1)).toEqual({ type: "turn.completed", stop_reason: "end_turn" });
    expect(world.take().map((exchange) => exchange.status)).toEqual([200, 200, 200]);
  });
});

describe("tools of one message", () => {
  const held = (key: string): object => ({ tool: "Held", input: { key } });

  test("read-only ones run together, others alone and in order; results go back in the order of the calls", async () => {
    const host = world.host();
    const { toolbox } = host;
    const [first, second] = [new Signal(), new Signal()];
    toolbox.gates.set("1", first).set("2", second);
    toolbox.started.set("Held 2", new Signal());
    const conversation = await world.open(host);
    const turn = readTurn(
      conversation.turn(
        script([
          {
            tools: [
              held("1"),
              held("2"),
              { tool: "Bash" },
              { tool: "Write", input: { file_path: "a", content: "x" } },
              { tool: "Read", input: { file_path: "a" } },
            ],
          },
          { say: "ok" },
        ]),
        never(),
      ),
    );
    await toolbox.started.get("Held 2")?.promise;
    second.fire();
    first.fire();
    const told = await turn;
    expect(toolbox.log).toEqual([
      "start Held 1",
      "start Held 2",
      "end Held 2",
      "end Held 1",
      "start Bash",
      "end Bash",
      "start Write",
      "end Write",
      "start Read",
      "end Read",
    ]);
    expect(
      told.arrays
        .slice(1, 6)
        .map((array) =>
          array.map((event) => (event.type === "item.completed" && "output" in event.item ? event.item.output : event)),
        ),
    ).toEqual([
      [[{ type: "text", text: "held 2" }]],
      [[{ type: "text", text: "held 1" }]],
      [[{ type: "text", text: "one\ntwo" }]],
      [[{ type: "text", text: "Wrote a" }]],
      [[{ type: "text", text: "x" }]],
    ]);
    const { messages } = world.take()[1]?.body as { messages: { content: { content: string }[] }[] };
    expect(messages[2]?.content.map((part) => part.content)).toEqual(["held 1", "held 2", "one\ntwo", "Wrote a", "x"]);
  });

  test("all are asked about at once, but for one that depends on an earlier one", async () => {
    const host = world.host();
    const answers = new Map<string, Signal>();
    const asked = new Signal();
    host.decide = async (call) => {
      const key = `${call.tool} ${String(call.input["file_path"])}`;
      const answer = new Signal();
      answers.set(key, answer);
      if (answers.size === 3) asked.fire();
      await answer.promise;
      return { effect: "allow", input: call.input };
    };
    const conversation = await world.open(host);
    const write = (path: string): object => ({ tool: "Write", input: { file_path: path, content: path } });
    const turn = readTurn(
      conversation.turn(
        script([
          { tools: [write("/work/a"), write("b"), { tool: "Bash" }, { tool: "Read", input: { file_path: "a" } }] },
          { say: "ok" },
        ]),
        never(),
      ),
    );
    await asked.promise;
    expect([...answers.keys()]).toEqual(["Write /work/a", "Write b", "Bash undefined"]);
    // The later answers come first; the order of running stays.
    for (const key of ["Bash undefined", "Write b", "Write /work/a"]) answers.get(key)?.fire();
    host.decide = (call) => ({ effect: "allow", input: call.input });
    await turn;
    expect(host.toolbox.log).toEqual([
      "start Write",
      "end Write",
      "start Write",
      "end Write",
      "start Bash",
      "end Bash",
      "start Read",
      "end Read",
    ]);
    expect(host.asked.map((call) => call.tool)).toEqual(["Write", "Write", "Bash", "Read"]);
  });

  test("no more than eight run at once", async () => {
    const host = world.host();
    const { toolbox } = host;
    const keys = Array.from({ length: 12 }, (_, index) => String(index));
    for (const key of keys) toolbox.gates.set(key, new Signal());
    const eighth = new Signal();
    toolbox.started.set("Held 7", eighth);
    const conversation = await world.open(host);
    const turn = readTurn(conversation.turn(script([{ tools: keys.map(held) }, { say: "ok" }]), never()));
    await eighth.promise;
    expect(toolbox.log.filter((line) => line.startsWith("start"))).toHaveLength(8);
    for (const key of keys) toolbox.gates.get(key)?.fire();
    await turn;
    expect(toolbox.log.filter((line) => line.startsWith("end"))).toHaveLength(12);
  });

  test("what a person said no to reaches the model as an error", async () => {
    const host = world.host();
    host.decide = (call) =>
      call.tool === "Bash"
        ? { effect: "deny", message: "User rejected: use Write", status: "declined", interrupt: false }
        : { effect: "allow", input: call.input };
    const conversation = await world.open(host);
    const told = await readTurn(
      conversation.turn(
        script([{ tools: [{ tool: "Bash" }, { tool: "Read", input: { file_path: "none" } }] }, { say: "ok" }]),
        never(),
      ),
    );
    expect(told.arrays.slice(1, 3).flat()).toMatchObject([
      {
        type: "item.completed",
        item: {
          tool: "Bash",
          status: "declined",
          is_error: true,
          output: [{ type: "text", text: "User rejected: use Write" }],
        },
      },
      {
        type: "item.completed",
        item: {
          tool: "Read",
          status: "failed",
          is_error: true,
          output: [{ type: "text", text: "File does not exist: none" }],
        },
      },
    ]);
    expect(world.take()[1]?.body).toMatchObject({
      messages: [
        {},
        {},
        {
          content: [
            { is_error: true, content: "User rejected: use Write" },
            { is_error: true, content: "File does not exist: none" },
          ],
        },
      ],
    });
  });

  test("runs the input that was approved, and tells the model of the one it wrote", async () => {
    const host = world.host();
    host.decide = () => ({ effect: "allow", input: { file_path: "b", content: "changed" } });
    const conversation = await world.open(host);
    await readTurn(
      conversation.turn(script([{ tool: "Write", input: { file_path: "a", content: "x" } }, { say: "ok" }]), never()),
    );
    expect([...host.toolbox.files]).toEqual([["b", "changed"]]);
    expect(world.take()[1]?.body).toMatchObject({
      messages: [{}, { content: [{ type: "tool_use", input: { file_path: "a", content: "x" } }] }, {}],
    });
  });

  test("reject and stop ends the turn and everything in it", async () => {
    const host = world.host();
    host.toolbox.gates.set("1", new Signal());
    host.decide = (call) =>
      call.tool === "Bash"
        ? { effect: "deny", message: "User rejected: stop it", status: "declined", interrupt: true }
        : { effect: "allow", input: call.input };
    const conversation = await world.open(host);
    const told = await readTurn(
      conversation.turn(
        script([
          { tools: [held("1"), { tool: "Bash" }, { tool: "Write", input: { file_path: "a", content: "x" } }] },
          { say: "never" },
        ]),
        never(),
      ),
    );
    const ended = told.arrays.slice(1).flat();
    expect(
      ended.map((event) =>
        event.type === "item.completed" && "tool" in event.item ? [event.item.tool, event.item.status] : event,
      ),
    ).toEqual([
      ["Bash", "declined"],
      ["Held", "interrupted"],
      ["Write", "interrupted"],
      { type: "turn.failed", error: { code: "rejected_and_stopped", message: "User rejected: stop it" } },
    ]);
    expect(host.toolbox.files.size).toBe(0);
    const next = await readTurn(conversation.turn(script([{ say: "ok" }]), never()));
    expect(next.arrays.at(-1)?.at(-1)).toEqual({ type: "turn.completed", stop_reason: "end_turn" });
    expect(world.take().map((exchange) => exchange.status)).toEqual([200, 200]);
  });
});
