import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LIMITS, type Log } from "../../src/protocol/index.ts";
import { holdingSandbox, openLocalSandbox, Supervisor } from "../../src/sandbox/index.ts";
import type { Piped } from "../../src/sandbox/sandbox.ts";
import { encodeFrame, encodeMessage, FrameReader, FRAMES } from "../../src/sandbox/supervisor/messages.ts";
import { Spool } from "../../src/sandbox/supervisor/spool.ts";
import { isAlive } from "../support/escapes.ts";
import { until } from "../support/until.ts";

const QUIET: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const SESSION = "ses_1";

/** A home whose servers come and go. */
class Home {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "sp-held-")));
  readonly marker = randomUUID();
  readonly #servers: Supervisor[] = [];

  async server(seconds = 60): Promise<Supervisor> {
    const supervisor = await Supervisor.open({ home: this.folder, marker: this.marker, seconds, log: QUIET });
    if (supervisor === undefined) throw new Error("it does not work here");
    this.#servers.push(supervisor);
    return supervisor;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) server.close();
    await Supervisor.stop({ home: this.folder, marker: this.marker });
    rmSync(this.folder, { recursive: true, force: true });
  }
}

type HeldProgram = Awaited<ReturnType<Supervisor["open"]>>;

function open(supervisor: Supervisor, script: string): Promise<HeldProgram> {
  return supervisor.open({
    session_id: SESSION,
    place: { kind: "local", home: "/tmp", environment: { PATH: "/usr/bin:/bin" } },
    argv: ["/bin/sh", "-c", script],
    cwd: "/tmp",
    env: {},
    key: "its key",
    note: "its note",
  });
}

/** The server is gone without a word about this program. */
function abandon(supervisor: Supervisor, program: HeldProgram): void {
  program.held.leave();
  supervisor.close();
}

async function takeUp(supervisor: Supervisor): Promise<Piped> {
  expect(supervisor.claim(SESSION, "turn_1")).toBe(true);
  const program = await supervisor.takeUp(SESSION);
  if (program === undefined) throw new Error("it is gone");
  return program;
}

function collect({ stdout, stderr }: Piped): { text: string } {
  const heard = { text: "" };
  stdout.on("data", (chunk: Buffer) => {
    heard.text += chunk.toString();
  });
  stderr.resume();
  return heard;
}

const COUNTER = 'while read -r word; do echo "got $word"; [ "$word" = end ] && exit 7; done';

