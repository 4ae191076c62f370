import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { never, outline, readTurn, script, World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(() => {
  world.take();
});
afterAll(() => world.sim.close());

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
    expect(world.sent().slice(1).flatMap(outline)).toEqual([
      [
        "user",
        "Bad.",
        "[No answer: the model refused to answer; say it in another way or start a new session]",
        "Good.",
      ],
    ]);
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
              { tool: "Write", input: { file_path: "/project/a", content: "long" } },
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
