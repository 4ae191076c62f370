import { fork, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
export const PROMISES = fileURLToPath(new URL("promises-child.mjs", import.meta.url));
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

/** A child that is asked questions over IPC, one at a time. */
export async function startAsked(argv, environment = {}) {
  const [path, ...rest] = argv;
  const child = fork(path, rest, {
    execArgv: ["--expose-gc"],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const answer = () => new Promise((resolve) => child.once("message", resolve));
  const { url } = await answer();
  return {
    url,
    pid: child.pid,
    ask: (question) => {
      const answered = answer();
      child.send(question);
      return answered;
    },
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", resolve);
        child.kill("SIGTERM");
      }),
  };
}

export const SERVER = fileURLToPath(new URL("server-child.mjs", import.meta.url));
export const BROADCAST = fileURLToPath(new URL("broadcast-child.mjs", import.meta.url));

export function serverEnvironment(simUrl) {
  return {
    SALLYPORT_SANDBOX: "local",
    SALLYPORT_TOKEN: BENCH_TOKEN,
    SALLYPORT_REQUESTS_PER_MINUTE: "10000000",
    ANTHROPIC_API_KEY: "bench",
    ANTHROPIC_BASE_URL: simUrl,
  };
}

/** A home and a workspace for one bench, gone afterwards. */
export async function benchPlace() {
  const root = await mkdtemp(join(tmpdir(), "sallyport-bench-"));
  const workspace = join(root, "workspace");
  await mkdir(workspace);
  return { home: join(root, "home"), workspace, remove: () => rm(root, { recursive: true, force: true }) };
}

/** Writes events behind the journal's end with the store's own commits, as a session that ran for weeks would have. */
export async function growJournal(home, session_id, { events, body }) {
  const { openSqliteStore } = await import("../dist/store/index.js");
  const batch = 10_000;
  const store = await openSqliteStore({
    path: `${home}/sallyport.db`,
    onFatal: (error) => {
      throw error;
    },
  });
  const row = await store.read.session(session_id);
  const last = row.seq + events;
  for (let from = row.seq + 1; from <= last; from += batch) {
    const upto = Math.min(last, from + batch - 1);
    const rows = Array.from({ length: upto - from + 1 }, (_, index) => {
      const event = body(from + index);
      return { session_id, seq: from + index, at: row.updated_at, type: event.type, body: JSON.stringify(event) };
    });
    const state = JSON.stringify({ ...JSON.parse(row.state), seq: upto });
    await store.commit({ events: rows, sessions: [{ ...row, seq: upto, state }] });
  }
  await store.close();
}
