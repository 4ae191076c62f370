/** The sandboxes that are attacked. A driver is added by one line. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bubblewrapDriver, containerDrivers, openLocalSandbox } from "../../../dist/sandbox/index.js";

/** Only for root: without, containers need an engine and an image. */
const containers = () => containerDrivers({ folder: `/run/sallyport/redteam-${process.pid}` });

export const DRIVERS = {
  bubblewrap: bubblewrapDriver,
  container: () => containers().find(({ kind }) => kind === "container"),
};

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
