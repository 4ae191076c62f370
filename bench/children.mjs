import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Starts a part of the bench as a process of its own and waits for the address that it prints. */
export async function startChild(argv, environment = {}) {
  const child = spawn(process.execPath, argv, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise((found, failed) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const match = /https?:\/\/127\.0\.0\.1:\d+/.exec(line);
      if (match !== null) found(match[0]);
    });
    child.once("exit", (code) => failed(new Error(`${argv[0]} ended with ${code}`)));
  });
  return {
    url,
    pid: child.pid,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", resolve);
        child.kill("SIGTERM");
      }),
  };
}

export const SIM = fileURLToPath(new URL("sim-child.mjs", import.meta.url));
export const MAIN = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
export const BENCH_TOKEN = "sp_bench-token-00000000000000000000000000000";

export function median(values) {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)];
}

export function percentile(values, share) {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
