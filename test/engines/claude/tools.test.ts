import { existsSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { ToolCall, Verdict } from "../../../src/engines/index.ts";
import { NO_USAGE, addUsage } from "../../../src/protocol/index.ts";
import type { AnyTool } from "../../../src/tools/index.ts";
import { textResult } from "../../../src/tools/tool.ts";
import { ENGINES, items, outline, script, World, type Room } from "./world.ts";

const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.close());

const allow = (call: ToolCall): Verdict => ({ effect: "allow", input: call.input });

/** A tool of a page, as a session offers it. */
const offered: AnyTool = {
  name: "mcp__page__add_viewer",
  description: "Adds a viewer.",
  tier: "page",
  concurrent: false,
  input: z.strictObject({ type: z.string() }),
  paths: () => [],
  hosts: () => [],
  preview: () => Promise.reject(new Error("nobody asks for it here")),
  execute: (input, context) => {
    context.onOutput("drawing\n");
    return Promise.resolve(textResult(`added ${(input as { readonly type: string }).type}`));
  },
};

const [SDK, CLI] = ENGINES;

describe("claude-sdk", () => {
  let room: Room;
  beforeAll(() => {
    room = world.room(SDK.create(), { extra: [offered], settings: { system_prompt: "Speak like a sailor." } });
  });
  beforeEach(() => {
    room.decide = allow;
    room.asked.length = 0;
    world.take();
  });
  afterAll(() => room.close());

  test("the demo model finds all tools of its requests", async () => {
    const prompt =
      "create demo.txt with one, then replace one with two in demo.txt, then list the files, then search for two";
    await room.turn({ text: `${prompt}, then run cat demo.txt` });
    expect(room.asked.map(({ tool }) => tool)).toEqual(["Write", "Read", "Edit", "Glob", "Grep", "Bash"]);
  });

  test("words and thoughts stream, a command runs, usage and cost are told", async () => {
    const told = await room.turn(
      script([
        { think: "hm hm" },
        { say: "Hello there." },
        { tool: "Bash", input: { command: "echo hi; exit 3" } },
        { say: "Done." },
      ]),
    );
    expect(outline(told.events)).toEqual([
      "+ reasoning",
      "+ agent_message",
      "completed reasoning: hm hm",
      "completed agent_message: Hello there.",
      "+ command_execution Bash",
      "failed command_execution Bash: Exit code 3\nhi",
      "+ agent_message",
      "completed agent_message: Done.",
      "completed end_turn",
    ]);
    const [thought, hello, command, done] = items(told.events);
    expect(thought).toMatchObject({ signature: expect.stringMatching(/^sim\./) });
    expect(command).toMatchObject({ exit_code: 3, message_id: hello?.message_id, is_error: true });
    expect(told.deltas).toEqual({
      [thought?.id ?? ""]: "hm hm",
      [hello?.id ?? ""]: "Hello there.",
      [command?.id ?? ""]: "hi\n",
      [done?.id ?? ""]: "Done.",
    });
    const usage = told.events.reduce(
      (sum, event) => (event.type === "usage" ? addUsage(sum, event.usage) : sum),
      NO_USAGE,
    );
    expect(usage).toMatchObject({ model_calls: 2, reasoning_tokens: 2 });
    expect(usage.output_tokens).toBeGreaterThan(0);
    expect(told.events.at(-1)).toMatchObject({ engine_cost_microusd: expect.any(Number) });
    const body = world.exchanges[0]?.body as { max_tokens: number; system: unknown; tools: { name: string }[] };
    expect(body.max_tokens).toBe(8_192);
    expect(JSON.stringify(body.system)).toContain("Speak like a sailor.");
    expect(body.tools.map(({ name }) => name).filter((name) => name !== "DeferredToolPlaceholder")).toEqual(
      expect.arrayContaining([
        "Agent",
        "Read",
        "mcp__page__add_viewer",
        "mcp__sallyport__Bash",
        "mcp__sallyport__WebFetch",
      ]),
    );
    expect(body.tools.map(({ name }) => name)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(Bash|WebFetch|WebSearch|SendMessage|Cron.*|Skill|Workflow)$/)]),
    );
  });

  test("what its own tools declare as arguments, ours take; only the agents of other places are refused", async () => {
    await room.turn(script([{ say: "Hello." }]));
    const body = world.exchanges[0]?.body as {
      readonly tools: readonly {
        readonly name: string;
        readonly input_schema: { readonly properties?: Readonly<Record<string, { readonly type?: string }>> };
      }[];
    };
    const { tools } = body;
    const samples: Readonly<Record<string, unknown>> = {
      string: "a",
      integer: 1,
      boolean: true,
      array: [],
      object: {},
    };
    const refused = tools
      .filter(({ name }) => !/^mcp__|^Deferred/.test(name))
      .map(({ name, input_schema: { properties = {} } }) => {
        const sample = Object.entries(properties).map(([key, { type = "" }]) => [key, samples[type]]);
        const { known, schemaError } = room.host.toolbox.facts(name, Object.fromEntries(sample));
        return [name, known, /unknown argument [^;]*/.exec(schemaError ?? "")?.[0]];
      });
    expect(refused).toEqual([
      ["Agent", true, 'unknown argument "isolation"'],
      ["AskUserQuestion", true, undefined],
      ["Read", true, undefined],
      ["TodoWrite", true, undefined],
    ]);
  });

  test("calls of one message that only read are asked about together", async () => {
    const a = world.write("a.txt", "A\n");
    const b = world.write("b.txt", "B\n");
    let both: () => void = () => undefined;
    const together = new Promise<void>((resolve) => {
      both = resolve;
    });
    room.decide = async (call) => {
      if (room.asked.length === 2) both();
      await together;
      return allow(call);
    };
    const told = await room.turn(
      script([
        {
          tools: [
            { tool: "Read", input: { file_path: "a.txt" } },
            { tool: "Read", input: { file_path: "b.txt" } },
          ],
        },
        { say: "Read." },
      ]),
    );
    // What is asked about is what will be opened: the whole path, whatever the model wrote.
    expect(room.asked.map(({ tool, input }) => [tool, input])).toEqual([
      ["Read", { file_path: a }],
      ["Read", { file_path: b }],
    ]);
    expect(items(told.events).map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
    expect(told.events.at(-1)).toMatchObject({ type: "turn.completed" });
  });

  test("a refused call is not run, and the model reads the reason word for word", async () => {
    room.decide = () => ({ effect: "deny", message: "User rejected: use make", status: "declined", interrupt: false });
    const told = await room.turn(script([{ tool: "Bash", input: { command: "touch never" } }, { say: "I see." }]));
    expect(outline(told.events)).toEqual([
      "+ command_execution Bash",
      "declined command_execution Bash: User rejected: use make",
      "+ agent_message",
      "completed agent_message: I see.",
      "completed end_turn",
    ]);
    expect(world.lastMessages().at(-1)).toBe("user: result: User rejected: use make");
    await expect(world.read("never")).rejects.toThrow();
  });

  test("an edited input is what runs", async () => {
    room.decide = (call) => ({ effect: "allow", input: { ...call.input, content: "changed\n" } });
    const told = await room.turn(
      script([{ tool: "Write", input: { file_path: `${room.engine.id}.txt`, content: "mine\n" } }, { say: "Done." }]),
    );
    const path = `${world.workspace}/${room.engine.id}.txt`;
    expect(await world.read(`${room.engine.id}.txt`)).toBe("changed\n");
    expect(items(told.events)[0]).toMatchObject({
      type: "file_change",
      status: "completed",
      input: { content: "mine\n" },
      approved_input: { content: "changed\n" },
      changes: [{ path, kind: "add" }],
      diff: `--- a/${path}\n+++ b/${path}\n@@ -0,0 +1 @@\n+changed`,
    });
  });

  test("files, todo lists, pictures and wrong calls have their own items", async () => {
    const path = world.write("n.txt", "one\ntwo\n");
    world.write("dot.png", Buffer.from(DOT, "base64"));
    const told = await room.turn({
      ...script([
        { tool: "Read", input: { file_path: path } },
        { tool: "Edit", input: { file_path: path, old_string: "two", new_string: "TWO" } },
        { tool: "TodoWrite", input: { todos: [{ content: "a", status: "pending", activeForm: "doing a" }] } },
        { tool: "Read", input: { file_path: "dot.png" } },
        { tool: "Bash", input: { cmd: "pwd" } },
        { tool: "Nope", input: {} },
        { say: "Done." },
      ]),
      attachments: [{ type: "image", media_type: "image/png", data: DOT }],
    });
    const [, edit, todos, picture, wrong, unknown] = items(told.events);
    expect(edit).toMatchObject({
      changes: [{ path, kind: "update" }],
      diff: `--- a/${path}\n+++ b/${path}\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO`,
    });
    expect(todos).toMatchObject({ type: "todo_list", items: [{ content: "a", status: "pending" }] });
    expect(picture).toMatchObject({ output: [{ type: "image", media_type: "image/png", data: DOT }] });
    expect(wrong).toMatchObject({
      status: "failed",
      output: [{ text: 'Invalid input for Bash: command is required; unknown argument "cmd"' }],
    });
    expect(unknown).toMatchObject({ status: "failed", output: [{ text: "Error: No such tool available: Nope" }] });
    expect(world.lastMessages().findLast((message) => message.includes("Do it."))).toMatch(/^user: image/);
  });

  test("a question's answers come back to the model", async () => {
    room.decide = (call) => ({ effect: "allow", input: { ...call.input, answers: { "Which?": ["A", "B"] } } });
    const questions = [
      {
        question: "Which?",
        header: "W",
        multiSelect: true,
        options: [
          { label: "A", description: "a" },
          { label: "B", description: "b" },
        ],
      },
    ];
    await room.turn(script([{ tool: "AskUserQuestion", input: { questions } }, { say: "Thanks." }]));
    expect(world.lastMessages().at(-1)).toContain('"Which?"="A, B"');
  });

  test("a client tool runs here, and only as it was allowed", async () => {
    const told = await room.turn(
      script([
        { tool: "mcp__page__add_viewer", input: { type: "Histogram" } },
        { tool: "WebFetch", input: { url: "http://127.0.0.1:1/", prompt: "p" } },
        { say: "Done." },
      ]),
    );
    expect(room.asked.map(({ tool }) => tool)).toEqual(["mcp__page__add_viewer", "WebFetch"]);
    const [viewer, page] = items(told.events);
    expect(viewer).toMatchObject({
      type: "mcp_tool_call",
      server: "page",
      status: "completed",
      output: [{ type: "text", text: "added Histogram" }],
    });
    expect(told.deltas[viewer?.id ?? ""]).toBe("drawing\n");
    // Ours, with the hosts of the policy: none.
    expect(page).toMatchObject({ type: "tool_call", tool: "WebFetch", status: "failed" });
  });

  test("a sub-agent's items are nested, and its calls are asked about", async () => {
    const inner = script([
      { think: "inner" },
      { say: "I look." },
      { tool: "Bash", input: { command: "echo sub" } },
      { say: "sub done" },
    ]).text;
    const told = await room.turn(
      script([{ tool: "Agent", input: { description: "look", prompt: inner } }, { say: "Done." }]),
    );
    expect(outline(told.events).map((line) => line.split("\n")[0])).toEqual([
      "+ subagent Agent",
      "+ reasoning",
      "completed reasoning: inner",
      "+ agent_message",
      "completed agent_message: I look.",
      "+ command_execution Bash",
      "completed command_execution Bash: sub",
      "+ agent_message",
      "completed agent_message: sub done",
      "completed subagent Agent: sub done",
      "+ agent_message",
      "completed agent_message: Done.",
      "completed end_turn",
    ]);
    const agent = items(told.events).find(({ type }) => type === "subagent");
    const nested = items(told.events).filter(({ parent_id }) => parent_id === agent?.id);
    expect(nested.map(({ type }) => type)).toEqual([
      "reasoning",
      "agent_message",
      "command_execution",
      "agent_message",
    ]);
    expect(told.events.reduce((sum, event) => (event.type === "usage" ? sum + event.usage.model_calls : sum), 0)).toBe(
      4,
    );
  });

  test("output of any length is cut, and a prompt is never more than text", async () => {
    world.write("secret.txt", "TOPSECRET\n");
    const told = await room.turn({
      text: `/help me with @secret.txt\n${script([{ tool: "Bash", input: { command: "seq 1 300000" } }, { say: "Done." }]).text}`,
    });
    expect(told.events.at(-1)).toMatchObject({ type: "turn.completed" });
    const [command] = items(told.events);
    expect(JSON.stringify(command).length).toBeLessThan(500_000);
    expect(command).toMatchObject({ status: "completed", exit_code: 0 });
    expect(JSON.stringify(world.take().map(({ body }) => body))).not.toContain("TOPSECRET");
  });
});

