import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { EngineEvent, ToolCall, Verdict } from "../../../src/engines/index.ts";
import { openCalls, openItems } from "../world.ts";
import { ENGINES, items, outline, script, World, type Room } from "./world.ts";
import { sample } from "../../support/sample.ts";

let world: World;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(() => {
  world.take();
});
afterAll(() => world.close());

const allow = (call: ToolCall): Verdict => ({ effect: "allow", input: call.input });

/** What was said, without Sallyport's own words: the first lines. */
function spoken(): readonly string[] {
  return world.lastMessages().map((message) => message.split("\n")[0] ?? "");
}

/** The prompts in it. */
function prompts(): readonly string[] {
  return [
    ...world
      .lastMessages()
      .join("\n")
      .matchAll(/(\w+)\nsim:/g),
  ].map(([, word]) => word ?? "");
}

async function say(room: Room, words: string): Promise<string> {
  const told = await room.turn(script([{ say: `${words}!` }], words));
  expect(outline(told.events)).toEqual(["+ agent_message", `completed agent_message: ${words}!`, "completed end_turn"]);
  return room.turnId;
}

const resumed = async (room: Room): Promise<readonly EngineEvent[]> => {
  const told = await room.resume(openCalls(room.journal));
  expect(openItems(room.journal)).toEqual([]);
  return told.events;
};

describe.each(sample(ENGINES, 1))("$name", ({ name, create }) => {
  test("a turn whose server died while a person was asked asks again and goes on", async () => {
    const room = world.room(create());
    const call = { tool: "Write", input: { file_path: `${name}-approved.txt`, content: "x\n" } };
    room.decide = () => new Promise<Verdict>(() => undefined);
    await room.crash(script([{ say: "I write." }, call, { say: "Done." }]), 1);
    const [open] = openCalls(room.journal);
    room.asked.length = 0;
    room.decide = allow;
    const events = await resumed(room);
    // Asked once, about the same call, which runs though the model does not make it again.
    expect(room.asked).toEqual([
      { item_id: open?.id, tool: "Write", tool_use_id: open?.tool_use_id, input: open?.input },
    ]);
    expect(outline(events)).toEqual([
      expect.stringMatching(/^completed file_change Write: Wrote /),
      "+ agent_message",
      "completed agent_message: Done.",
      "completed end_turn",
    ]);
    expect(items(events)[0]?.id).toBe(open?.id);
    expect(await world.read(`${name}-approved.txt`)).toBe("x\n");
    await say(room, "Next");
    await room.close();
  });
});

