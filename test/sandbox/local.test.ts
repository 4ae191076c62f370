import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { listProcesses, parsePsLine } from "../../src/sandbox/processes.ts";
import { openLocalSandbox, ProcessMarks, reapOrphans, type Sandbox } from "../../src/sandbox/index.ts";
import { Failure } from "../../src/protocol/index.ts";

let folder: string;
let marker: string;
let sandbox: Sandbox;
let sleeps = 0;
const environment = {
  PATH: process.env["PATH"],
  LANG: "C.UTF-8",
  SECRET_CANARY: "canary-4711",
  ANTHROPIC_API_KEY: "k",
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sallyport-sandbox-"));
  marker = `test-${folder}`;
  const marks = await ProcessMarks.open(marker, Math.random);
  sandbox = openLocalSandbox({ sessionId: "ses_1", home: folder, marker, marks, environment });
});
afterEach(async () => {
  await sandbox.close();
  expect(await left()).toEqual([]);
  await rm(folder, { recursive: true });
});

/** Pids of everything that carries this test's marker. */
async function left(session?: string): Promise<readonly number[]> {
  const entries = await listProcesses();
  return entries
    .filter((entry) => entry.startedWith("SALLYPORT_INSTANCE", marker))
    .filter((entry) => session === undefined || entry.startedWith("SALLYPORT_SESSION", session))
    .map((entry) => entry.pid);
}

/** A number of seconds that no other process of this machine sleeps: so those without any mark are found too. */
function sleepTime(): string {
  sleeps += 1;
  return `4711.${process.pid}${sleeps}`;
}

async function sleepers(time: string): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "")));
  return lines.filter((line) => line.includes(time));
}

interface Seen {
  stdout: string;
  stderr: string;
}

async function run(command: string, where: Sandbox = sandbox) {
  const seen: Seen = { stdout: "", stderr: "" };
  const waiting: { readonly word: string; readonly ready: () => void }[] = [];
  const running = await where.spawn({
    argv: ["bash", "-c", command],
    cwd: folder,
    onOutput: (chunk, stream) => {
      seen[stream] += chunk.toString();
      for (const { word, ready } of waiting) if (seen.stdout.includes(word)) ready();
    },
  });
  const says = (word: string): Promise<void> =>
    new Promise((ready) => {
      if (seen.stdout.includes(word)) ready();
      else waiting.push({ word, ready });
    });
  return { running, seen, says };
}

