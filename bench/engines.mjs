// (f) Turns and new sessions with each engine, against the same SDK and the same program driven bare. All are open at once
// and take turns, so that a slow moment of the machine hits all of them; nothing is measured while a process is being made
// ready for later. Needs @anthropic-ai/claude-agent-sdk.
//
//   npm run build && node bench/engines.mjs [--quick] [--only=turns,new,crowd]
import { createRequire } from "node:module";
import { rmSync } from "node:fs";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { LIMITS } from "../dist/protocol/index.js";
import { BENCH_TOKEN, median, percentile } from "./children.mjs";
import { Caller } from "./engines/client.mjs";
import { endVendors, memoryMib, untilIdle, vendorProcesses } from "./engines/machine.mjs";
import { startOurs } from "./proxy/processes.mjs";
import { isQuick, sized } from "./size.mjs";

const WHOLE = { warm: 30, tool: 30, paced: 6, cliWarm: 10, cliTool: 10, fresh: 10, cold: 5, sessions: 20 };
/** 0: not at all. */
const QUICK = { warm: 1, tool: 0, paced: 0, cliWarm: 1, cliTool: 0, fresh: 1, cold: 0, sessions: 1 };
/** The first turns of a conversation load code; they do not count. */
const WARM_UP = sized(3, 0);
/** Sessions that start at the same time. */
const STARTING = 4;
const READY_MS = 30_000;
/** After this the start of a process for later has begun. */
const STARTED_MS = Math.max(LIMITS.warmFollowMs, LIMITS.engineAheadMs) + 200;
/** More than any run takes; then everything is ended. */
const DEADLINE_MS = 900_000;
/** A quick run has the crowd before the new sessions: each takes what was made ready for it meanwhile, and less is started. */
const PARTS = sized(
  { turns: measureTurns, new: measureNew, crowd: measureCrowd },
  { turns: measureTurns, crowd: measureCrowd, new: measureNew },
);
const ENGINES = ["claude-sdk", "claude-cli"];

const script = (...steps) => `Do as told.\nsim: ${JSON.stringify(steps)}`;
const SAY = script({ say: "It is done, as you asked." });
/** As a fast model answers. */
const PACED = script({ delay_ms: 200 }, { stream: { tokens: 60, per_second: 200 } });

export async function enginesBench(flags = []) {
  const plan = flags.includes("--quick") ? QUICK : WHOLE;
  const deadline = setTimeout(() => {
    console.error("The benchmark did not end in time.");
    process.exit(1);
  }, DEADLINE_MS);
  const only = flags.find((flag) => flag.startsWith("--only="))?.slice("--only=".length);
  const wanted = only === undefined ? Object.keys(PARTS) : only.split(",");
  const load = [loadavg()[0]];
  const world = await openWorld();
  try {
    const results = {};
    for (const name of wanted) results[name] = await PARTS[name](world, plan);
    load.push(loadavg()[0]);
    return rounded({ rounds: plan, load_average: load, ...results, goals: goals(results) });
  } finally {
    clearTimeout(deadline);
    await world.close();
  }
}