describe("claude-sdk", () => {
  test("what may have run is not run again, and an approved call of the same message runs once", async () => {
    const room = world.room(ENGINES[0].create());
    await writeFile(join(world.workspace, "b.txt"), "of b\n");
    const tools = [
      { tool: "Read", input: { file_path: "a.txt" } },
      { tool: "Read", input: { file_path: "b.txt" } },
    ];
    room.decide = () => new Promise<Verdict>(() => undefined);
    await room.crash(script([{ tools }, { say: "Done." }]), 2);
    room.decide = (call) =>
      call.input["file_path"] === join(world.workspace, "a.txt")
        ? { effect: "deny", message: "Its outcome is unknown.", status: "interrupted", interrupt: false }
        : allow(call);
    const events = await resumed(room);
    expect(outline(events)).toEqual([
      "interrupted tool_call Read: Its outcome is unknown.",
      expect.stringMatching(/^completed tool_call Read: +1.of b/),
      "+ agent_message",
      "completed agent_message: Done.",
      "completed end_turn",
    ]);
    const words = world.lastMessages().find((message) => message.includes("restarted")) ?? "";
    expect(words).toContain("Its outcome is unknown.");
    expect(words).toContain("of b");
    await room.close();
  });

  test("a server that was stopped takes its turn up again", async () => {
    const room = world.room(ENGINES[0].create());
    const call = { tool: "Bash", input: { command: "sleep 20" } };
    const controller = new AbortController();
    let kept = 0;
    await room.turn(script([call, { say: "Done." }], "Halt"), {
      signal: controller.signal,
      onEvent: (event) => {
        if (event.type !== "item.started") return;
        // From here on nothing is journaled any more.
        kept = room.journal.length;
        controller.abort();
      },
    });
    await room.forget();
    room.journal.length = kept;
    room.decide = () => ({ effect: "deny", message: "It may have run.", status: "interrupted", interrupt: false });
    const events = await resumed(room);
    expect(outline(events)).toEqual([
      "interrupted command_execution Bash: It may have run.",
      "+ agent_message",
      "completed agent_message: Done.",
      "completed end_turn",
    ]);
    expect(prompts()).toEqual(["Halt"]);
    await room.close();
  });

  test("a prompt that the vendor never wrote down is sent again", async () => {
    const room = world.room(ENGINES[0].create());
    await say(room, "One");
    await room.forget();
    // The server died between its own record and the vendor's: no process ever saw the prompt.
    room.begin(script([{ say: "Two!" }], "Two"));
    const events = await resumed(room);
    expect(outline(events)).toEqual(["+ agent_message", "completed agent_message: Two!", "completed end_turn"]);
    expect(spoken().filter((line) => line === "user: One")).toHaveLength(1);
    await room.close();
  });

  test("the answers to a question that was open are told", async () => {
    const room = world.room(ENGINES[0].create());
    const questions = [
      {
        question: "Which?",
        header: "W",
        multiSelect: false,
        options: [
          { label: "A", description: "a" },
          { label: "B", description: "b" },
        ],
      },
    ];
    room.decide = () => new Promise<Verdict>(() => undefined);
    await room.crash(script([{ tool: "AskUserQuestion", input: { questions } }, { say: "Done." }]), 1);
    room.decide = (call) => ({ effect: "allow", input: { ...call.input, answers: { "Which?": "B" } } });
    const events = await resumed(room);
    expect(outline(events)).toEqual([
      'completed tool_call AskUserQuestion: The user answered:\n"Which?" = "B"',
      "+ agent_message",
      "completed agent_message: Done.",
      "completed end_turn",
    ]);
    expect(world.lastMessages().join("\n")).toContain('"Which?" = "B"');
    await room.close();
  });

  test("a sub-agent that a dead server left goes on, though the model does not call it again", async () => {
    const room = world.room(ENGINES[0].create());
    const inner = script([{ tool: "Bash", input: { command: "echo inner" } }, { say: "Inner." }]).text;
    const agent = { tool: "Agent", input: { description: "look", prompt: inner } };
    room.decide = (call) => (call.tool === "Agent" ? allow(call) : new Promise<Verdict>(() => undefined));
    await room.crash(script([agent, { say: "Done." }]), 2);
    room.decide = allow;
    expect(outline(await resumed(room))).toEqual([
      "completed command_execution Bash: inner",
      "+ agent_message",
      "completed agent_message: Inner.",
      "completed subagent Agent: Inner.",
      "+ agent_message",
      "completed agent_message: Done.",
      "completed end_turn",
    ]);
    await room.close();
  });

  test("a sub-agent that a dead server left and that is refused now does nothing more", async () => {
    const room = world.room(ENGINES[0].create());
    const inner = script([{ tool: "Bash", input: { command: "echo inner" } }]).text;
    const agent = { tool: "Agent", input: { description: "look", prompt: inner } };
    room.decide = (call) => (call.tool === "Agent" ? allow(call) : new Promise<Verdict>(() => undefined));
    await room.crash(script([agent, { say: "Done." }]), 2);
    room.decide = (call) =>
      call.tool === "Bash"
        ? allow(call)
        : { effect: "deny", message: "Not now.", status: "declined", interrupt: false };
    expect(outline(await resumed(room))).toEqual([
      "interrupted command_execution Bash: Interrupted; outcome unknown.",
      "declined subagent Agent: Not now.",
      "+ agent_message",
      "completed agent_message: Done.",
      "completed end_turn",
    ]);
    await room.close();
  });
});
