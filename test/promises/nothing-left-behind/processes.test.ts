import { chmod, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXECUTABLE } from "../../engines/claude/world.ts";
import { escaped, ESCAPES, isAlive } from "../../support/escapes.ts";
import { openTestApp, runScript, script, type TestApp } from "../../support/app.ts";
import { leftBehind, makePlace, startServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";

const escape = "(setsid sleep 1000 &) ; nohup sleep 1000 >/dev/null 2>&1 & trap '' TERM; sleep 1000 &";
const [withNothingLeft] = Object.values(ESCAPES);
if (withNothingLeft === undefined) throw new Error("no way to escape");

/** One app for tests whose sessions leave nothing in it. */
let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

it("ends every process of a session that closes, also those that left their group", async () => {
  const { session } = await runScript(app.client, {
    autonomy: "full",
    prompt: {
      text: script(
        { tool: "Bash", input: { command: escape } },
        { tool: "Bash", input: { command: "sleep 1000", run_in_background: true } },
        { say: "ok" },
      ),
    },
  });
  expect((await leftBehind(app.place)).length).toBeGreaterThan(1);
  await app.client.control(session.id, "close");
  expect(await leftBehind(app.place)).toEqual([]);
});

it("ends what took everything off that tells of its session", async () => {
  const files = Object.keys(ESCAPES).map((_, index) => join(app.place.workspace, `${index}.pid`));
  const tools = Object.values(ESCAPES).map((way, index) => ({
    tool: "Bash",
    input: { command: way(files[index] ?? "") },
  }));
  const { session } = await runScript(app.client, {
    autonomy: "full",
    prompt: { text: script({ tools }, { say: "ok" }) },
  });
  const pids = await Promise.all(files.map(escaped));
  expect(pids.filter(isAlive)).toEqual(pids);
  await app.client.control(session.id, "close");
  expect(pids.filter(isAlive)).toEqual([]);
});

describe("a killed server", () => {
  it("leaves nothing, though no other one is started", async () => {
    const place = await makePlace();
    const server = await startServer(place);
    const file = join(place.workspace, "escaped.pid");
    const command = `${escape} ${withNothingLeft(file)}; sleep 1000`;
    const session = await server.client.createSession({
      autonomy: "full",
      prompt: { text: script({ tool: "Bash", input: { command } }) },
    });
    for await (const frame of server.client.watch(session.id)) if (frame.type === "item.updated") break;
    // The mark comes before the process: wait until the last one is there.
    let pid = NaN;
    await until(async () => {
      pid = await escaped(file).catch(() => NaN);
      return !Number.isNaN(pid);
    });
    expect((await leftBehind(place)).length).toBeGreaterThan(2);
    await server.kill();
    await until(async () => !isAlive(pid) && (await leftBehind(place)).length === 0);
    await place.remove();
  });

  it("is followed by one whose processes stay", async () => {
    const place = await makePlace();
    const first = await startServer(place);
    await runScript(first.client, {
      autonomy: "full",
      prompt: { text: script({ tool: "Bash", input: { command: escape } }, { say: "ok" }) },
    });
    await first.kill();
    const second = await startServer(place);
    const file = join(place.workspace, "escaped.pid");
    const { session } = await runScript(second.client, {
      autonomy: "full",
      prompt: { text: script({ tool: "Bash", input: { command: withNothingLeft(file) } }, { say: "ok" }) },
    });
    expect(isAlive(await escaped(file))).toBe(true);
    await second.client.control(session.id, "close");
    expect([isAlive(await escaped(file)), await leftBehind(place)]).toEqual([false, []]);
    await second.stop();
    await place.remove();
  });
});

describe.each(["claude-sdk", "claude-cli"])("%s", (engine) => {
  it("what the vendor's own program leaves ends with the session, and with the server", async () => {
    const place = await makePlace();
    const claude = join(place.workspace, "..", "claude");
    const stay = `'echo $$ > $0.part; mv $0.part $0; exec sleep 900'`;
    const leave = `env -i setsid sh -c ${stay} "$f" >/dev/null 2>&1 & until [ -s "$f" ]; do sleep 0.01; done`;
    const program = [
      "#!/bin/bash",
      `f=${place.workspace}/$SALLYPORT_SESSION.$$.pid`,
      `[ "$*" = --version ] || { ${leave}; }`,
      `exec ${EXECUTABLE} "$@"`,
    ];
    await writeFile(claude, program.join("\n"));
    await chmod(claude, 0o755);
    const server = await startServer(place, { SALLYPORT_CLAUDE: claude });
    const made = async (session = ""): Promise<readonly number[]> => {
      const names = await readdir(place.workspace);
      const files = names.filter((name) => name.startsWith(session) && name.endsWith(".pid"));
      return Promise.all(files.map((name) => escaped(join(place.workspace, name))));
    };
    const left = async (session?: string): Promise<readonly number[]> => (await made(session)).filter(isAlive);
    const settings = { engine, prompt: { text: script({ say: "ok" }) } };
    const { session } = await runScript(server.client, settings);
    // One for each process; where a turn has a process of its own, what it left may have gone with it.
    expect(await made(session.id)).not.toEqual([]);
    await server.client.control(session.id, "close");
    expect(await left(session.id)).toEqual([]);
    const second = await runScript(server.client, settings);
    expect(await made(second.session.id)).not.toEqual([]);
    await server.kill();
    await until(async () => (await left()).length === 0 && (await leftBehind(place)).length === 0);
    await place.remove();
  });
});

it("leaves no half-written file and no folder of its own in the workspace", async () => {
  const before = await readdir(app.place.workspace);
  await runScript(app.client, {
    autonomy: "full",
    prompt: {
      text: script(
        { tool: "Write", input: { file_path: join(app.place.workspace, "a/b/c.txt"), content: "x" } },
        { say: "ok" },
      ),
    },
  });
  const after = await readdir(app.place.workspace, { recursive: true });
  expect(after.filter((name) => !before.includes(name)).sort()).toEqual(["a", "a/b", "a/b/c.txt"]);
});
