import { createHash, randomUUID } from "node:crypto";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { release } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { Failure } from "../../src/protocol/index.ts";
import type { SandboxRequest } from "../../src/sandbox/driver.ts";
import type { Sandbox } from "../../src/sandbox/index.ts";
import type { Piped } from "../../src/sandbox/sandbox.ts";
import { CANARY, runIn, runNode, type Outcome, type SandboxPlace } from "./sandbox-place.ts";

/** One thing that holds in every sandbox. `sandbox` is open and shared with other checks. */
export interface SandboxCheck {
  readonly name: string;
  run(place: SandboxPlace, sandbox: Sandbox): Promise<void>;
}

const isRoot = process.getuid?.() === 0;
const LARGE = 8_388_608;
const MIB = 1_048_576;

const ended = (outcome: Partial<Outcome>): Outcome => ({ code: 0, signal: null, stdout: "", stderr: "", ...outcome });

async function listening(server: Server, where: { readonly port: number } | { readonly path: string }): Promise<void> {
  await new Promise<void>((resolve) =>
    server.listen({ ...where, ...("port" in where ? { host: "127.0.0.1" } : {}) }, resolve),
  );
}

/** Opens a sandbox, and answers what of it is left on this machine once it is closed. `time`: what its programs sleep. */
async function leftAfter(
  place: SandboxPlace,
  changes: Partial<SandboxRequest>,
  use: (sandbox: Sandbox, time: string) => Promise<void>,
): Promise<readonly string[]> {
  const time = place.sleep();
  const before = place.processes(place.base).length;
  const sandbox = await place.open(changes);
  await use(sandbox, time);
  await sandbox.close();
  // A kernel of its own shows no programs of its own: but it has a process here, with its folder in the command line.
  return [...place.processes(time), ...place.processes(place.base).slice(before)];
}

/** Until a program says so. */
async function ready({ stdout }: Piped): Promise<void> {
  await new Promise<void>((resolve) => void stdout.once("data", () => resolve()));
}

/** `reached` or an error's code. */
function connecting(to: object): string {
  return `const socket = require("node:net").connect(${JSON.stringify(to)});
    socket.once("connect", () => { console.log("reached"); process.exit(); });
    socket.once("error", (error) => { console.log(error.code); process.exit(); });`;
}

const PROGRAMS: readonly SandboxCheck[] = [
  {
    name: "output, errors and the exit code of a program",
    async run({ workspace }, sandbox) {
      const outcome = await runIn(sandbox, "echo out; echo err >&2; exit 3", workspace);
      expect(outcome).toEqual({ code: 3, signal: null, stdout: "out\n", stderr: "err\n" });
    },
  },
  {
    name: "the signal that ended a program",
    async run({ workspace }, sandbox) {
      expect(await runIn(sandbox, "kill -9 $$", workspace)).toEqual(ended({ code: null, signal: "SIGKILL" }));
    },
  },
  {
    name: "a program or a working folder that is not there is refused",
    async run({ workspace }, sandbox) {
      const onOutput = (): void => undefined;
      for (const request of [
        { argv: ["no-such-program"] as const, cwd: workspace },
        { argv: ["true"] as const, cwd: join(workspace, "no-such-folder") },
      ]) {
        const refused = await sandbox.spawn({ ...request, onOutput }).catch((error: unknown) => error);
        expect(refused).toBeInstanceOf(Failure);
        expect(refused).toMatchObject({ code: "tool_failed" });
      }
    },
  },
  {
    name: "the working folder",
    async run({ workspace, writable }, sandbox) {
      for (const cwd of [workspace, writable])
        expect(await runIn(sandbox, "pwd", cwd)).toEqual(ended({ stdout: `${cwd}\n` }));
    },
  },
  {
    name: "a program reads what it is given, and its end",
    async run({ workspace }, sandbox) {
      const piped = await sandbox.open({ argv: ["cat"], cwd: workspace });
      const text = "line\n".repeat(100_000);
      piped.stdin.end(text);
      let read = "";
      for await (const chunk of piped.stdout) read += String(chunk);
      expect(read === text).toBe(true);
      expect(await piped.exit).toMatchObject({ code: 0, signal: null });
    },
  },
  {
    name: "no byte of a large output is lost",
    async run({ workspace }, sandbox) {
      const [hash, expected] = [createHash("sha256"), createHash("sha256")];
      expected.update("y\n".repeat(LARGE / 2));
      const running = await sandbox.spawn({
        argv: ["/bin/sh", "-c", `yes | head -c ${LARGE}`],
        cwd: workspace,
        onOutput: (chunk) => void hash.update(chunk),
      });
      expect(await running.exit).toMatchObject({ code: 0 });
      expect(hash.digest("hex")).toBe(expected.digest("hex"));
    },
  },
  {
    name: "no output comes after a program's end, though something of it still writes",
    async run({ workspace }, sandbox) {
      let chunks = 0;
      const running = await sandbox.spawn({
        argv: ["/bin/sh", "-c", "(while :; do echo more; done) & exit 0"],
        cwd: workspace,
        onOutput: () => {
          chunks += 1;
        },
      });
      expect(await running.exit).toMatchObject({ code: 0 });
      const seen = chunks;
      await runIn(sandbox, "true", workspace);
      expect(chunks).toBe(seen);
      await running.kill({ graceMs: 0 });
    },
  },
  {
    name: "a signal reaches the program alone, and it can answer",
    async run({ workspace }, sandbox) {
      const script = "trap 'echo got; exit 7' TERM; echo ready; while :; do sleep 0.01; done";
      const piped = await sandbox.open({ argv: ["/bin/sh", "-c", script], cwd: workspace });
      let read = "";
      for await (const chunk of piped.stdout) {
        read += String(chunk);
        if (read === "ready\n") piped.signal("SIGTERM");
      }
      expect(read).toBe("ready\ngot\n");
      expect(await piped.exit).toMatchObject({ code: 7, signal: null });
    },
  },
  {
    name: "kill ends a program with all that it started",
    async run(place, sandbox) {
      const time = place.sleep();
      const script = `sleep ${time} & setsid sleep ${time} & echo ready; sleep ${time}`;
      const piped = await sandbox.open({ argv: ["/bin/sh", "-c", script], cwd: place.workspace });
      await ready(piped);
      await piped.kill({ graceMs: 0 });
      expect((await piped.exit).signal).toMatch(/^SIG(TERM|KILL)$/);
      // The one that looks does not have the word in its own command line.
      const look = `for file in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $file; echo; done 2>/dev/null | grep -c "sleep ${time.slice(0, -1)}[${time.slice(-1)}]"`;
      expect((await runIn(sandbox, look, place.workspace)).stdout).toBe("0\n");
    },
  },
];