async function openWorld() {
  const root = await mkdtemp(join(tmpdir(), "sallyport-bench-"));
  const [home, workspace, bareFolder] = ["home", "workspace", "bare"].map((name) => join(root, name));
  // Also when it is interrupted: what a server that was killed left goes with it.
  const clear = () => {
    endVendors(home);
    rmSync(root, { recursive: true, force: true });
  };
  process.once("exit", clear);
  await mkdir(workspace);
  await mkdir(bareFolder);
  const file = join(workspace, "file.txt");
  await writeFile(file, "one line\n".repeat(20));
  const claude = claudeProgram();
  const open = [];
  const close = async () => {
    for (const child of open.toReversed()) await child.stop();
    process.off("exit", clear);
    clear();
  };
  try {
    const sim = await startOurs(new URL("./engines/model.mjs", import.meta.url));
    open.push(sim);
    const server = await startOurs(new URL("./engines/ours.mjs", import.meta.url), [
      home,
      workspace,
      sim.ready.url,
      BENCH_TOKEN,
      claude,
    ]);
    open.push(server);
    const caller = new Caller(server.ready.url, BENCH_TOKEN);
    const { model, close: closeFirst } = await caller.open({ engine: "loop" });
    await closeFirst();
    const bare = await startOurs(new URL("./engines/bare.mjs", import.meta.url), [
      bareFolder,
      workspace,
      sim.ready.url,
      claude,
      model,
    ]);
    open.push(bare);
    const ask = async (question) => {
      const answer = await bare.ask(question);
      if (answer.error !== undefined) throw new Error(`the bare script: ${answer.error}`);
      return answer;
    };
    return { home, file, server, bare, caller, ask, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function claudeProgram() {
  const require = createRequire(import.meta.url);
  const sdk = createRequire(require.resolve("@anthropic-ai/claude-agent-sdk"));
  const name = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/package.json`;
  return join(dirname(sdk.resolve(name)), process.platform === "win32" ? "claude.exe" : "claude");
}

/** Turns of conversations that are under way, and the memory of one. */
async function measureTurns({ caller, ask, file, home, server, bare }, plan) {
  const read = script({ tool: "Read", input: { file_path: file } }, { say: "It has twenty lines." });
  const ours = {};
  for (const engine of ["loop", ...ENGINES]) ours[engine] = await caller.open({ engine });
  const { pid } = await ask({ do: "open", name: "sdk", text: SAY });
  await ask({ do: "cliOpen", name: "cli", text: SAY });
  const inProcess = {
    loop: ours.loop.turn,
    "claude-sdk": ours["claude-sdk"].turn,
    "bare sdk": bareTurn(ask, "turn", "sdk"),
  };
  const cli = ours["claude-cli"];
  const cliReady = () => untilIdle({ home, wanted: [({ session }) => session === cli.id], patienceMs: READY_MS });
  const perPrompt = {
    "claude-cli": cli.turn,
    // The prompt comes as soon as the turn before has ended: no process waits for it.
    "claude-cli at once": async (text) => {
      if (!isQuick) await cli.turn(SAY);
      return cli.turn(text);
    },
    "bare cli": bareTurn(ask, "cliTurn", "cli"),
  };
  for (let turn = 0; turn < WARM_UP; turn += 1)
    for (const run of Object.values(inProcess)) await run(turn % 2 === 0 ? SAY : read);
  if (!isQuick) await cli.turn(SAY);
  const figures = {};
  for (const [name, subjects, text, count, settle] of [
    ["text", inProcess, SAY, plan.warm],
    ["one_tool", inProcess, read, plan.tool],
    ["paced", inProcess, PACED, plan.paced],
    ["cli_text", perPrompt, SAY, plan.cliWarm, cliReady],
    ["cli_one_tool", perPrompt, read, plan.cliTool, cliReady],
  ].filter(([, , , rounds]) => rounds > 0))
    figures[name] = await interleaved(name, subjects, count, async (run) => {
      if (!isQuick) await settle?.();
      return run(text);
    });
  const own = vendorProcesses(home).find(({ session }) => session === ours["claude-sdk"].id);
  const memory = {
    "claude-sdk": { server_mib: memoryMib(server.pid), vendor_mib: memoryMib(own.pid) },
    "bare sdk": { script_mib: memoryMib(bare.pid), vendor_mib: memoryMib(pid) },
  };
  for (const session of Object.values(ours)) await session.close();
  await ask({ do: "close", name: "sdk" });
  return { ...figures, memory };
}

const bareTurn = (ask, what, name) => (text) => ask({ do: what, name, text });

/** From nothing to the first words. `cold`: with settings that no session had before, so that nothing is ready for it. */
async function measureNew({ caller, ask, home }, plan) {
  const isNobodys = ({ session }) => !caller.known.has(session);
  const each = ENGINES.map((name) => (process) => isNobodys(process) && process.engine === name);
  const fresh = (engine) => () => caller.begin({ engine }, SAY);
  let shapes = 100;
  const cold = (engine) => () => {
    shapes += 1;
    return caller.begin({ engine, max_turns: shapes }, SAY);
  };
  const bare = {
    "bare sdk": () => ask({ do: "cold", text: SAY }),
    "bare cli": () => ask({ do: "cliCold", text: SAY }),
  };
  /** Nothing is being started, and these processes wait to be taken. */
  const beside = (wanted) => {
    let waited = false;
    return async (run) => {
      // A quick run measures nothing: once is enough to see that they come.
      if (!isQuick || !waited) {
        await new Promise((resolve) => setTimeout(resolve, STARTED_MS));
        await untilIdle({ home, wanted, patienceMs: READY_MS });
        waited = true;
      }
      return run();
    };
  };
  for (const [index, engine] of ENGINES.entries())
    if (!isQuick || !vendorProcesses(home).some(each[index])) await caller.begin({ engine }, SAY);
  return {
    ready: await interleaved(
      "new session",
      { ...bare, loop: fresh("loop"), "claude-sdk": fresh("claude-sdk"), "claude-cli": fresh("claude-cli") },
      plan.fresh,
      beside(each),
    ),
    ...(plan.cold === 0
      ? {}
      : {
          cold: await interleaved(
            "cold session",
            { ...bare, "claude-sdk": cold("claude-sdk"), "claude-cli": cold("claude-cli") },
            plan.cold,
            beside([isNobodys]),
          ),
        }),
  };
}

/** Sessions that all wait for a person at the same time, and then go on together. */
async function measureCrowd({ caller, home, server }, plan) {
  const text = script({ tool: "Bash", input: { command: "echo one" } }, { say: "One." });
  const before = memoryMib(server.pid);
  const begun = performance.now();
  const waiting = [];
  await inParallel(STARTING, plan.sessions, async () => {
    waiting.push(await caller.beginAsking({ engine: "claude-sdk" }, text));
  });
  const all_asked_ms = performance.now() - begun;
  const vendors = vendorProcesses(home).map(({ pid }) => memoryMib(pid));
  const after = memoryMib(server.pid);
  const approved = performance.now();
  const answered = await Promise.all(waiting.map(({ approve }) => approve()));
  const all_ended_ms = performance.now() - approved;
  await inParallel(STARTING, waiting.length, (index) => waiting[index].close());
  console.error(`  ${plan.sessions} sessions: all asked after ${Math.round(all_asked_ms)} ms`);
  return {
    sessions: plan.sessions,
    starting_at_once: STARTING,
    all_asked_ms,
    asked_ms: spread(waiting.map(({ asked_ms }) => asked_ms)),
    approved_to_end_ms: spread(answered),
    all_ended_ms,
    vendor_processes: vendors.length,
    vendor_mib_each: { rss: median(vendors.map(({ rss }) => rss)), pss: median(vendors.map(({ pss }) => pss)) },
    vendors_pss_mib: vendors.reduce((sum, { pss }) => sum + pss, 0),
    server_mib: after,
    server_rss_mib_per_session: (after.rss - before.rss) / plan.sessions,
    left: vendorProcesses(home).filter(({ session }) => caller.known.has(session)).length,
  };
}

async function inParallel(width, count, work) {
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: width }, lane));
}

/** Each subject once a round, another one first each time. */
async function interleaved(title, subjects, count, run) {
  const names = Object.keys(subjects);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < count; round += 1) {
    for (let index = 0; index < names.length; index += 1) {
      const name = names[(index + round) % names.length];
      times[name].push(await run(subjects[name]));
    }
  }
  const figures = {};
  for (const name of names) {
    figures[name] = {};
    for (const part of ["first_ms", "whole_ms"]) figures[name][part] = spread(times[name].map((time) => time[part]));
    for (const control of names.filter((other) => other.startsWith("bare ") && other !== name))
      figures[name][`of_${control.replace(" ", "_")}`] = {
        first: against(times[name], times[control], "first_ms"),
        whole: against(times[name], times[control], "whole_ms"),
      };
    console.error(
      `  ${title} ${name}: first ${Math.round(figures[name].first_ms.p50)} ms, whole ${Math.round(figures[name].whole_ms.p50)} ms`,
    );
  }
  return figures;
}

/**
 * The median of the ratios within each round, the ratio of the medians, and that of the lower quartiles: other work on the machine hits
 * those least.
 */
function against(own, control, part) {
  const ratios = own.map((time, index) => time[part] / control[index][part]);
  const [mine, theirs] = [own, control].map((times) => spread(times.map((time) => time[part])));
  return { by_round: median(ratios), of_medians: mine.p50 / theirs.p50, of_quartiles: mine.p25 / theirs.p25 };
}

function spread(values) {
  const [p25, p50, p90] = [percentile(values, 0.25), median(values), percentile(values, 0.9)];
  return { p25, p50, p90, least: Math.min(...values) };
}

function goals({ turns, new: fresh }) {
  const ratio = (figures, engine, control, part) => figures?.[engine][`of_${control}`][part].by_round;
  const sdk = (figures, part) => ratio(figures, "claude-sdk", "bare_sdk", part);
  const cli = (figures, part) => ratio(figures, "claude-cli", "bare_cli", part);
  const reached = {};
  if (turns !== undefined)
    reached["warm turn, at most 1.10"] = {
      "claude-sdk paced": sdk(turns.paced, "whole"),
      "claude-cli text": cli(turns.cli_text, "whole"),
      "claude-cli one tool": cli(turns.cli_one_tool, "whole"),
      // A model that needs no time at all: what is left is the program's own work, and ours.
      "claude-sdk text, no model": sdk(turns.text, "whole"),
      "claude-sdk one tool, no model": sdk(turns.one_tool, "whole"),
    };
  if (fresh !== undefined)
    reached["first token of a new session with a process ready, at most 0.30 of a bare cold start"] = {
      "claude-sdk": sdk(fresh.ready, "first"),
      "claude-cli": cli(fresh.ready, "first"),
    };
  return reached;
}

function rounded(value) {
  if (typeof value === "number") return Number(value.toPrecision(4));
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(rounded);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, rounded(part)]));
}

if (process.argv[1] === new URL(import.meta.url).pathname)
  console.log(JSON.stringify(await enginesBench(process.argv.slice(2)), null, 2));
