import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isToolItem, type EventBody, type Prompt, type ToolItem } from "../../src/protocol/index.ts";
import type { EngineEvent } from "../../src/engines/index.ts";
import { journalOf, never, openCalls, openItems, promptEvent, readTurn, script, World } from "./world.ts";

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
  input: { description: "d", prompt: `sim: ${JSON.stringify(steps)}` },
});

const SCRIPTS = [
  {
    name: "text, thinking, parallel tools",
    steps: [
      { think: "first" },
      { say: "I look." },
      {
        tools: [
          { tool: "Read", input: { file_path: "a" } },
          { tool: "Bash", input: { command: "x" } },
          { tool: "Write", input: { file_path: "b", content: "y" } },
        ],
      },
      { say: "Then." },
      { tool: "Picture" },
      { say: "Done." },
    ],
  },
  {
    name: "a cut stream",
    steps: [{ say: "half" }, { cut: true }, { say: "rest" }, { tool: "Bash" }, { say: "Done." }],
  },
  {
    name: "a paused message",
    steps: [{ say: "a" }, { stop_reason: "pause_turn" }, { tool: "Bash" }, { say: "Done." }],
  },
  {
    name: "a cut call",
    steps: [
      { tools: [{ tool: "Bash" }, { tool: "Write", input: { file_path: "b", content: "y" } }] },
      { stop_reason: "max_tokens" },
      { say: "Done." },
    ],
  },
  {
    name: "a sub-agent",
    steps: [
      { say: "I delegate." },
      task([
        { say: "sub" },
        { tools: [{ tool: "Bash" }, { tool: "Read", input: { file_path: "a" } }] },
        { say: "sub done" },
      ]),
      { say: "Done." },
    ],
  },
  {
    name: "a sub-agent of a sub-agent",
    steps: [task([task([{ tool: "Bash" }, { say: "deep" }]), { say: "middle" }]), { say: "Done." }],
  },
];

function isTerminal(event: EngineEvent): boolean {
  return event.type === "turn.completed" || event.type === "turn.failed";
}

/** What a session writes when it takes a turn up again: words that were being said are void. */
function recovered(journal: readonly EventBody[]): readonly EventBody[] {
  return journal.concat(
    openItems(journal)
      .filter((item) => !isToolItem(item))
      .map((item): EventBody => ({ type: "item.completed", item: { ...item, status: "superseded" }, synthetic: true })),
  );
}

async function record(prompt: Prompt): Promise<readonly (readonly EngineEvent[])[]> {
  const conversation = await world.open(world.host());
  return (await readTurn(conversation.turn(prompt, never()))).arrays;
}

/** Every item that was started has exactly one end. */
function balance(journal: readonly EventBody[]): Readonly<Record<string, string[]>> {
  const seen: Record<string, string[]> = {};
  for (const body of journal) {
    if (body.type === "item.started" || body.type === "item.completed") (seen[body.item.id] ??= []).push(body.type);
  }
  return seen;
}

describe.each(SCRIPTS)("$name", ({ steps }) => {
  test.each([
    { mode: "after the session has closed open words", prepare: recovered },
    { mode: "without that", prepare: (journal: readonly EventBody[]) => journal },
  ])("a turn cut after any array goes on to exactly one end, $mode", async ({ prepare }) => {
    const prompt = script(steps);
    const arrays = await record(prompt);
    expect(world.take().map((exchange) => exchange.status)).toEqual(expect.not.arrayContaining([400]));
    for (let kept = 0; kept < arrays.length; kept += 1) {
      const journal = prepare([promptEvent(prompt), ...journalOf(arrays.slice(0, kept))]);
      const host = world.host();
      let ids = 1_000 * (kept + 1);
      host.newId = (prefix) => `${prefix}_${(ids += 1)}`;
      const conversation = await world.open(host, { journal });
      const told = await readTurn(conversation.resumeTurn(openCalls(journal), never()));
      const all = journal.concat(journalOf(told.arrays));
      expect(told.arrays.flat().filter(isTerminal), `after ${kept} arrays`).toEqual([
        { type: "turn.completed", stop_reason: "end_turn" },
      ]);
      expect(isTerminal(told.arrays.flat().at(-1)!)).toBe(true);
      expect(openItems(all)).toEqual([]);
      expect(Object.values(balance(all)).filter((events) => events.join() !== "item.started,item.completed")).toEqual(
        [],
      );
      // A call that has a result is not asked about again.
      const done = new Set(journal.flatMap((body) => (body.type === "item.completed" ? [body.item.id] : [])));
      expect(host.asked.filter((call) => done.has(call.item_id))).toEqual([]);
      expect(world.take().filter((exchange) => exchange.status === 400)).toEqual([]);
      // The conversation that the journal now holds is as good as the one in memory.
      const again = await world.open(world.host(), { journal: all });
      await readTurn(conversation.turn(script([{ say: "more" }]), never()));
      await readTurn(again.turn(script([{ say: "more" }]), never()));
      const [left, right] = world.sent();
      expect(right).toEqual(left);
    }
  });
});