const WALLS: readonly SandboxCheck[] = [
  {
    name: "the environment is what was given, and nothing of the server's",
    async run({ workspace }, sandbox) {
      const { stdout } = await runIn(sandbox, "env", workspace);
      expect(stdout).toContain("GIVEN=given\n");
      expect(stdout).toMatch(/^HOME=\//m);
      expect(stdout).toMatch(/^PATH=\//m);
      expect(stdout).not.toContain("VITEST");
      expect(stdout).not.toContain(CANARY);
    },
  },
  {
    name: "own processes: declared is observed",
    async run({ workspace, driver }, sandbox) {
      const search = `cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c '${CANARY.slice(0, -1)}[1]'`;
      const { stdout } = await runIn(sandbox, search, workspace);
      expect(stdout.trim() === "0").toBe(driver.capabilities.ownProcesses);
    },
  },
  {
    name: "own network: declared is observed, on the loopback and on an abstract socket",
    async run({ workspace, driver }, sandbox) {
      const name = `\0sallyport-${randomUUID()}`;
      for (const where of [{ port: 0 }, { path: name }]) {
        const server = createServer((socket) => void socket.on("error", () => undefined).end());
        await listening(server, where);
        const address = server.address();
        const to = typeof address === "object" && address !== null ? { host: "127.0.0.1", port: address.port } : where;
        const answer = await runNode(sandbox, connecting(to), workspace);
        expect(answer === "reached").toBe(!driver.capabilities.ownNetwork);
        await new Promise((resolve) => server.close(resolve));
      }
    },
  },
  {
    name: "a port inside leads to its socket outside",
    async run(place) {
      if (!place.driver.capabilities.ownNetwork) return;
      const request = place.request();
      const socket = join(request.folder, "echo");
      const server = createServer({ allowHalfOpen: true }, (client) => void client.pipe(client));
      await listening(server, { path: socket });
      chmodSync(socket, 0o666);
      const sandbox = await place.open({ ...request, forwards: [{ port: 8_080, socket }] });
      const program = `const socket = require("node:net").connect(8080, "127.0.0.1"); let read = 0;
        socket.on("data", (chunk) => { read += chunk.length; }); socket.once("end", () => console.log(read));
        socket.end(Buffer.alloc(${LARGE}));`;
      expect(await runNode(sandbox, program, place.workspace)).toBe(String(LARGE));
      await sandbox.close();
      await new Promise((resolve) => server.close(resolve));
    },
  },
  {
    name: "own files: declared is observed, in the home and in the system's settings",
    async run({ workspace, driver, secret, hidden }, sandbox) {
      const { ownFiles } = driver.capabilities;
      const paths = [secret, join(hidden, "file"), ...(isRoot ? ["/etc/shadow"] : [])];
      for (const path of paths) {
        const { code, stdout } = await runIn(sandbox, `cat ${path}`, workspace);
        expect({ path, isRead: code === 0 && stdout !== "" }).toEqual({ path, isRead: !ownFiles });
      }
    },
  },
  {
    name: "system calls: declared is observed",
    async run({ workspace, driver }, sandbox) {
      const { stdout } = await runIn(sandbox, "uname -r; grep '^Seccomp:' /proc/self/status | tr -dc '0-9'", workspace);
      const [kernel, filter] = stdout.split("\n");
      const shared = filter === "2" ? "filtered" : "all";
      expect(kernel === release() ? shared : "own kernel").toBe(driver.capabilities.systemCalls);
    },
  },
  {
    name: "what is written in the workspace and in writable folders is there outside, with the owner's files",
    async run(place, sandbox) {
      for (const folder of [place.workspace, place.writable]) {
        const file = join(folder, "written");
        expect(await runIn(sandbox, `echo text > ${file}; mkdir ${file}.d`, place.workspace)).toEqual(ended({}));
        expect(readFileSync(file, "utf8")).toBe("text\n");
        const { uid, gid } = statSync(folder);
        for (const path of [file, `${file}.d`]) expect(statSync(path)).toMatchObject({ uid, gid });
      }
    },
  },
  {
    name: "a workspace of another user stays that user's",
    async run(place) {
      if (!isRoot) return;
      const workspace = join(place.base, "of-another");
      mkdirSync(workspace);
      chownSync(workspace, 12_345, 12_346);
      const sandbox = await place.open({ workspace });
      expect(await runIn(sandbox, "echo text > file", workspace)).toEqual(ended({}));
      if (place.driver.kind === "local") return;
      expect(statSync(join(workspace, "file"))).toMatchObject({ uid: 12_345, gid: 12_346 });
    },
  },
  {
    name: "what is only to be read cannot be written, nor can the system",
    async run({ workspace, readable, driver }, sandbox) {
      expect(await runIn(sandbox, `cat ${readable}/file`, workspace)).toEqual(ended({ stdout: "read me\n" }));
      if (!driver.capabilities.ownFiles) return;
      const places = [`${readable}/file`, `${readable}/new`, "/usr/new", "/etc/new", "/new"];
      for (const path of places)
        expect({ path, code: (await runIn(sandbox, `echo x > ${path}`, workspace)).code }).toEqual({ path, code: 2 });
      expect(readFileSync(join(readable, "file"), "utf8")).toBe("read me\n");
      expect(existsSync(join(readable, "new"))).toBe(false);
    },
  },
  {
    name: "no file can be made that runs as its owner",
    async run({ workspace, driver }, sandbox) {
      if (!driver.capabilities.ownFiles) return;
      await runIn(sandbox, "cp /bin/true owned; chmod 4755 owned; chmod 2755 owned; chmod u+s owned", workspace);
      expect(statSync(join(workspace, "owned")).mode & 0o6000).toBe(0);
      const make = `try { require("node:fs").openSync("made", "w", 0o6755); console.log("made"); } catch (error) { console.log(error.code); }`;
      expect(await runNode(sandbox, make, workspace)).toBe("EPERM");
      expect(existsSync(join(workspace, "made"))).toBe(false);
    },
  },
  {
    name: "two sandboxes share no processes and no temporary files",
    async run(place, sandbox) {
      if (!place.driver.capabilities.ownFiles) return;
      const other = await place.open();
      const piped = await other.open({ argv: ["cat"], cwd: place.workspace, env: { OTHER: CANARY } });
      await runIn(other, "echo mine > /tmp/mine", place.workspace);
      expect((await runIn(sandbox, "cat /tmp/mine", place.workspace)).code).toBe(1);
      expect((await runIn(sandbox, "cat /proc/*/environ | grep -c OTHER=", place.workspace)).stdout).toBe("0\n");
      piped.stdin.end();
      expect(await piped.exit).toMatchObject({ code: 0 });
    },
  },
];

const BUSY_SECONDS = 1;

/** Processor time that three busy shells use in a while. */
async function secondsOfWork(sandbox: Sandbox, place: SandboxPlace): Promise<number> {
  const busy = `timeout ${BUSY_SECONDS} sh -c 'while :; do :; done'`;
  const { stdout } = await runIn(sandbox, `${busy} & ${busy} & ${busy} & wait; times`, place.workspace);
  // The last line is that of the shells that are over.
  const words = stdout.trim().split("\n").at(-1) ?? "";
  return [...words.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, m, s]) => sum + Number(m) * 60 + Number(s), 0);
}

