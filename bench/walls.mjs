// (l) Walls: the same work in `local` and in each other sandbox that works here, in turn, in one server. First token of a new session, one
// Bash call, a search through many files, and what a sandbox takes of memory. In a second server, the same with a worker that is ready; in
// further ones the same with files of its own.
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SallyportClient } from "../dist/client/index.js";
import { BENCH_TOKEN, MAIN, median, percentile, startChild } from "./children.mjs";
import { sized } from "./size.mjs";

const ROUNDS = sized(12, 1);
/** Round 0 warms everything up and does not count. */
const WARM_UP = sized(1, 0);
/** A kernel of its own takes seconds for what others do in milliseconds: it is measured in every fourth round. */
const SLOW = new Set(["gvisor", "firecracker"]);
const SLOW_EVERY = 4;
const CALLS = sized(30, 2);
const FILES = sized(20_000, 20);
const FILES_IN_FOLDER = 100;
const SANDBOXES = sized(10, 2);
/** Of the repository of which workers have a copy of their own, and where they run. */
const OWN_FILES = sized(1_000, 20);
const OWN_SANDBOX = "bubblewrap";
const MODES = sized(["direct", "worktree", "snapshot"], ["worktree", "snapshot"]);
/** Other programs than Claude's start the same way; `agents` measures them. */
const ENGINES = sized(["claude-sdk", "claude-cli"], ["claude-sdk"]);
const READY_MS = 120_000;
const LOOK_MS = 50;

export async function wallsBench() {
  const root = await mkdtemp(join(tmpdir(), "sallyport-bench-"));
  const workspace = join(root, "workspace");
  await fill(workspace);
  const server = await startChild([MAIN, "serve", "--home", join(root, "home"), "--workspace", workspace], {
    SALLYPORT_PORT: "0",
    SALLYPORT_TOKEN: BENCH_TOKEN,
    SALLYPORT_REQUESTS_PER_MINUTE: "1000000",
    SALLYPORT_START_AHEAD: "off",
  });
  const client = new SallyportClient({ url: server.url, token: BENCH_TOKEN });
  try {
    const { engines, sandboxes } = await client.engines();
    const kinds = sandboxes.flatMap(({ available, id }) => (available ? [id] : [])).slice(0, SANDBOXES);
    const programs = engines.flatMap(({ available, id }) => (available && ENGINES.includes(id) ? [id] : []));
    const results = { sandboxes: kinds };
    for (const engine of programs)
      results[`first_token_ms, new session of ${engine}`] = await interleaved(kinds, (sandbox) =>
        firstToken(client, { engine, sandbox }),
      );
    Object.assign(results, await readyBench({ root, workspace, client, kinds, programs }));
    if (kinds.includes(OWN_SANDBOX)) Object.assign(results, await ownFilesBench({ root, client, programs }));
    results[`Bash, one of ${CALLS} calls, ms`] = await interleaved(kinds, (sandbox) => bashCall(client, sandbox));
    results[`Grep over ${FILES} files, ms`] = await interleaved(kinds, (sandbox) => grepCall(client, sandbox));
    results["memory of a sandbox in which nothing runs, KiB"] = await memories(client, server.pid, kinds);
    return results;
  } finally {
    await server.stop();
    await rm(root, { recursive: true, force: true });
  }
}

