// (f) Turns and new sessions with each engine, against the same SDK and the same program driven bare. All are open at once
// and take turns, so that a slow moment of the machine hits all of them. Needs @anthropic-ai/claude-agent-sdk.
//
//   npm run build && node bench/engines.mjs [--quick]
import { createRequire } from "node:module";
import { rmSync } from "node:fs";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { BENCH_TOKEN, median, percentile } from "./children.mjs";
import { Caller } from "./engines/client.mjs";
import { endVendors, memoryMib, untilWarm, vendorProcesses } from "./engines/machine.mjs";
import { startOurs } from "./proxy/processes.mjs";

const WHOLE = { warm: 30, paced: 6, cliWarm: 10, fresh: 10, cold: 5, sessions: 20 };
const QUICK = { warm: 8, paced: 2, cliWarm: 3, fresh: 3, cold: 2, sessions: 6 };
/** The first turns of a conversation load code; they do not count. */
const WARM_UP = 3;
/** Sessions that start at the same time. */
const STARTING = 4;
const WARM_MS = 20_000;
/** More than any run takes; then everything is ended. */
const DEADLINE_MS = 600_000;
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
  const world = await openWorld();
  try {
    const turns = await measureTurns(world, plan);
    const fresh = await measureNew(world, plan);
    const crowd = await measureCrowd(world, plan);
    return rounded({ rounds: plan, turns, new_sessions: fresh, at_once: crowd, goals: goals(turns, fresh) });
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
  const perPrompt = { "claude-cli": ours["claude-cli"].turn, "bare cli": bareTurn(ask, "cliTurn", "cli") };
  for (let turn = 0; turn < WARM_UP; turn += 1)
    for (const run of Object.values(inProcess)) await run(turn % 2 === 0 ? SAY : read);
  await perPrompt["claude-cli"](SAY);
  const figures = {};
  for (const [name, subjects, text, count] of [
    ["text", inProcess, SAY, plan.warm],
    ["one_tool", inProcess, read, plan.warm],
    ["paced", inProcess, PACED, plan.paced],
    ["cli_text", perPrompt, SAY, plan.cliWarm],
    ["cli_one_tool", perPrompt, read, plan.cliWarm],
  ])
    figures[name] = await interleaved(name, subjects, count, (run) => run(text));
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
  const fresh = (engine) => async () => {
    await untilWarm({ home, engine, known: caller.known, patienceMs: WARM_MS });
    return caller.begin({ engine }, SAY);
  };
  let shapes = 100;
  const cold = (engine) => () => {
    shapes += 1;
    return caller.begin({ engine, max_turns: shapes }, SAY);
  };
  const bare = {
    "bare sdk": () => ask({ do: "cold", text: SAY }),
    "bare cli": () => ask({ do: "cliCold", text: SAY }),
  };
  const begin = (run) => run();
  for (const engine of ENGINES) await caller.begin({ engine }, SAY);
  return {
    ready: await interleaved(
      "new session",
      {
        ...bare,
        loop: () => caller.begin({ engine: "loop" }, SAY),
        "claude-sdk": fresh("claude-sdk"),
        "claude-cli": fresh("claude-cli"),
      },
      plan.fresh,
      begin,
    ),
    cold: await interleaved(
      "cold session",
      { ...bare, "claude-sdk": cold("claude-sdk"), "claude-cli": cold("claude-cli") },
      plan.cold,
      begin,
    ),
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

/** The median of the ratios within each round, and the ratio of the medians. */
function against(own, control, part) {
  const ratios = own.map((time, index) => time[part] / control[index][part]);
  const middle = (times) => median(times.map((time) => time[part]));
  return { by_round: median(ratios), of_medians: middle(own) / middle(control) };
}

function spread(values) {
  return { p50: median(values), p90: percentile(values, 0.9), least: Math.min(...values) };
}

function goals(turns, fresh) {
  const ratio = (figures, engine, control, part) => figures[engine][`of_${control}`][part].by_round;
  const sdk = (figures, part) => ratio(figures, "claude-sdk", "bare_sdk", part);
  const cli = (figures, part) => ratio(figures, "claude-cli", "bare_cli", part);
  return {
    "warm turn, at most 1.10": {
      "claude-sdk text": sdk(turns.text, "whole"),
      "claude-sdk one tool": sdk(turns.one_tool, "whole"),
      "claude-sdk paced": sdk(turns.paced, "whole"),
      "claude-cli text": cli(turns.cli_text, "whole"),
      "claude-cli one tool": cli(turns.cli_one_tool, "whole"),
    },
    "first token of a new session with a process ready, at most 0.30 of a bare cold start": {
      "claude-sdk": sdk(fresh.ready, "first"),
      "claude-cli": cli(fresh.ready, "first"),
    },
  };
}

function rounded(value) {
  if (typeof value === "number") return Number(value.toPrecision(4));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, rounded(part)]));
}

if (process.argv[1] === new URL(import.meta.url).pathname)
  console.log(JSON.stringify(await enginesBench(process.argv.slice(2)), null, 2));
