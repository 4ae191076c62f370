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
    expect(world.sent()[1]?.messages[2]?.content.map((part) => part.content)).toEqual([
      "held 1",
      "held 2",
      "one\ntwo",
      "Wrote a",
      "x",
    ]);
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
          { tools: [write("/project/a"), write("b"), { tool: "Bash" }, { tool: "Read", input: { file_path: "a" } }] },
          { say: "ok" },
        ]),
        never(),
      ),
    );
    await asked.promise;
    expect([...answers.keys()]).toEqual(["Write /project/a", "Write b", "Bash undefined"]);
    // The later answers come first; the order of running stays.
    for (const key of ["Bash undefined", "Write b", "Write /project/a"]) answers.get(key)?.fire();
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
    const told = await readTurn(
      conversation.turn(script([{ tool: "Write", input: { file_path: "a", content: "x" } }, { say: "ok" }]), never()),
    );
    expect(told.arrays[1]).toMatchObject([
      { item: { input: { file_path: "a", content: "x" }, approved_input: { file_path: "b", content: "changed" } } },
    ]);
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
