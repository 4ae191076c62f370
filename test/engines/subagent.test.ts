import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { never, outline, readTurn, script, Signal, World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(() => {
  world.take();
});
afterAll(() => world.sim.close());

const task = (steps: readonly unknown[]): object => ({
  tool: "Task",
  input: { description: "look", prompt: `Look.\nsim: ${JSON.stringify(steps)}` },
});

describe("a sub-agent", () => {
  test("has its own conversation and items, and its last words are the result", async () => {
    const host = world.host();
    const conversation = await world.open(host);
    const told = await readTurn(
      conversation.turn(
        script([task([{ say: "I look." }, { tool: "Bash" }, { say: "It is fine." }]), { say: "Done." }]),
        never(),
      ),
    );
    const items = told.arrays.flat().flatMap((event) => (event.type === "item.completed" ? [event.item] : []));
    expect(items).toMatchObject([
      { type: "agent_message", parent_id: "item_2", text: "I look.", status: "completed" },
      { type: "command_execution", parent_id: "item_2", status: "completed" },
      { type: "agent_message", parent_id: "item_2", text: "It is fine.", status: "completed" },
      {
        type: "subagent",
        id: "item_2",
        description: "look",
        output: [{ type: "text", text: "It is fine." }],
        is_error: false,
      },
      { type: "agent_message", text: "Done." },
    ]);
    expect(items[4]).not.toHaveProperty("parent_id");
    expect(told.arrays.flat().filter((event) => event.type === "usage")).toHaveLength(4);
    expect(host.asked.map((call) => call.tool)).toEqual(["Task", "Bash"]);
    const sent = world.sent();
    expect(sent.map(outline)).toEqual([
      [["user", "Do it."]],
      [["user", "Look."]],
      [
        ["user", "Look."],
        ["assistant", "I look.", "tool_use"],
        ["user", "tool_result"],
      ],
      [
        ["user", "Do it."],
        ["assistant", "tool_use"],
        ["user", "tool_result"],
      ],
    ]);
    expect(sent[1]?.system[0]?.text).toContain("You are a sub-agent");
  });

  test("may have a sub-agent, which may have none", async () => {
    const host = world.host();
    const conversation = await world.open(host);
    const told = await readTurn(
      conversation.turn(
        script([task([task([task([{ say: "too deep" }]), { say: "deep" }]), { say: "middle" }]), { say: "Done." }]),
        never(),
      ),
    );
    const outputs = told.arrays
      .flat()
      .flatMap((event) => (event.type === "item.completed" && "output" in event.item ? [event.item.output] : []));
    expect(outputs).toEqual([
      [{ type: "text", text: "Error: no sub-agents here" }],
      [{ type: "text", text: "deep" }],
      [{ type: "text", text: "middle" }],
    ]);
    expect(world.sent().map((body) => body.tools?.some((tool) => tool.name === "Task"))).toEqual([
      true,
      true,
      false,
      false,
      true,
      true,
    ]);
  });

  test("several run beside each other, also with the same words", async () => {
    const host = world.host();
    host.toolbox.gates.set("x", new Signal());
    const both = new Signal();
    host.decide = (call) => {
      if (host.asked.filter((other) => other.tool === "Held").length === 2) both.fire();
      return { effect: "allow", input: call.input };
    };
    const same = task([{ tool: "Held", input: { key: "x" } }, { say: "held" }]);
    const conversation = await world.open(host);
    const turn = readTurn(conversation.turn(script([{ tools: [same, same] }, { say: "Done." }]), never()));
    await both.promise;
    host.toolbox.gates.get("x")?.fire();
    const told = await turn;
    const ids = host.asked.map((call) => call.tool_use_id);
    expect(new Set(ids).size).toBe(4);
    expect(told.arrays.at(-1)?.at(-1)).toEqual({ type: "turn.completed", stop_reason: "end_turn" });
    expect(world.take().filter((exchange) => exchange.status === 400)).toEqual([]);
  });

  test("that fails is an error for its caller, not the end of the turn", async () => {
    const conversation = await world.open(world.host(), { settings: { max_turns: 2 } });
    const told = await readTurn(
      conversation.turn(
        script([task([{ tool: "Bash" }, { say: "once more" }, { tool: "Bash" }]), { say: "Done." }]),
        never(),
      ),
    );
    expect(
      told.arrays
        .flat()
        .flatMap((event) => (event.type === "item.completed" && event.item.type === "subagent" ? [event.item] : [])),
    ).toMatchObject([
      {
        status: "failed",
        is_error: true,
        output: [
          {
            type: "text",
            text: "Error: the sub-agent did not finish: stopped after 2 messages of the model (max_turns); send another prompt to go on",
          },
        ],
      },
    ]);
    expect(told.arrays.at(-1)?.at(-1)).toEqual({ type: "turn.completed", stop_reason: "end_turn" });
  });

  test("reject and stop inside it ends the whole turn", async () => {
    const host = world.host();
    host.decide = (call) =>
      call.tool === "Bash"
        ? { effect: "deny", message: "User rejected: no", status: "declined", interrupt: true }
        : { effect: "allow", input: call.input };
    const conversation = await world.open(host);
    const told = await readTurn(conversation.turn(script([task([{ tool: "Bash" }]), { say: "never" }]), never()));
    expect(told.arrays.slice(2).flat()).toMatchObject([
      { type: "item.completed", item: { tool: "Bash", status: "declined" } },
      { type: "item.completed", item: { tool: "Task", status: "interrupted" } },
      { type: "turn.failed", error: { code: "rejected_and_stopped", message: "User rejected: no" } },
    ]);
  });
});