/** New sessions with a ready worker, in turn with cold ones in `local` of the other server. */
async function readyBench({ root, workspace, client, kinds, programs }) {
  const ready = kinds.filter((kind) => !SLOW.has(kind));
  const server = await startPool(join(root, "home-of-pool"), workspace, ready.length);
  const pooled = new SallyportClient({ url: server.url, token: BENCH_TOKEN });
  const results = {};
  const subjects = ["local", ...ready.map((kind) => `${kind}, ready`)];
  const wanted = (subject) => ({ sandbox: subject.split(",")[0], isReady: subject.includes("ready") });
  try {
    for (const engine of programs)
      results[`first_token_ms, new session of ${engine}, cold local and ready workers`] = await interleaved(
        subjects,
        async (subject) => {
          const { sandbox, isReady } = wanted(subject);
          if (isReady) await untilReady(pooled, { engine, sandbox });
          return firstToken(isReady ? pooled : client, { engine, sandbox });
        },
      );
    results["first Bash call of a new session, ms, cold local and ready workers"] = await interleaved(
      subjects,
      async (subject) => {
        const { sandbox, isReady } = wanted(subject);
        if (isReady) await untilReady(pooled, { engine: "loop", sandbox });
        const [first] = await turnWith(isReady ? pooled : client, sandbox, [
          { tool: "Bash", input: { command: "true" } },
        ]);
        return first;
      },
    );
    results["sessions that got a ready worker, and that did not"] = await pooled
      .pool()
      .then(({ taken, opened }) => ({ taken, opened }));
    return results;
  } finally {
    await server.stop();
  }
}

