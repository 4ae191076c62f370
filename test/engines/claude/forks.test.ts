import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Ancestor } from "../../../src/engines/index.ts";
import { ENGINES, outline, script, World, type Room } from "./world.ts";

const [SDK, CLI] = ENGINES;

let world: World;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(() => {
  world.take();
});
afterAll(() => world.close());

const after = (room: Room, turn_id: string): Ancestor => ({ folder: room.folder, after_turn: turn_id });

/** What was said: the first lines. */
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

async function say(room: Room, words: string, ancestry?: readonly Ancestor[]): Promise<string> {
  const told = await room.turn(script([{ say: `${words}!` }], words), ancestry === undefined ? {} : { ancestry });
  expect(outline(told.events)).toEqual(["+ agent_message", `completed agent_message: ${words}!`, "completed end_turn"]);
  return room.turnId;
}

test("a conversation goes on in a new process, and a fork forgets what came after it", async () => {
  const room = world.room(SDK.create());
  const first = await say(room, "One");
  expect(statSync(join(room.folder, "claude.jsonl")).mode & 0o777).toBe(0o600);
  await room.forget();
  // A turn that is aborted in the middle.
  const controller = new AbortController();
  await room.turn(script([{ tool: "Bash", input: { command: "sleep 20" } }, { say: "Never" }], "Two"), {
    signal: controller.signal,
    onEvent: (event) => {
      if (event.type === "item.started") controller.abort();
    },
  });
  const second = room.turnId;
  await say(room, "Three");
  expect(prompts()).toEqual(["One", "Two", "Three"]);

  // The other engine reads the same record, also while the session it belongs to is at work.
  const fork = world.room(CLI.create());
  await say(fork, "Four", [after(room, first)]);
  expect(spoken()).toEqual(["user: One", "assistant: One!", "user: Four"]);
  const fifth = await say(fork, "Five");
  expect(spoken()).toEqual(["user: One", "assistant: One!", "user: Four", "assistant: Four!", "user: Five"]);

  // A fork of a fork, and one of a fork that has no turn of its own at that place.
  const third = world.room(SDK.create());
  await say(third, "Six", [after(fork, fifth), after(room, first)]);
  expect(prompts()).toEqual(["One", "Four", "Five", "Six"]);
  const fourth = world.room(SDK.create());
  await say(fourth, "Seven", [{ folder: join(world.root, "nobody"), after_turn: undefined }, after(room, second)]);
  expect(prompts()).toEqual(["One", "Two", "Seven"]);
  for (const each of [room, fork, third, fourth]) await each.close();
});

test("when the vendor's record is lost, the model is told what was said", async () => {
  const room = world.room(SDK.create());
  await say(room, "One");
  await room.forget();
  rmSync(join(room.folder, "claude"), { recursive: true });
  const told = await room.turn(script([{ say: "Two!" }], "Two"));
  expect(outline(told.events)[0]).toMatch(/^notice .*record of this conversation is gone/);
  expect(world.lastMessages()).toHaveLength(1);
  expect(world.lastMessages()[0]).toMatch(/User: One[\s\S]*Assistant: One![\s\S]*Two/);
  await room.forget();
  writeFileSync(join(room.folder, "claude.jsonl"), "{broken");
  const again = await room.turn(script([{ say: "Three!" }], "Three"));
  expect(outline(again.events)[0]).toMatch(/^notice /);
  await room.forget();
  // It is there, but the vendor's program itself can make nothing of it.
  const projects = join(room.folder, "claude", "projects");
  for (const name of readdirSync(projects, { recursive: true, encoding: "utf8" }))
    if (name.endsWith(".jsonl")) writeFileSync(join(projects, name), "{}\n");
  const last = await room.turn(script([{ say: "Four!" }], "Four"));
  expect(outline(last.events)).toEqual([
    expect.stringMatching(/^notice /),
    "+ agent_message",
    "completed agent_message: Four!",
    "completed end_turn",
  ]);
  expect(world.lastMessages()[0]).toMatch(/User: Three[\s\S]*Four/);
  await room.close();
});