const LIMITED: readonly SandboxCheck[] = [
  {
    name: "limits of processes: declared is observed",
    async run(place) {
      const { limitsProcesses } = place.driver.capabilities;
      const most = 200;
      const left = await leftAfter(place, { processes: most }, async (sandbox, time) => {
        const many = `i=0; while [ $i -lt ${2 * most} ]; do sleep ${time} & i=$((i+1)); done; echo all`;
        const { stdout } = await runIn(sandbox, many, place.workspace);
        expect(stdout === "all\n").toBe(!limitsProcesses);
      });
      expect(left).toEqual([]);
    },
  },
  {
    name: "a fork bomb is contained, and ends with its sandbox",
    async run(place) {
      if (!place.driver.capabilities.limitsProcesses) return;
      const left = await leftAfter(place, { processes: 200 }, async (sandbox, time) => {
        const script = `bomb() { bomb | bomb & sleep ${time}; }; bomb`;
        const bomb = await sandbox.open({ argv: ["/bin/sh", "-c", script], cwd: place.workspace });
        // Either a process is refused, or all of it is ended.
        const refused = new Promise((resolve) => void bomb.stderr.once("data", resolve));
        await Promise.race([refused, bomb.exit]);
      });
      expect(left).toEqual([]);
    },
  },
  {
    name: "limits of processor time: declared is observed, or refused",
    async run(place) {
      const cpus = 0.3;
      const isRefused = !place.driver.capabilities.limitsProcessorTime && place.driver.kind !== "local";
      const opened = place.open({ cpus });
      if (isRefused) {
        expect(await opened.catch((error: unknown) => error)).toMatchObject({ code: "unsupported" });
        return;
      }
      const sandbox = await opened;
      const { limitsProcessorTime, systemCalls } = place.driver.capabilities;
      const used = await secondsOfWork(sandbox, place);
      expect(used).toBeGreaterThan(0);
      // On a busy machine nothing tells what is not bounded; and a kernel of its own counts time in which it was not let run.
      if (limitsProcessorTime && systemCalls !== "own kernel") expect(used).toBeLessThan(2 * cpus * BUSY_SECONDS);
      await sandbox.close();
    },
  },
  {
    name: "limits of memory: declared is observed, and the sandbox goes on",
    async run(place) {
      const sandbox = await place.open({ memoryBytes: 256 * MIB });
      const hog = `const kept = []; for (let i = 0; i < 64; i += 1) kept.push(Buffer.alloc(16 * ${MIB}, 1)); console.log("all");`;
      const said = await runNode(sandbox, hog, place.workspace);
      expect(said !== "all").toBe(place.driver.capabilities.limitsMemory);
      expect(await runIn(sandbox, "echo on", place.workspace)).toEqual(ended({ stdout: "on\n" }));
      await sandbox.close();
    },
  },
];

