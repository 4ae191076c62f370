import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CANARIES, ENGINES, KEY, script, World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await World.start();
  // The server's own environment has them too.
  Object.assign(process.env, CANARIES);
});
afterAll(async () => {
  for (const name of Object.keys(CANARIES)) delete process.env[name];
  await world.close();
});

function filesUnder(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test.each(ENGINES)("a process of $name knows no credential but its session's key", async ({ create }) => {
  const room = world.room(create());
  const seen: string[] = [];
  room.decide = async (call) => {
    for (const pid of await room.pids())
      for (const file of ["environ", "cmdline"]) seen.push(readFileSync(`/proc/${pid}/${file}`, "latin1"));
    return { effect: "allow", input: call.input };
  };
  const told = await room.turn(script([{ tool: "Bash", input: { command: "env" } }, { say: "Done." }]));
  expect(told.events.at(-1)).toMatchObject({ type: "turn.completed" });
  expect(seen.length).toBeGreaterThanOrEqual(2);
  expect(seen.some((text) => text.includes(KEY))).toBe(true);
  const commands = seen.filter((_, index) => index % 2 === 1);
  expect(commands.filter((text) => text.includes(KEY))).toEqual([]);
  const journal = JSON.stringify(room.journal);
  const files = filesUnder(world.root).map((path) => readFileSync(path, "latin1"));
  for (const canary of Object.values(CANARIES)) {
    expect([...seen, ...files, journal].filter((text) => text.includes(canary))).toEqual([]);
  }
  // "Always allow" and the like would be written there.
  expect(filesUnder(world.workspace)).toEqual([]);
  expect(world.exchanges.every(({ headers }) => headers["authorization"] === `Bearer ${KEY}`)).toBe(true);
  await room.close();
  expect(await room.pids()).toEqual([]);
  expect(readdirSync(join(room.folder, "tmp"))).toEqual([]);
});