test("claude-cli does the same, with a process for each prompt", async () => {
  const room = world.room(CLI.create(), { extra: [offered], settings: { system_prompt: "Speak like a sailor." } });
  const inner = script([{ tool: "Bash", input: { command: "echo sub" } }, { say: "sub done" }]).text;
  room.decide = (call) => {
    if (call.input["command"] === "rm -rf /")
      return { effect: "deny", message: "No.", status: "declined", interrupt: false };
    if (call.tool === "Write") return { effect: "allow", input: { ...call.input, content: "changed\n" } };
    return allow(call);
  };
  const told = await room.turn({
    ...script([
      { think: "hm" },
      { say: "Hello." },
      { tool: "Bash", input: { command: "rm -rf /" } },
      { tool: "Write", input: { file_path: "cli.txt", content: "mine\n" } },
      { tool: "mcp__page__add_viewer", input: { type: "Grid" } },
      { tool: "Agent", input: { description: "look", prompt: inner } },
      { say: "Done." },
    ]),
    attachments: [{ type: "image", media_type: "image/png", data: DOT }],
  });
  expect(outline(told.events).map((line) => line.split("\n")[0])).toEqual([
    "+ reasoning",
    "+ agent_message",
    "completed reasoning: hm",
    "completed agent_message: Hello.",
    "+ command_execution Bash",
    "declined command_execution Bash: No.",
    "+ file_change Write",
    expect.stringMatching(/^completed file_change Write: Wrote /),
    "+ mcp_tool_call mcp__page__add_viewer",
    "completed mcp_tool_call mcp__page__add_viewer: added Grid",
    "+ subagent Agent",
    "+ command_execution Bash",
    "completed command_execution Bash: sub",
    "+ agent_message",
    "completed agent_message: sub done",
    "completed subagent Agent: sub done",
    "+ agent_message",
    "completed agent_message: Done.",
    "completed end_turn",
  ]);
  expect(await world.read("cli.txt")).toBe("changed\n");
  await room.forget();
  expect(await room.pids()).toEqual([]);
});