describe("a program that outlives its server", () => {
  it("is taken up with everything since its turn began, and its end is kept", async () => {
    await using home = new Home();
    const first = await home.server();
    const program = await open(first, COUNTER);
    const heard = collect(program);
    program.held.write("earlier\n", { key: "a" });
    await until(() => heard.text === "got earlier\n");
    program.held.write("one\n", { key: "b", begin: "turn_1" });
    program.held.note("b", "about b");
    program.held.write("two\n", { key: "c" });
    await until(() => heard.text.endsWith("got two\n"));
    abandon(first, program);

    const second = await home.server();
    expect(second.left).toMatchObject([{ session_id: SESSION, turn: "turn_1", key: "its key", pid: program.pid }]);
    const again = await takeUp(second);
    expect(again.pid).toBe(program.pid);
    expect(again.held?.left).toEqual({
      turn: "turn_1",
      note: "its note",
      written: new Set(["b", "c"]),
      notes: new Map([["b", "about b"]]),
    });
    const replayed = collect(again);
    again.held?.write("two\n", { key: "c" });
    again.held?.write("end\n", { key: "d" });
    expect(await again.exit).toEqual({ code: 7, signal: null, reason: undefined });
    await until(() => replayed.text.endsWith("got end\n"));
    expect(replayed.text).toBe("got one\ngot two\ngot end\n");
    second.close();

    const third = await home.server();
    const ended = await takeUp(third);
    const last = collect(ended);
    expect(await ended.exit).toEqual({ code: 7, signal: null, reason: undefined });
    await until(() => last.text === replayed.text);
    await ended.kill();
    expect(third.left).toEqual([]);
  });

  it("waits while nobody reads, and loses nothing", async () => {
    await using home = new Home();
    const first = await home.server();
    const bytes = LIMITS.supervisorSpoolBytes + 20_000_000;
    const program = await open(first, `read -r word; head -c ${bytes} /dev/zero | tr '\\0' x; echo end`);
    program.stdout.pause();
    program.held.write("go\n", { key: "a", begin: "turn_1" });
    abandon(first, program);
    const second = await home.server();
    const again = await takeUp(second);
    const hash = createHash("sha256");
    let count = 0;
    again.stderr.resume();
    for await (const chunk of again.stdout as AsyncIterable<Buffer>) {
      count += chunk.length;
      hash.update(chunk);
    }
    expect(count).toBe(bytes + 4);
    const wanted = createHash("sha256").update(Buffer.alloc(bytes, "x")).update("end\n");
    expect(hash.digest("hex")).toBe(wanted.digest("hex"));
    await again.kill();
  });

  it("is ended when its turn is not the open one, and when the settings want no supervisor", async () => {
    await using home = new Home();
    const first = await home.server();
    const program = await open(first, "sleep 1000 & wait");
    program.held.write("go\n", { key: "a", begin: "turn_1" });
    abandon(first, program);
    const second = await home.server();
    expect(second.claim(SESSION, "turn_2")).toBe(false);
    expect(await second.takeUp(SESSION)).toBeUndefined();
    expect(await second.endUnclaimed()).toBe(1);
    expect(isAlive(program.pid)).toBe(false);
    const other = await open(second, "sleep 1000 & wait");
    abandon(second, other);
    await Supervisor.stop({ home: home.folder, marker: home.marker });
    expect(isAlive(other.pid)).toBe(false);
    expect(await Supervisor.look(home.folder)).toBeUndefined();
  });

  it("is ended with all that it started after its time without a server", async () => {
    await using home = new Home();
    const first = await home.server(1);
    const program = await open(first, "setsid sleep 1000 & echo $!; wait");
    const heard = collect(program);
    await until(() => heard.text.endsWith("\n"));
    program.held.write("go\n", { key: "a", begin: "turn_1" });
    abandon(first, program);
    await until(() => !existsSync(join(home.folder, "supervisor.sock")));
    await until(() => !isAlive(program.pid) && !isAlive(Number(heard.text)));
  });

  it("ends when the supervisor is killed, and the next one starts with another supervisor", async () => {
    await using home = new Home();
    const server = await home.server();
    const program = await open(server, "sleep 1000 & wait");
    const [held] = (await Supervisor.look(home.folder)) ?? [];
    expect(held?.pid).toBe(program.pid);
    process.kill(await supervisorOf(program.pid), "SIGKILL");
    expect(await program.exit).toEqual({ code: null, signal: null, reason: "its supervisor ended" });
    await until(() => !isAlive(program.pid));
    const next = await open(server, "echo here");
    const heard = collect(next);
    await until(() => heard.text === "here\n");
    await next.kill();
  });
});

describe("a sandbox whose programs are held", () => {
  it("ends them when it is closed, but not what is left to the next server", async () => {
    await using home = new Home();
    const supervisor = await home.server();
    const local = openLocalSandbox({ sessionId: SESSION, home: "/tmp", marker: home.marker });
    const place = { kind: "local", home: "/tmp", environment: { PATH: "/usr/bin:/bin" } } as const;
    const sandbox = holdingSandbox(local, { supervisor, session_id: SESSION, place });
    const request = { argv: ["/bin/sleep", "1000"], cwd: "/tmp", hold: { key: "", note: "" } } as const;
    const kept = await sandbox.open(request);
    const ended = await sandbox.open(request);
    const plain = await sandbox.open({ argv: ["/bin/sleep", "1000"], cwd: "/tmp" });
    expect([kept.held === undefined, plain.held === undefined, sandbox.busy]).toEqual([false, true, true]);
    kept.held?.leave();
    await sandbox.close();
    expect([kept, ended, plain].map(({ pid }) => isAlive(pid))).toEqual([true, false, false]);
    expect(sandbox.hasLeft).toBe(true);
  });
});

