/** The sandboxes that are attacked. A driver is added by one line. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { containerDriver, gvisorDriver } from "../../../dist/sandbox/container/drivers.js";
import { qemuDriver } from "../../../dist/sandbox/qemu/driver.js";
import { removeFolder } from "../../../dist/sandbox/remove-folder.js";
import { bubblewrapDriver, openLocalSandbox } from "../../../dist/sandbox/index.js";

/** Of this run alone. Other users must be able to pass through it. */
const folder = () =>
  process.getuid() === 0 ? `/run/sallyport/redteam-${process.pid}` : join(tmpdir(), `redteam-${process.pid}`);
const container = (runtime, options) => containerDriver({ folder: folder(), runtime, ...options });

/** `image`: what Podman runs, with this machine's programs shown in it. */
export const DRIVERS = {
  bubblewrap: () => bubblewrapDriver({ marker: `rt${process.pid}` }),
  "bubblewrap without control groups": () => bubblewrapDriver({ controlGroups: false }),
  crun: () => container("crun"),
  runc: () => container("runc"),
  podman: ({ image }) => container("podman", { image, readable: ["/usr"] }),
  gvisor: () => gvisorDriver({ folder: folder() }),
  "QEMU's machine": () => qemuDriver({ marker: `rt${process.pid}` }),
};

/** These have a kernel of their own. */
export const hasOwnKernel = (kind) => ["gvisor", "firecracker", "QEMU's machine"].includes(kind);

/** What reaches that kernel alone, and nothing of this machine: its devices, its folders, its system calls. */
export const isOwnKernels = ({ attack }) =>
  attack.startsWith("call: ") || attack === "devices" || attack === "what the machine's folders hold";

/** Processes of this machine that belong to this run's containers. */
export const ofContainers = () => folder();

/** Deletes what is left of this run's containers. */
export const removeFolders = () => removeFolder(folder());

/** The control: no wall at all. */
export const CONTROL = "local";

/** Another control: `@anthropic-ai/sandbox-runtime`, with what it needs to know to hide the same. It is no dependency. */
function openSandboxRuntime({ workspace, folder, hidden }, program, secrets) {
  const settings = join(folder, "srt.json");
  writeFileSync(
    settings,
    JSON.stringify({
      network: { allowedDomains: [], deniedDomains: [] },
      filesystem: { denyRead: [...hidden, ...secrets], allowWrite: [workspace, "/tmp/claude"], denyWrite: [] },
    }),
  );
  // It wants this folder; the next run may be another user's.
  if (!existsSync("/tmp/claude")) mkdirSync("/tmp/claude");
  if (statSync("/tmp/claude").uid === process.getuid()) chmodSync("/tmp/claude", 0o1777);
  return {
    kind: "sandbox-runtime",
    spawn: async ({ argv, cwd, onOutput }) => {
      const words = argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
      const child = spawn(process.execPath, [program, "-s", settings, "-c", words], {
        cwd,
        stdio: ["ignore", "pipe", "pipe"],
      });
      for (const stream of ["stdout", "stderr"]) child[stream].on("data", (chunk) => onOutput(chunk, stream));
      const exit = once(child, "close").then(([code, signal]) => ({ code, signal }));
      return { pid: child.pid, exit, kill: async () => void child.kill("SIGKILL") };
    },
    close: async () => undefined,
  };
}

export function openControl(request, { program, secrets }) {
  if (program !== undefined) return openSandboxRuntime(request, program, secrets);
  const { sessionId, folder } = request;
  return openLocalSandbox({ sessionId, home: folder, marker: `redteam-${folder}`, environment: process.env });
}