/** The same with workers whose files are their own. A server for each mode: a worker does not tell which it has. */
async function ownFilesBench({ root, client, programs }) {
  const repository = join(root, "repository");
  await fill(repository, OWN_FILES);
  const git = (...words) =>
    execFileSync("git", [
      "-C",
      repository,
      "-c",
      "gc.auto=0",
      "-c",
      "user.name=b",
      "-c",
      "user.email=b@localhost",
      ...words,
    ]);
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message=all");
  const servers = [];
  try {
    for (const mode of MODES) servers.push(await startPool(join(root, `home-of-${mode}`), repository, 1));
    const pools = new Map(
      MODES.map((mode, at) => [mode, new SallyportClient({ url: servers[at].url, token: BENCH_TOKEN })]),
    );
    const results = {};
    for (const engine of programs)
      results[`first_token_ms, new session of ${engine}, cold local and ready workers in ${OWN_SANDBOX} by mode`] =
        await interleaved(["local", ...MODES], async (subject) => {
          const pooled = pools.get(subject);
          if (pooled === undefined) return firstToken(client, { engine, sandbox: "local" });
          const wanted = { engine, sandbox: OWN_SANDBOX, workspace_mode: subject };
          await untilReady(pooled, wanted);
          return firstToken(pooled, wanted);
        });
    results["sessions in each mode that got a ready worker, and that did not"] = Object.fromEntries(
      await Promise.all(
        [...pools].map(async ([mode, pooled]) => {
          const { taken, opened } = await pooled.pool();
          return [mode, { taken, opened }];
        }),
      ),
    );
    return results;
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/** A server that keeps so many workers ready. */
async function startPool(home, workspace, workers) {
  await mkdir(home, { mode: 0o700 });
  const pool = { min_workers: workers, max_workers: 50 };
  await writeFile(join(home, "sallyport.yaml"), JSON.stringify({ pool }), { mode: 0o600 });
  return startChild([MAIN, "serve", "--home", home, "--workspace", workspace], {
    SALLYPORT_PORT: "0",
    SALLYPORT_TOKEN: BENCH_TOKEN,
    SALLYPORT_REQUESTS_PER_MINUTE: "1000000",
  });
}

/** The pool prepares what the last sessions were like: one that does not count shows it what is wanted. */
async function untilReady(client, wanted) {
  const { engine, sandbox } = wanted;
  const isThere = async () =>
    (await client.workers()).workers.some(
      (worker) =>
        worker.state === "idle" &&
        worker.engine === engine &&
        worker.sandbox === sandbox &&
        (engine === "loop" || worker.program),
    );
  if (await isThere()) return;
  if (engine === "loop") await turnWith(client, sandbox, []);
  else await firstToken(client, wanted);
  for (let waited = 0; !(await isThere()); waited += LOOK_MS) {
    if (waited > READY_MS) throw new Error(`no worker for ${engine} in ${sandbox} got ready`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

async function fill(workspace, files = FILES) {
  for (let at = 0; at < files; at += 1) {
    const folder = join(workspace, `folder-${Math.floor(at / FILES_IN_FOLDER)}`);
    if (at % FILES_IN_FOLDER === 0) await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `file-${at}.txt`), `line of ${at}\n`.repeat(20));
  }
}

/** Each subject once in each round; figures are of the rounds, ratios to `local`. */
async function interleaved(kinds, measure) {
  const times = Object.fromEntries(kinds.map((kind) => [kind, []]));
  for (let round = 0; round < ROUNDS + WARM_UP; round += 1)
    for (const kind of kinds) {
      if (SLOW.has(kind) && round % SLOW_EVERY !== WARM_UP) continue;
      const ms = await measure(kind);
      if (round >= WARM_UP) times[kind].push(ms);
    }
  const local = median(times.local);
  return Object.fromEntries(
    kinds.map((kind) => {
      const p50 = median(times[kind]);
      return [kind, { p50, p90: percentile(times[kind], 0.9), ratio: p50 / local, added: p50 - local }];
    }),
  );
}

const told = (...steps) => `Do as told.\nsim: ${JSON.stringify(steps)}`;

async function firstToken(client, wanted) {
  const start = performance.now();
  const session = await client.createSession({
    ...wanted,
    autonomy: "full",
    prompt: { text: told({ say: "Here I am." }) },
  });
  let first;
  for await (const frame of client.watch(session.id, { after: 0 })) {
    if (frame.type === "item.delta" || (frame.type === "item.completed" && frame.item.type === "agent_message"))
      first ??= performance.now() - start;
    if (frame.type === "turn.failed") throw new Error(frame.error.message);
    if (frame.type === "turn.completed") break;
  }
  await client.control(session.id, "close");
  return first;
}

/** The mean of many calls in one turn, without the first, which starts the shell's sandbox. */
async function bashCall(client, sandbox) {
  const calls = Array.from({ length: CALLS + 1 }, () => ({ tool: "Bash", input: { command: "true" } }));
  return (await turnWith(client, sandbox, calls)).slice(1).reduce((sum, ms) => sum + ms / CALLS, 0);
}

async function grepCall(client, sandbox) {
  const calls = Array.from({ length: 2 }, () => ({ tool: "Grep", input: { pattern: "line of 199" } }));
  return (await turnWith(client, sandbox, calls))[1];
}

/** How long each call ran. */
async function turnWith(client, sandbox, calls) {
  const session = await client.createSession({
    sandbox,
    autonomy: "full",
    max_turns: 1_000,
    prompt: { text: told(...calls, { say: "Done." }) },
  });
  const durations = [];
  for await (const frame of client.watch(session.id, { after: 0 })) {
    if (frame.type === "item.completed" && frame.item.duration_ms !== undefined) durations.push(frame.item.duration_ms);
    if (frame.type === "turn.failed") throw new Error(frame.error.message);
    if (frame.type === "turn.completed") break;
  }
  await client.control(session.id, "close");
  return durations;
}

/** Memory of the server's processes beside itself, for one session that has run a command. */
async function memories(client, pid, kinds) {
  const found = {};
  for (const sandbox of kinds) {
    const before = await childrenKib(pid);
    const session = await client.createSession({
      sandbox,
      autonomy: "full",
      prompt: { text: told({ tool: "Bash", input: { command: "true" } }, { say: "Done." }) },
    });
    for await (const frame of client.watch(session.id, { after: 0 })) if (frame.type === "turn.completed") break;
    found[sandbox] = (await childrenKib(pid)) - before;
    await client.control(session.id, "close");
  }
  return found;
}

/** Proportional memory of all that a process started. */
async function childrenKib(pid) {
  const parents = new Map();
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const text = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    const parent = Number(/\) \S (\d+)/.exec(text)?.[1]);
    if (text !== "") parents.set(Number(name), parent);
  }
  const isBelow = (one) => one !== undefined && (one === pid || isBelow(parents.get(one)));
  let sum = 0;
  for (const one of parents.keys()) {
    if (one === pid || !isBelow(one)) continue;
    const rollup = await readFile(`/proc/${one}/smaps_rollup`, "utf8").catch(() => "");
    sum += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
  }
  return sum;
}

if (process.argv[1] === new URL(import.meta.url).pathname) console.log(JSON.stringify(await wallsBench(), null, 2));