describe("taking a turn up again", () => {
  const prompt = script([
    { tools: [{ tool: "Bash" }, { tool: "Write", input: { file_path: "b", content: "y" } }] },
    { say: "Done." },
  ]);

  test("asks again about open calls, in order, with the same ids, and believes the answer", async () => {
    const arrays = await record(prompt);
    const journal = [promptEvent(prompt), ...journalOf(arrays.slice(0, 1))];
    const open = openCalls(journal);
    world.take();
    const host = world.host();
    host.decide = (call) =>
      call.tool === "Bash"
        ? { effect: "deny", message: "It may have run.", status: "interrupted", interrupt: false }
        : { effect: "allow", input: call.input };
    const conversation = await world.open(host, { journal });
    const told = await readTurn(conversation.resumeTurn(open, never()));
    expect(host.asked).toEqual(
      open.map(({ id, tool, tool_use_id, input }: ToolItem) => ({ item_id: id, tool, tool_use_id, input })),
    );
    expect(host.toolbox.log).toEqual(["start Write", "end Write"]);
    expect(told.arrays.slice(0, 2).flat()).toMatchObject([
      {
        type: "item.completed",
        item: { tool: "Bash", status: "interrupted", output: [{ type: "text", text: "It may have run." }] },
      },
      { type: "item.completed", item: { tool: "Write", status: "completed" } },
    ]);
    expect(world.take().map((exchange) => exchange.status)).toEqual([200]);
  });

  test("a sub-agent whose call is refused then leaves nothing open", async () => {
    const nested = script([
      task([{ tools: [{ tool: "Bash" }, { tool: "Read", input: { file_path: "a" } }] }, { say: "sub" }]),
      { say: "Done." },
    ]);
    const arrays = await record(nested);
    const journal = [promptEvent(nested), ...journalOf(arrays.slice(0, 2))];
    expect(openItems(journal).map((item) => (isToolItem(item) ? item.tool : item.type))).toEqual([
      "Task",
      "Bash",
      "Read",
    ]);
    const host = world.host();
    host.decide = () => ({ effect: "deny", message: "Not again.", status: "interrupted", interrupt: false });
    const conversation = await world.open(host, { journal });
    const told = await readTurn(conversation.resumeTurn(openCalls(journal), never()));
    expect(told.arrays[0]).toMatchObject([
      { type: "item.completed", item: { tool: "Bash", status: "interrupted" } },
      { type: "item.completed", item: { tool: "Read", status: "interrupted" } },
      {
        type: "item.completed",
        item: { tool: "Task", status: "interrupted", output: [{ type: "text", text: "Not again." }] },
      },
    ]);
    expect(openItems(journal.concat(journalOf(told.arrays)))).toEqual([]);
  });

  test("max_turns counts what came before", async () => {
    const long = script([{ tool: "Bash" }, { tool: "Bash" }, { say: "Done." }]);
    const arrays = await record(long);
    const journal = [promptEvent(long), ...journalOf(arrays.slice(0, 4))];
    const conversation = await world.open(world.host(), { journal, settings: { max_turns: 2 } });
    const told = await readTurn(conversation.resumeTurn([], never()));
    expect(told.arrays.flat()).toMatchObject([{ type: "turn.failed", error: { code: "max_turns" } }]);
  });
});
