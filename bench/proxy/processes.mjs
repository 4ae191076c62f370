// Every process of the proxy's benchmark: started here, measured from /proc, ended with the bench however it ends.
import { fork, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { isQuick } from "../size.mjs";

const START_MS = 20_000;
const ANSWER_MS = 60_000;
const STOP_MS = 3_000;
const KEPT_CHARS = 2_000;
const TICKS_PER_SECOND = 100;

const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));

function adopt(child) {
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

function within(ms, what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await gone;
  clearTimeout(timer);
}

/** One of ours, which says over IPC when it is ready and then answers one question at a time. */
export async function startOurs(url, argv = [], execArgv = []) {
  const file = basename(url.pathname);
  const child = adopt(
    fork(fileURLToPath(url), isQuick ? [...argv, "--quick"] : argv, {
      execArgv,
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    }),
  );
  const answer = () =>
    new Promise((resolve, reject) => {
      const ended = (code) => reject(new Error(`${file} ended with ${code}`));
      child.once("exit", ended);
      child.once("message", (message) => {
        child.off("exit", ended);
        resolve(message);
      });
    });
  const ready = await within(START_MS, file, answer()).catch(async (error) => {
    await stop(child);
    throw error;
  });
  return {
    ready,
    pid: child.pid,
    ask: (question) => {
      const answered = within(ANSWER_MS, file, answer());
      child.send(question);
      return answered;
    },
    stop: () => stop(child),
  };
}

/** A program of somebody else, ready when its port answers. */
export async function startGuest({ command, argv, environment, port }) {
  const child = adopt(
    spawn(command, argv, { env: { PATH: process.env.PATH, ...environment }, stdio: ["ignore", "pipe", "pipe"] }),
  );
  let said = "";
  const keep = (piece) => {
    said = (said + piece).slice(-KEPT_CHARS);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  try {
    await within(START_MS, command, answers(child, port));
  } catch (error) {
    await stop(child);
    throw new Error(`${error.message}: ${said.trim()}`, { cause: error });
  }
  return { ready: { url: `http://127.0.0.1:${port}` }, pid: child.pid, stop: () => stop(child) };
}

async function answers(child, port) {
  const state = { ended: undefined };
  child.once("error", (error) => (state.ended = error.message));
  child.once("exit", (code) => (state.ended ??= `it ended with ${code}`));
  for (;;) {
    if (state.ended !== undefined) throw new Error(state.ended);
    const open = await new Promise((resolve) => {
      const socket = connect({ host: "127.0.0.1", port });
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const hasProc = existsSync("/proc/self/stat");

/** Of all threads of a process, since it began; milliseconds, in steps of ten. NaN where the system does not tell. */
export function cpuMs(pid) {
  if (!hasProc) return Number.NaN;
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name may hold anything; what is counted comes after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
}

export function peakMib(pid) {
  if (!hasProc) return undefined;
  const match = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return match === null ? undefined : Number(match[1]) / 1_024;
}
