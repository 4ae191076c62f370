/**
 * A server for the attacks: `child.mjs <options>` opens one sandbox, runs the groups of attacks in it and prints a line of JSON for
 * each. It is a process of its own, so that it can be another user and hold canaries where a server holds its keys.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeSandboxFolder, removeSandboxFolder } from "../../../dist/sandbox/index.js";
import { DRIVERS, hasOwnKernel, isOwnKernels, ofContainers, openControl, removeFolders } from "./drivers.mjs";
import { leftIn, runFaults, STRAYS } from "./faults.mjs";
import { canary, openYard } from "./yard.mjs";

const {
  driver: kind,
  groups = [],
  faults = [],
  hold = false,
  program,
  image,
  host = "127.0.0.1",
} = JSON.parse(process.argv[2]);
/** Of this program alone: the peak of getrusage() begins with that of the process which started it. */
const peakMiB = () => Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "latin1"))[1]) / 1_024);
const say = (row) => process.stdout.write(`${JSON.stringify(row)}\n`);

// Where a server holds its keys: environment, memory, command line.
process.env.SALLYPORT_ADMIN_TOKEN ??= canary("environment");
globalThis.held = Buffer.from(canary("memory"));

const root = realpathSync(mkdtempSync(join(tmpdir(), "redteam-")));
const workspace = join(root, "workspace");
// The hardest place for it: a session sees all around.
const home = join(workspace, ".sallyport");
// A folder that can be read has something hidden in it, too.
const shared = join(root, "shared");
for (const folder of [workspace, home, shared]) mkdirSync(folder, { mode: 0o700 });
const yard = await openYard({ root, home, workspace, server: process.pid, host, isWalled: kind in DRIVERS });
const folder = makeSandboxFolder(`${process.pid}redteam`);
yard.write({ sandboxFolder: folder });
say({ workspace });

const request = {
  sessionId: "ses_redteam",
  workspace,
  readable: [shared],
  writable: [],
  hidden: [home, join(shared, "hidden")],
  folder,
  forwards: [],
  environment: {},
  memoryBytes: 402_653_184,
  // Threads of gVisor's own kernel count too.
  processes: hasOwnKernel(kind) ? 2_048 : 160,
};
const driver = DRIVERS[kind]?.({ image });
const missing = await driver?.missing();
if (missing !== undefined) {
  say({ missing: missing.reason });
  process.exit(0);
}
const sandbox =
  driver === undefined
    ? openControl(request, { program, secrets: Object.values(yard.secrets) })
    : await driver.open(request);

/** Starts a command; what it says comes line by line. */
const start = async (argv) => {
  let stdout = "";
  let stderr = "";
  let heard = () => undefined;
  const running = await sandbox.spawn({
    argv,
    cwd: workspace,
    onOutput: (chunk, stream) => {
      if (stream === "stderr") stderr = (stderr + chunk).slice(-10_000);
      else stdout += chunk;
      heard();
    },
  });
  return {
    said: (pattern) =>
      new Promise((resolve) => {
        heard = () => pattern.test(stdout) && resolve();
        heard();
      }),
    kill: () => running.kill({ graceMs: 0 }),
    ended: running.exit.then((exit) => ({ stdout, stderr, exit })),
  };
};
/** All that a command wrote, and how it ended. */
const run = async (argv) => (await start(argv)).ended;

const judged = (row) =>
  hasOwnKernel(kind) && isOwnKernels(row) && row.escaped
    ? { ...row, escaped: false, detail: `its own kernel's ${row.detail}` }
    : row;

const { stdout, stderr, exit } = await run(yard.command(...groups));
for (const line of stdout.split("\n").filter((text) => text.startsWith("{"))) say(judged(JSON.parse(line)));
if (exit.code !== 0)
  say({ attack: "the attacks themselves", escaped: true, detail: `${JSON.stringify(exit)} ${stderr}` });
if (stderr !== "") say({ note: stderr });
if (groups.includes("calls") && !yard.hasCompiler) say({ note: "no gcc here: the system calls are left out" });
await runFaults({ say, faults, sandbox, run, start, workspace, folder, mayEnd: hasOwnKernel(kind) });
const strays = await run(["/bin/bash", "-c", STRAYS(workspace)]);
say({
  // Another kernel's processes are not seen here.
  strays: hasOwnKernel(kind) ? (strays.stdout.match(/alive (\d+)/)?.[1] ?? 0) : leftIn(workspace).length,
  said: strays.stdout.trim(),
  peakMiB: peakMiB(),
});
if (hold) {
  await new Promise((resolve) => process.stdin.once("data", resolve));
}
await sandbox.close();
const left = () => leftIn(workspace).length + leftIn(ofContainers()).length;
// The kernel ends them with the first of their namespace, one after the other.
for (let looks = 0; left() > 0 && looks < 100; looks += 1) await new Promise((resolve) => setTimeout(resolve, 20));
say({ traces: yard.traces(), left: left() });
// Without a wall they stay, and it is ours to end them.
for (const pid of leftIn(workspace)) process.kill(Number(pid), "SIGKILL");
removeSandboxFolder(folder);
await removeFolders();
rmSync(root, { recursive: true, force: true });
process.exit(0);