describe("tools that come and go", () => {
  const named = (name: string): AnyTool => ({ ...offered, name: `mcp__page__${name}` });

  test.each(ENGINES)("$name tells the model of them from its next turn on", async ({ create }) => {
    const tools = [named("first")];
    const room = world.room(create(), { extra: tools });
    const conversation = await room.conversation();
    // Started ahead of time, when other tools were registered.
    await conversation.warm?.();
    const [pid] = await room.pids();
    room.exchangeTool("mcp__page__first", named("second"));
    const told = await room.turn(script([{ tool: "mcp__page__second", input: { type: "Grid" } }, { say: "Done." }]));
    expect(outline(told.events)).toEqual([
      "+ mcp_tool_call mcp__page__second",
      "completed mcp_tool_call mcp__page__second: added Grid",
      "+ agent_message",
      "completed agent_message: Done.",
      "completed end_turn",
    ]);
    // The same process, and the time of its start was saved.
    expect(pid).toBeGreaterThan(0);
    if (room.engine.id === "claude-sdk") expect(await room.pids()).toContain(pid);
    await room.close();
  });

  test("what was started for nobody leaves nothing", async () => {
    const room = world.room(SDK.create());
    await (await room.conversation()).warm?.();
    expect(await room.pids()).not.toEqual([]);
    await room.forget();
    expect(await room.pids()).toEqual([]);
    expect(existsSync(room.folder)).toBe(false);
  });
});

test.each(ENGINES)(
  "$name: a kind of sub-agent that has none of the session's tools has no tools",
  async ({ create }) => {
    const settings = {
      agents: { bare: { description: "Only thinks.", prompt: "You only think.", tools: ["Nowhere"] } },
    };
    const room = world.room(create(), { settings });
    world.take();
    const call = { tool: "Bash", input: { command: "echo sneaky" } };
    const prompt = `Think.\nsim: ${JSON.stringify([call, { say: "Thought." }])}`;
    const told = await room.turn(
      script([{ tool: "Agent", input: { description: "think", subagent_type: "bare", prompt } }, { say: "Done." }]),
    );
    expect(told.events.at(-1)).toMatchObject({ type: "turn.completed" });
    const its = world.exchanges
      .map(({ body }) => body as { readonly system: unknown; readonly tools?: readonly { readonly name: string }[] })
      .filter(({ system }) => JSON.stringify(system).includes("You only think."));
    expect(its.length).toBeGreaterThan(0);
    expect(its.flatMap(({ tools = [] }) => tools.map(({ name }) => name))).toEqual([]);
    expect(room.asked.map(({ tool }) => tool)).toEqual(["Agent"]);
    await room.close();
  },
);