describe("spawn", () => {
  test.each([
    ["echo out; echo err >&2; exit 3", { code: 3, signal: null }, { stdout: "out\n", stderr: "err\n" }],
    ["kill -9 $$", { code: null, signal: "SIGKILL" }, { stdout: "", stderr: "" }],
    ["cat", { code: 0, signal: null }, { stdout: "", stderr: "" }],
    ["pwd -P", { code: 0, signal: null }, undefined],
    ["seq 1 20000", { code: 0, signal: null }, undefined],
  ])("%s", async (command, exit, output) => {
    const { running, seen } = await run(command);
    expect(await running.exit).toEqual(exit);
    if (output !== undefined) expect(seen).toEqual(output);
    if (command.startsWith("seq")) expect(seen.stdout.split("\n")).toHaveLength(20_001);
  });

  test("the environment holds the allowed variables and the marks, nothing of the server's", async () => {
    const { running, seen } = await run("env");
    await running.exit;
    const names = seen.stdout
      .split("\n")
      .map((line) => line.split("=")[0])
      .filter((name) => name !== "");
    expect(names.sort()).toEqual([
      "HOME",
      "LANG",
      "PATH",
      "PWD",
      "SALLYPORT_INSTANCE",
      "SALLYPORT_RUN",
      "SALLYPORT_SESSION",
      "SHLVL",
      "TERM",
      "_",
    ]);
    expect(seen.stdout).not.toContain("canary-4711");
    expect(seen.stdout).toContain(`HOME=${folder}\n`);
    expect(sandbox.searchPath).toEqual((process.env["PATH"] ?? "").split(":"));
  });

  test("a process has the server's user, groups and capabilities, and none more", async () => {
    const status = (text: string): Readonly<Record<string, string>> =>
      Object.fromEntries(
        ["Uid", "Gid", "Groups", "CapEff", "CapPrm"].map((name) => [
          name,
          new RegExp(`^${name}:[ \\t]*(.*?)[ \\t]*$`, "m").exec(text)?.[1] ?? "",
        ]),
      );
    const own = status(await readFile("/proc/self/status", "utf8"));
    const { running, seen } = await run("cat /proc/self/status");
    await running.exit;
    expect(status(seen.stdout)).toEqual(own);
    expect(own["Uid"]).toContain(String(process.getuid?.()));
  });

  test("added variables arrive but cannot replace the marks", async () => {
    let text = "";
    const running = await sandbox.spawn({
      argv: ["sh", "-c", "echo $EXTRA $SALLYPORT_SESSION"],
      cwd: folder,
      env: { EXTRA: "more", SALLYPORT_SESSION: "other" },
      onOutput: (chunk) => (text += chunk.toString()),
    });
    await running.exit;
    expect(text).toBe("more ses_1\n");
  });

  test.each([
    [["no-such-program-4711"], undefined, /^no-such-program-4711 could not be started: .*ENOENT/],
    [["true"], "/nowhere/4711", /^The working folder \/nowhere\/4711 does not exist\.$/],
    [["echo", "a\0b"], undefined, /^The program could not be started/],
  ] as const)("%j in %s is a typed failure", async (argv, cwd, text) => {
    const words: [string, ...string[]] = [argv[0], ...argv.slice(1)];
    const failure = await sandbox
      .spawn({ argv: words, cwd: cwd ?? folder, onOutput: () => undefined })
      .catch((e: unknown) => e);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ code: "tool_failed", message: expect.stringMatching(text) as string });
  });

  test("a process left in the background does not hold up the end, nor is its output handed on later", async () => {
    const { running, seen } = await run("echo before; (trap '' PIPE; while :; do echo more; sleep 0.2; done) & exit 0");
    expect(await running.exit).toEqual({ code: 0, signal: null });
    const atEnd = seen.stdout;
    expect(atEnd).toContain("before\n");
    expect(await left()).not.toEqual([]);
    await running.kill();
    expect(await left()).toEqual([]);
    expect(seen.stdout).toBe(atEnd);
  });
});

describe("kill", () => {
  test.each([
    ["a plain sleep", "echo ready; sleep TIME"],
    ["leftovers in the group", "sleep TIME & sleep TIME & echo ready; wait"],
    ["setsid", "setsid sleep TIME & echo ready; wait"],
    ["a double fork out of its group", "(setsid sh -c 'setsid sleep TIME & exit 0' &) ; echo ready; sleep TIME"],
    ["nohup", "nohup sleep TIME > /dev/null 2>&1 & echo ready; wait"],
    ["an emptied environment in the same group", "env -i sleep TIME & echo ready; wait"],
    ["the same after its parent ended", "(env -i sleep TIME &) ; echo ready; sleep TIME"],
    ["an emptied environment below a parent", "setsid env -i sh -c 'echo ready; sleep TIME; true' & wait"],
    ["a stopped process", "sh -c 'kill -STOP $$; sleep TIME' & echo ready; wait"],
  ])("ends %s", async (_name, command) => {
    const time = sleepTime();
    const { running, says } = await run(command.replaceAll("TIME", time));
    await says("ready");
    await running.kill();
    expect([await left(), await sleepers(time)]).toEqual([[], []]);
    expect((await running.exit).code === 0).toBe(false);
  });

  test("what ignores SIGTERM gets SIGKILL after the grace time", async () => {
    const { running, says } = await run("trap '' TERM; echo ready; while :; do sleep 0.05; done");
    await says("ready");
    const begin = performance.now();
    await running.kill({ graceMs: 60 });
    expect(performance.now() - begin).toBeGreaterThan(50);
    expect(await running.exit).toEqual({ code: null, signal: "SIGKILL" });
  });

  test("what handles SIGTERM may clean up", async () => {
    const { running, says, seen } = await run(
      "trap 'echo cleaned; exit 7' TERM; echo ready; while :; do sleep 0.02; done",
    );
    await says("ready");
    await running.kill();
    expect(await running.exit).toEqual({ code: 7, signal: null });
    expect(seen.stdout).toBe("ready\ncleaned\n");
  });

  test("only its own processes, also where another home has a session of the same name; twice is once", async () => {
    const elsewhere = openLocalSandbox({ sessionId: "ses_1", home: folder, marker: `${marker}-2`, environment });
    const one = await run("echo ready; setsid sleep 4711");
    const two = await run("echo ready; setsid sleep 4711");
    const other = await run("echo ready; sleep 4711", elsewhere);
    await Promise.all([one.says("ready"), two.says("ready"), other.says("ready")]);
    await one.running.kill();
    await one.running.kill();
    // While a program takes the place of another, its environment cannot be read.
    await expect.poll(() => left()).not.toEqual([]);
    await two.running.kill();
    expect(await left()).toEqual([]);
    await sandbox.close();
    process.kill(other.running.pid, 0);
    await elsewhere.close();
    expect(await other.running.exit).toEqual({ code: null, signal: "SIGTERM" });
  });
});

