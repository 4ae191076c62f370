/**
 * Runs inside a sandbox: starts the session's programs there and ends them. It takes requests from its standard input and reports
 * on its standard output, a line of JSON each. The programs' own streams are connections to a socket; its argument names it.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { Groups } from "../groups.ts";
import { watchMemory } from "../memory.ts";
import { endProcesses, listProcesses, withDescendants } from "../processes.ts";
import { openPort } from "./forward.ts";
import { heldBytes } from "./held-memory.ts";
import { encodeLine, LineReader, type HelperReport, type HelperRequest } from "./messages.ts";
import type { HelperOptions } from "./program.ts";

/** By this variable a process is found that left its group. */
const RUN = "SALLYPORT_RUN";

/** Between an ordinary program and one that is always ended first. */
const OUT_OF_MEMORY_SCORE = "500";

const { streamsPath, forwards, memoryBytes } = JSON.parse(process.argv[2] ?? "{}") as HelperOptions;
/** The first process of the namespace: all others descend from it. */
const FIRST = 1;

const groups = new Groups();
const children = new Map<number, ChildProcess>();
/** The process group of each that has a member left. */
const leaders = new Map<number, number>();

// Node would open a debugger, through which any program inside could speak for this one.
process.on("SIGUSR1", () => undefined);
try {
  // When the machine has no memory left, what is inside goes first.
  writeFileSync("/proc/self/oom_score_adj", OUT_OF_MEMORY_SCORE);
} catch {
  // Then the kernel chooses.
}

function report(message: HelperReport): void {
  process.stdout.write(encodeLine(message));
}

/** A connection that says which stream it is. It is handed to a program before anything is read from it. */
function openStream(name: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path: streamsPath, allowHalfOpen: true });
    socket.pause();
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      socket.on("error", () => undefined);
      socket.write(`${name}\n`, () => resolve(socket));
    });
  });
}

async function start(request: HelperRequest & { readonly type: "start" }): Promise<void> {
  const { id, argv, cwd, env, streams } = request;
  const names = [...(streams.stdin === undefined ? [] : [streams.stdin]), streams.stdout, streams.stderr];
  const sockets = await Promise.all(names.map(openStream));
  try {
    const [program = "", ...words] = argv;
    const stdio = streams.stdin === undefined ? (["ignore", ...sockets] as const) : sockets;
    const launch = (): ChildProcess =>
      spawn(program, words, { cwd, env: { ...env, [RUN]: String(id) }, detached: true, stdio: [...stdio] });
    let child = launch();
    let failure = await failureOf(child);
    if (failure?.code === "EAGAIN" && children.size === 0) {
      // Nobody waits for those that take all the places: their commands are over.
      await endStrays();
      child = launch();
      failure = await failureOf(child);
    }
    const { pid } = child;
    if (failure !== undefined || pid === undefined) {
      report({ type: "refused", id, message: explained(failure) });
      return;
    }
    children.set(id, child);
    leaders.set(id, pid);
    groups.add(pid);
    child.once("exit", (code, signal) => {
      children.delete(id);
      if (!groups.leaderEnded(pid)) leaders.delete(id);
      report({ type: "exited", id, code, signal });
    });
    report({ type: "started", id, pid });
  } finally {
    // The program has its own: this end must not keep the connections open.
    for (const socket of sockets) socket.destroy();
  }
}

/** Why it did not start; undefined: it did. */
async function failureOf(child: ChildProcess): Promise<NodeJS.ErrnoException | undefined> {
  if (child.pid !== undefined) return undefined;
  return new Promise((resolve) => {
    child.once("error", resolve);
  });
}

function explained(failure: NodeJS.ErrnoException | undefined): string {
  if (failure?.code !== "EAGAIN") return failure?.message ?? "it has no number";
  return "the sandbox has as many processes and threads as it may have; end some of them first";
}

async function endStrays(): Promise<void> {
  endAll();
  await endProcesses({
    find: async () => (await listProcesses()).filter(({ pid }) => pid !== FIRST && pid !== process.pid),
    groups: () => [],
    graceMs: 0,
  });
}

async function end(id: number, graceMs: number): Promise<void> {
  const leader = leaders.get(id);
  await endProcesses({
    find: async () => {
      const entries = await listProcesses();
      const isMember = leader === undefined ? () => false : groups.membership(entries, leader);
      return withDescendants(entries, (entry) => entry.startedWith(RUN, String(id)) || isMember(entry));
    },
    groups: () => groups.withLeader().filter((group) => group === leader),
    graceMs,
  });
  leaders.delete(id);
  report({ type: "ended", id });
}

async function take(request: HelperRequest): Promise<void> {
  switch (request.type) {
    case "start":
      await start(request).catch((error: unknown) =>
        report({ type: "refused", id: request.id, message: error instanceof Error ? error.message : String(error) }),
      );
      return;
    case "signal":
      children.get(request.id)?.kill(request.signal);
      return;
    case "end":
      await end(request.id, request.grace_ms);
  }
}

/** A port on the loopback here that leads to a socket of the server's. */
/** Everything inside but this helper and what started it. */
function endAll(): void {
  process.kill(-1, "SIGKILL");
}

/** Nothing here is worth more than the machine's memory. What outlives its process is only freed when the sandbox ends. */
function exceeded(): void {
  for (const id of leaders.keys()) report({ type: "exceeded", id });
  if (heldBytes() > memoryBytes / 2) process.exit(0);
  endAll();
}

function watch(): void {
  const stop = watchMemory({
    pid: FIRST,
    bytes: memoryBytes,
    others: heldBytes,
    onExceeded: () => {
      stop();
      exceeded();
      watch();
    },
  });
}

const reader = new LineReader((line) => void take(JSON.parse(line) as HelperRequest));
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => reader.take(chunk));
// Without its server it has nobody to work for; the namespace ends with it.
process.stdin.on("end", () => process.exit(0));
process.stdin.on("error", () => process.exit(0));
process.stdout.on("error", () => process.exit(0));
watch();
await Promise.all(forwards.map(openPort));
report({ type: "ready" });
