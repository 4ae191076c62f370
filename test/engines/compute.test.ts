import { afterAll, beforeAll, expect, test } from "vitest";
import { defined } from "../../src/protocol/index.ts";
import { createComputeEngine } from "../../src/engines/index.ts";
import { arraysOf, never, outline, readTurn, script, SETTINGS, World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.sim.close());

const messages = [
  { role: "user" as const, text: "Say red." },
  { role: "assistant" as const, text: "Red." },
];

async function ask(steps: readonly unknown[], system_prompt?: string) {
  const host = world.host();
  const settings = { ...SETTINGS, engine: "compute", job: { messages }, ...defined({ system_prompt }) };
  const opening = { session_id: "ses_1", settings, async *history() {}, ancestry: [] };
  const conversation = await createComputeEngine().open(opening, host);
  const { arrays } = await readTurn(
    arraysOf(
      (channel) => conversation.turn(script(steps), channel),
      never(),
      (events) => host.hear(events),
    ),
  );
  return { host, last: arrays.flat().at(-1), sent: world.sent() };
}

test("one call, which has what was said before and no tools", async () => {
  const { last, sent } = await ask([{ say: "Blue." }]);
  expect(last).toMatchObject({ type: "turn.completed", stop_reason: "end_turn" });
  expect(sent.map(outline)).toEqual([
    [
      ["user", "Say red."],
      ["assistant", "Red."],
      ["user", "Do it."],
    ],
  ]);
  expect(sent[0]).not.toHaveProperty("tools");
  // Nothing of ours is told to it.
  expect(sent[0]).not.toHaveProperty("system");
  const { sent: told } = await ask([{ say: "Blue." }], "Be brief.");
  expect(told[0]?.system.map(({ text }) => text)).toEqual(["Be brief."]);
});

test("a tool that the model calls nevertheless is neither asked about nor run, and there is no second call", async () => {
  const { host, last, sent } = await ask([{ tool: "Bash", input: { command: "true" } }, { say: "Done." }]);
  expect(last).toMatchObject({ type: "turn.failed", error: { code: "max_turns" } });
  expect([host.asked, host.toolbox.log, sent.length]).toEqual([[], [], 1]);
});
