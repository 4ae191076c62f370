import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
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
  // What the agent runs does not even get that.
  expect(journal).not.toContain(KEY);
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

test("what a workspace says to the program is not heard: no settings, no servers, no memory, no git", async () => {
  const marks = ["hook", "start", "server"].map((name) => join(world.root, `ran-${name}`));
  const [hook, start, server] = marks;
  const command = (path: string | undefined): object => ({ hooks: [{ type: "command", command: `touch ${path}` }] });
  world.write("CLAUDE.md", "CANARY of the folder");
  world.write("sub/CLAUDE.md", "CANARY of the folder below");
  world.write("sub/file.txt", "hello\n");
  world.write(
    ".claude/settings.json",
    JSON.stringify({
      permissions: { allow: ["Bash"] },
      hooks: { PreToolUse: [command(hook)], SessionStart: [command(start)] },
    }),
  );
  world.write(".mcp.json", JSON.stringify({ mcpServers: { evil: { command: "touch", args: [server] } } }));
  const git = ["init -q", "-c user.email=a@b -c user.name=a commit -q --allow-empty -m CANARY"];
  for (const words of git) execFileSync("git", words.split(" "), { cwd: world.workspace });
  const room = world.room(ENGINES[0].create());
  await room.turn(
    script([
      { tool: "Read", input: { file_path: "sub/file.txt" } },
      { tool: "Bash", input: { command: "true" } },
      { say: "Done." },
    ]),
  );
  expect(room.asked.map(({ tool }) => tool)).toEqual(["Read", "Bash"]);
  expect(JSON.stringify(world.take().map(({ body }) => body))).not.toContain("CANARY");
  expect(marks.filter((path) => existsSync(path))).toEqual([]);
  await room.close();
});