const ENDS: readonly SandboxCheck[] = [
  {
    name: "what forks twice, leaves its session and clears its environment ends with the sandbox",
    async run(place) {
      const left = await leftAfter(place, {}, async (sandbox, time) => {
        const escape = `(setsid sh -c 'env -i setsid sleep ${time} & env -i sleep ${time} &' &); echo gone`;
        expect(await runIn(sandbox, escape, place.workspace)).toEqual(ended({ stdout: "gone\n" }));
      });
      expect(left).toEqual([]);
    },
  },
  {
    name: "close ends a sandbox whose helper was stopped from inside",
    async run(place) {
      // Without processes of its own this would stop the tests.
      if (!place.driver.capabilities.ownProcesses) return;
      const left = await leftAfter(place, {}, async (sandbox, time) => {
        const script = `read line; kill -STOP $PPID; echo stopped; sleep ${time}`;
        const piped = await sandbox.open({ argv: ["/bin/sh", "-c", script], cwd: place.workspace });
        piped.stdin.write("\n");
        await ready(piped);
      });
      expect(left).toEqual([]);
    },
  },
  {
    name: "close ends what ignores signals, and nothing starts after it",
    async run(place) {
      let end: Piped["exit"] | undefined;
      let closed: Sandbox | undefined;
      const left = await leftAfter(place, {}, async (sandbox, time) => {
        const script = `trap '' TERM INT HUP; echo ready; sleep ${time}; sleep ${time}`;
        const piped = await sandbox.open({ argv: ["/bin/sh", "-c", script], cwd: place.workspace });
        await ready(piped);
        end = piped.exit;
        closed = sandbox;
      });
      expect(left).toEqual([]);
      expect(await end).toMatchObject({ code: null, signal: "SIGKILL" });
      const late = await closed?.open({ argv: ["true"], cwd: place.workspace }).catch((error: unknown) => error);
      expect(late).toMatchObject({ code: "session_closed" });
    },
  },
];

/** What the conformance suite holds every sandbox to. */
export const SANDBOX_CHECKS: readonly SandboxCheck[] = [...PROGRAMS, ...WALLS, ...LIMITED, ...ENDS];