describe("close", () => {
  test("ends everything of the session and nothing of another", async () => {
    const other = openLocalSandbox({ sessionId: "ses_2", home: folder, marker, environment });
    const first = await run("setsid sleep 4711 & nohup sleep 4711 >/dev/null 2>&1 & echo ready; exit 0");
    const second = await run("echo ready; sleep 4711", other);
    await Promise.all([first.says("ready"), second.says("ready"), first.running.exit]);
    await sandbox.close();
    expect(await left("ses_1")).toEqual([]);
    expect(await left("ses_2")).not.toEqual([]);
    await other.close();
    expect(await left()).toEqual([]);
  });

  test("nothing can be started afterwards", async () => {
    await sandbox.close();
    await sandbox.close();
    const failure = await run("true").catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "session_closed" });
  });
});

describe("reapOrphans", () => {
  test("ends what another server of the same home left, spares the rest", async () => {
    const pidFile = join(folder, "pids");
    const program = join(folder, "server.mjs");
    const built = new URL("../../dist/sandbox/index.js", import.meta.url).href;
    await writeFile(
      program,
      `import { openLocalSandbox } from ${JSON.stringify(built)};
       import { writeFileSync } from "node:fs";
       const sandbox = openLocalSandbox({ sessionId: "ses_dead", home: ${JSON.stringify(folder)}, marker: ${JSON.stringify(marker)} });
       let ready;
       const said = new Promise((resolve) => (ready = resolve));
       await sandbox.spawn({ argv: ["bash", "-c", "setsid sleep 4711 & sleep 4711 & echo ready; wait"], cwd: ${JSON.stringify(folder)}, onOutput: () => ready() });
       await said;
       writeFileSync(${JSON.stringify(pidFile)}, "ready");
       process.kill(process.pid, "SIGKILL");`,
    );
    const bystanders = openLocalSandbox({ sessionId: "ses_3", home: folder, marker: `${marker}-other`, environment });
    const bystander = await run("echo ready; sleep 4711", bystanders);
    const server = await bystanders.spawn({
      argv: [process.execPath, program],
      cwd: folder,
      onOutput: () => undefined,
    });
    expect(await server.exit).toEqual({ code: null, signal: "SIGKILL" });
    expect(await readFile(pidFile, "utf8")).toBe("ready");
    expect((await left("ses_dead")).length).toBeGreaterThanOrEqual(2);

    expect(await reapOrphans({ marker })).toBeGreaterThanOrEqual(2);
    expect(await left()).toEqual([]);
    expect(await reapOrphans({ marker })).toBe(0);
    process.kill(bystander.running.pid, 0);
    await bystanders.close();
  });
});

test.each([
  ["  12  1  12 S+ /bin/sleep 5 HOME=/x SALLYPORT_SESSION=ses_1", true],
  ["  12  1  12 S+ /bin/sleep 5 HOME=/x SALLYPORT_SESSION=ses_12", false],
  ["  12  1  12 Z  (sleep)", undefined],
  ["nonsense", undefined],
])("a line of ps: %s", (line, marked) => {
  const entry = parsePsLine(line);
  expect(entry?.startedWith("SALLYPORT_SESSION", "ses_1")).toBe(marked);
  if (entry !== undefined) expect(entry).toMatchObject({ pid: 12, parent: 1, group: 12, session: 0 });
});