describe("who talks to the supervisor", () => {
  const say = (path: string, bytes: Buffer): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(path, () => socket.write(bytes));
      let heard = "";
      socket.on("data", (chunk: Buffer) => {
        heard += chunk.toString("latin1");
      });
      socket.on("error", () => undefined);
      socket.once("close", () => resolve(heard));
    });

  it("is refused without the token, with broken and with too large frames, and nothing changes", async () => {
    await using home = new Home();
    const server = await home.server();
    const program = await open(server, COUNTER);
    const path = join(home.folder, "supervisor.sock");
    const large = encodeFrame(FRAMES.message, Buffer.alloc(5));
    large.writeUInt32BE(LIMITS.supervisorFrameBytes + 1, 0);
    const strangers = [
      encodeMessage({ type: "stop" }),
      encodeMessage({ type: "hello", version: 1, token: "guessed", seconds: 0 }),
      encodeMessage({ type: "hello", version: 1, token: "x".repeat(43), seconds: 0 }),
      encodeFrame(FRAMES.message, Buffer.from("{}")),
      encodeFrame(FRAMES.message, Buffer.from("no JSON")),
      encodeFrame(FRAMES.stdout, Buffer.from("output")),
      large,
    ];
    expect(await Promise.all(strangers.map((bytes) => say(path, bytes)))).toEqual(strangers.map(() => ""));
    expect(isAlive(program.pid)).toBe(true);
    expect(await Supervisor.look(home.folder)).toHaveLength(1);
    for (const name of ["supervisor.sock", "supervisor.token"])
      expect(statSync(join(home.folder, name)).mode & 0o777).toBe(0o600);
  });

  it("learns that a program cannot be started", async () => {
    await using home = new Home();
    const server = await home.server();
    const place = { kind: "local", home: "/tmp", environment: {} } as const;
    const wanted = { session_id: SESSION, place, cwd: "/tmp", env: {}, key: "", note: "" };
    await expect(server.open({ ...wanted, argv: ["/no/such/program"] })).rejects.toThrow(
      "/no/such/program could not be started",
    );
    expect(await Supervisor.look(home.folder)).toEqual([]);
  });
});

describe("frames and spool", () => {
  it("frames come out as they went in, however they are cut", () => {
    const frames = ["", "a", "b".repeat(1_000)].map((text) => encodeFrame(FRAMES.stdout, Buffer.from(text)));
    const bytes = Buffer.concat(frames);
    for (const size of [1, 2, 3, 7, 500, bytes.length]) {
      const heard: string[] = [];
      const reader = new FrameReader((kind, payload) => heard.push(`${kind} ${payload.toString()}`));
      for (let at = 0; at < bytes.length; at += size) reader.take(bytes.subarray(at, at + size));
      expect(heard).toEqual(["1 ", "1 a", `1 ${"b".repeat(1_000)}`]);
    }
  });

  it("a spool sends each byte once, those since the mark again, and frees the rest", () => {
    const spool = new Spool();
    const rest = (): string => {
      const pieces: string[] = [];
      for (let next = spool.next(); next !== undefined; next = spool.next()) pieces.push(next.toString());
      return pieces.join("");
    };
    const [before, after] = ["x".repeat(300_000), "y".repeat(300_000)];
    spool.add(Buffer.from(before));
    expect(rest()).toBe(before);
    spool.mark();
    spool.add(Buffer.from(after));
    spool.release();
    expect(rest()).toBe(after);
    spool.rewind();
    spool.release();
    expect(rest()).toBe(after);
    spool.mark();
    spool.release();
    spool.add(Buffer.from("end"));
    expect(rest()).toBe("end");
  });
});

async function supervisorOf(pid: number): Promise<number> {
  const { listProcesses } = await import("../../src/sandbox/processes.ts");
  return (await listProcesses()).find((entry) => entry.pid === pid)?.parent ?? 0;
}
