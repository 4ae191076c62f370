import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LIMITS } from "../../../src/protocol/index.ts";
import { ENGINES, outline, script, World, type Room } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.close());

/** A room where the next turn's process is started at once. */
function eagerRoom(): Room {
  const room = world.room(ENGINES[1].create());
  const { sleep } = room;
  room.sleep = (ms, signal) => sleep(ms === LIMITS.engineAheadMs ? 0 : ms, signal);
  return room;
}

/** The process that waits for the next turn, and no other. */
async function waiting(room: Room, before: readonly number[] = []): Promise<number> {
  for (;;) {
    const [pid, ...others] = await room.pids();
    if (pid !== undefined && others.length === 0 && !before.includes(pid)) return pid;
    await pause(10);
  }
}

/** A turn with the processes that were there in the middle of it, while it asked whether it may read. */
async function turn(room: Room, word: string): Promise<{ outline: readonly string[]; pids: readonly number[] }> {
  let pids: readonly number[] = [];
  room.decide = async ({ input }) => {
    pids = await room.pids();
    return { effect: "allow", input };
  };
  const file_path = world.write("file.txt", "one line\n");
  const told = await room.turn(script([{ tool: "Read", input: { file_path } }, { say: word }]));
  return { outline: outline(told.events).slice(-2), pids };
}

const said = (word: string): readonly string[] => [`completed agent_message: ${word}`, "completed end_turn"];

test("claude-cli has a new process for each prompt, which is there before the prompt", async () => {
  const room = eagerRoom();
  const first = await turn(room, "One.");
  const next = await waiting(room, first.pids);
  const second = await turn(room, "Two.");
  expect([first.outline, second]).toEqual([said("One."), { outline: said("Two."), pids: [next] }]);
  // It went on where the first one was.
  expect(world.lastMessages().filter((text) => text.startsWith("assistant: "))).toContain("assistant: One.");
  const third = await waiting(room, [next]);
  expect(process.kill(third, "SIGKILL")).toBe(true);
  const after = await turn(room, "Three.");
  expect(after).toEqual({ outline: said("Three."), pids: [expect.any(Number)] });
  expect(after.pids).not.toEqual([third]);
  await room.forget();
  expect(await room.pids()).toEqual([]);
});
