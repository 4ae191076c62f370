/**
 * A server for the attacks: `child.mjs <options>` opens one sandbox, runs the groups of attacks in it and prints a line of JSON for
 * each. It is a process of its own, so that it can be another user and hold canaries where a server holds its keys.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeSandboxFolder, removeSandboxFolder } from "../../../dist/sandbox/index.js";
import { CONTROL, DRIVERS, openControl } from "./drivers.mjs";
import { runFaults } from "./faults.mjs";
import { canary, openYard } from "./yard.mjs";

const { driver: kind, groups, faults = [] } = JSON.parse(process.argv[2]);
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
const yard = await openYard({ root, home, workspace, server: process.pid, isWalled: kind !== CONTROL });
const folder = makeSandboxFolder("redteam");
yard.write({ sandboxFolder: folder });

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
  processes: 160,
};
const driver = DRIVERS[kind]?.();
const missing = await driver?.missing();
if (missing !== undefined) {
  say({ missing: missing.reason });
  process.exit(0);
}
const sandbox = driver === undefined ? openControl(request) : await driver.open(request);

/** All that a command wrote, and how it ended. */
const run = async (argv) => {
  let stdout = "";
  let stderr = "";
  const running = await sandbox.spawn({
    argv,
    cwd: workspace,
    onOutput: (chunk, stream) => {
      if (stream === "stdout") stdout += chunk;
      else stderr += chunk;
    },
  });
  const exit = await running.exit;
  return { stdout, stderr, exit };
};

try {
  const { stdout, stderr, exit } = await run(yard.command(...groups));
  for (const line of stdout.split("\n").filter((text) => text.startsWith("{"))) say(JSON.parse(line));
  if (exit.code !== 0) say({ attack: "the attacks themselves", escaped: false, failed: `${JSON.stringify(exit)} ${stderr}` });
  if (stderr !== "") say({ note: stderr });
  if (groups.includes("calls") && !yard.hasCompiler) say({ note: "no gcc here: the system calls are left out" });
  for (const row of await runFaults({ faults, sandbox, run, workspace, folder })) say(row);
} finally {
  await sandbox.close();
  say({ traces: yard.traces() });
  say({ left: readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(workspace) && Number(pid) !== process.pid) });
  removeSandboxFolder(folder);
  rmSync(root, { recursive: true, force: true });
}
process.exit(0);

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}
