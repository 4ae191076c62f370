import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { reapAfter } from "../../src/sandbox/local.ts";
import { isMarkOf, ProcessMarks, readMark } from "../../src/sandbox/marks.ts";
import { openLocalSandbox, reapOrphans, type Sandbox } from "../../src/sandbox/index.ts";
import { escaped, ESCAPES, isAlive } from "../support/escapes.ts";

let folder: string;
let marker: string;
let marks: ProcessMarks;
const open: Sandbox[] = [];

const sandboxOf = (sessionId: string, given: ProcessMarks | undefined = marks): Sandbox => {
  const environment = { PATH: process.env["PATH"] };
  const sandbox = openLocalSandbox({ sessionId, home: folder, marker, marks: given, environment });
  open.push(sandbox);
  return sandbox;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sallyport-marks-"));
  marker = `test-${folder}`;
  marks = await ProcessMarks.open(marker, () => 0.5);
  expect(marks.lasting).toBe(true);
});
afterEach(async () => {
  for (const sandbox of open.splice(0)) await sandbox.close();
  await rm(folder, { recursive: true });
});

/** Runs a command to its end; answers what it left, and how to end the run. */
async function leave(sandbox: Sandbox, escape: (file: string) => string, name: string) {
  const file = join(folder, name);
  const argv = ["bash", "-c", escape(file)] as const;
  const running = await sandbox.spawn({ argv, cwd: folder, onOutput: () => undefined });
  await running.exit;
  const pid = await escaped(file);
  expect(isAlive(pid)).toBe(true);
  return { pid, kill: () => running.kill({ graceMs: 100 }) };
}

const [plain] = Object.values(ESCAPES);
if (plain === undefined) throw new Error("no way to escape");

describe.each(Object.entries(ESCAPES))("%s", (_, escape) => {
  test("ends with its session, and with its command; nothing of another session does", async () => {
    const [one, other] = [sandboxOf("ses_1"), sandboxOf("ses_2")];
    const first = await leave(one, escape, "first");
    const second = await leave(one, escape, "second");
    const foreign = await leave(other, escape, "foreign");
    await first.kill();
    expect([first, second, foreign].map(({ pid }) => isAlive(pid))).toEqual([false, true, true]);
    await one.close();
    expect([second, foreign].map(({ pid }) => isAlive(pid))).toEqual([false, true]);
    await other.close();
    expect(isAlive(foreign.pid)).toBe(false);
  });
});

test("strays are those whose sandbox is closed, and those of an earlier server", async () => {
  const living = await leave(sandboxOf("ses_1"), plain, "living");
  const earlier = await ProcessMarks.open(marker, () => 0.1);
  const old = await leave(sandboxOf("ses_2", earlier), plain, "old");
  expect(await reapOrphans({ marker, marks, living: ["ses_1"] })).toBe(1);
  expect([living, old].map(({ pid }) => isAlive(pid))).toEqual([true, false]);
  expect(await reapOrphans({ marker })).toBe(1);
  expect(isAlive(living.pid)).toBe(false);
});

test("after a server's death its own processes end, those of the next server stay", async () => {
  const next = await ProcessMarks.open(marker, () => 0.9);
  const left = await leave(sandboxOf("ses_1"), plain, "left");
  const fresh = await leave(sandboxOf("ses_1", next), plain, "fresh");
  expect(await reapAfter({ marker, life: marks.life, now: 0 })).toBe(1);
  expect([left, fresh].map(({ pid }) => isAlive(pid))).toEqual([false, true]);
});

test("a program that cannot be started says so as before", async () => {
  const sandbox = sandboxOf("ses_1");
  const spawn = (program: string, cwd = folder): Promise<unknown> =>
    sandbox.spawn({ argv: [program], cwd, onOutput: () => undefined });
  await expect(spawn("no-such-program")).rejects.toMatchObject({ code: "tool_failed" });
  await expect(spawn(folder)).rejects.toMatchObject({ code: "tool_failed" });
  await expect(spawn("true", join(folder, "nowhere"))).rejects.toThrow("does not exist");
});

test("an opened program that takes too much memory is ended, with all that it started", async () => {
  const sandbox = openLocalSandbox({ sessionId: "ses_1", home: folder, marker, marks, memoryBytes: 67_108_864 });
  open.push(sandbox);
  const hungry = `${process.execPath} -e 'const all = []; setInterval(() => all.push(Buffer.alloc(16777216, 1)), 10)'`;
  const piped = await sandbox.open({ argv: ["sh", "-c", `${hungry}; true`], cwd: folder });
  piped.stdout.resume();
  piped.stderr.resume();
  expect(await piped.exit).toMatchObject({ code: null, reason: "it used more than 64 MiB of memory" });
});

test("marks are told apart", () => {
  const limits = (hard: string): string =>
    `Max address space   unlimited   unlimited   bytes\nMax file locks   5   ${hard}   locks\n`;
  expect(["unlimited", "7", "2305843009213693952"].map((hard) => readMark(limits(hard)))).toEqual([
    undefined,
    7n,
    2n ** 61n,
  ]);
  expect([undefined, 0n, 5n, 2n ** 61n, 2n ** 63n].map((mark) => isMarkOf(mark, { marker: "x" }))).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});
