// (m) Turns and new sessions with Codex, OpenCode and an agent of the Agent Client Protocol (Qwen Code), against the same programs driven
// bare. Ours and bare take turns, so that a slow moment of the machine hits both. Needs the programs that `npm test` brings
// (`node scripts/programs.mjs`); one that is missing is left out.
//
//   npm run build && node bench/agents.mjs [--quick] [--only=codex,opencode,acp:qwen]
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findProgram } from "../dist/engines/vendor/programs.js";
import { programsFolder } from "../scripts/programs.mjs";
import { BARE } from "./agents/bare.mjs";
import { BENCH_TOKEN, median } from "./children.mjs";
import { Caller } from "./engines/client.mjs";
import { memoryMib } from "./engines/machine.mjs";
import { cpuMs, startOurs } from "./proxy/processes.mjs";
import { isQuick, sized } from "./size.mjs";

const ROUNDS = sized({ warm: 20, fresh: 5 }, { warm: 1, fresh: 1 });
/** The first turns of a conversation load code; they do not count. */
const WARM_UP = sized(3, 0);
const READY_MS = 60_000;
const QUIET_ROUNDS = 3;
const LOOK_MS = 200;
/** Of processor time between two looks. */
const IDLE_MS = 30;
const MODEL = "sim";
/** A start of OpenCode takes longer than all of a quick run. */
const QUICK = ["codex", "acp:qwen"];
/** How each of them asks its models, on both sides. */
const PROVIDERS = { codex: "bench-responses", opencode: "bench-chat", "acp:qwen": "bench-chat" };

const script = (...steps) => `Do as told.\nsim: ${JSON.stringify(steps)}`;
const SAY = script({ say: "It is done, as you asked." });
/** As a fast model answers. */
const PACED = script({ delay_ms: 200 }, { stream: { tokens: 60, per_second: 200 } });

export async function agentsBench(flags = []) {
  const only = flags
    .find((flag) => flag.startsWith("--only="))
    ?.slice("--only=".length)
    .split(",");
  const named = only ?? (isQuick ? QUICK : Object.keys(BARE));
  const engines = named.filter((engine) => programOf(engine) !== undefined);
  if (engines.length === 0) return { skipped: "none of the programs is here: node scripts/programs.mjs" };
  const load = [loadavg()[0]];
  const world = await openWorld();
  try {
    const results = {};
    for (const engine of engines) results[engine] = await measure(world, engine);
    load.push(loadavg()[0]);
    const missing = named.filter((engine) => !engines.includes(engine));
    return rounded({ rounds: ROUNDS, load_average: load, missing, ...results, goals: goals(results) });
  } finally {
    await world.close();
  }
}

function programOf(engine) {
  const [found] = findProgram(engine.replace(/^acp:/, ""), { installed: programsFolder });
  // OpenCode's package has its program in another one for each platform.
  if (engine !== "opencode" || found === undefined) return found;
  const [packages] = found.split(/[/\\]opencode-ai[/\\]/);
  return join(packages, `opencode-${process.platform}-${process.arch}`, "bin", "opencode");
}

async function openWorld() {
  const root = await mkdtemp(join(tmpdir(), "sallyport-bench-"));
  const [home, workspace] = ["home", "workspace"].map((name) => join(root, name));
  for (const folder of [home, workspace]) await mkdir(folder, { mode: 0o700 });
  const open = [];
  const close = async () => {
    for (const child of open.toReversed()) await child.stop();
    for (const pid of processesIn(home)) end(pid);
    rmSync(root, { recursive: true, force: true });
  };
  try {
    const sim = await startOurs(new URL("./engines/model.mjs", import.meta.url));
    open.push(sim);
    const provider = (openai_api) => ({
      base_url: sim.ready.url,
      wire: "openai",
      openai_api,
      auth: "none",
      default_model: MODEL,
      free: true,
    });
    const settings = {
      programs_folder: programsFolder,
      provider: "bench-chat",
      providers: { "bench-chat": provider("chat"), "bench-responses": provider("responses") },
    };
    await writeFile(join(home, "sallyport.yaml"), JSON.stringify(settings), { mode: 0o600 });
    const words = [home, workspace, sim.ready.url, BENCH_TOKEN, ""];
    const server = await startOurs(new URL("./engines/ours.mjs", import.meta.url), words);
    open.push(server);
    const caller = new Caller(server.ready.url, BENCH_TOKEN);
    return { root, home, workspace, caller, modelUrl: sim.ready.url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function measure(world, engine) {
  const { root, workspace, caller, modelUrl } = world;
  const settings = { engine, provider: PROVIDERS[engine], model: MODEL };
  let opened = 0;
  const openBare = () => {
    opened += 1;
    const folder = join(root, `bare-${engine.replace(":", "-")}-${opened}`);
    return BARE[engine]({ program: programOf(engine), folder, workspace, modelUrl, model: MODEL });
  };
  const ours = await caller.open(settings);
  const bare = await openBare();
  const sides = { ours: ours.turn, bare: bare.turn };
  for (let round = 0; round < Math.max(WARM_UP, 1); round += 1)
    for (const turn of Object.values(sides)) await turn(SAY);
  await untilQuiet(world);
  const warm = { paced: await interleaved(sides, PACED), no_model: await interleaved(sides, SAY) };
  const memory = { ours_mib: memoryOf(processesIn(world.home, ours.id)), bare_mib: memoryOf(treeOf(bare.pid)) };
  await ours.close();
  await bare.close();
  const fresh = [];
  for (let round = 0; round < ROUNDS.fresh; round += 1) {
    await untilQuiet(world);
    const ready = await caller.begin(settings, SAY);
    await untilQuiet(world);
    const begun = performance.now();
    const cold = await openBare();
    const started = performance.now() - begun;
    const { first_ms } = await cold.turn(SAY);
    await cold.close();
    fresh.push({ ours: ready.first_ms, bare: started + first_ms });
  }
  return { warm, fresh: compared(fresh), memory };
}

async function interleaved(sides, text) {
  const first = [];
  const whole = [];
  for (let round = 0; round < ROUNDS.warm; round += 1) {
    const times = {};
    const order = round % 2 === 0 ? ["ours", "bare"] : ["bare", "ours"];
    for (const side of order) times[side] = await sides[side](text);
    first.push({ ours: times.ours.first_ms, bare: times.bare.first_ms });
    whole.push({ ours: times.ours.whole_ms, bare: times.bare.whole_ms });
  }
  return { first: compared(first), whole: compared(whole) };
}

/** Medians, and the median of the ratios within each round. */
function compared(rounds) {
  return {
    ours_ms: median(rounds.map(({ ours }) => ours)),
    bare_ms: median(rounds.map(({ bare }) => bare)),
    of_bare: median(rounds.map(({ ours, bare }) => ours / bare)),
  };
}

function goals(results) {
  const of = (part) => Object.fromEntries(Object.entries(results).map(([engine, figures]) => [engine, part(figures)]));
  return {
    "warm turn, paced model, at most 1.10": of(({ warm }) => warm.paced.whole.of_bare),
    "first token of a new session with a process ready, at most 0.50 of a bare cold start": of(
      ({ fresh }) => fresh.of_bare,
    ),
  };
}

function read(path) {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

function numbers() {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
}

/** Processes that were told of a session's folder in a home; absent: of any session. */
function processesIn(home, session = "ses_") {
  return numbers()
    .filter((pid) => read(`/proc/${pid}/environ`).includes(`${home}/engines/${session}`))
    .map(Number);
}

/** A process and all that came of it. */
function treeOf(root) {
  const found = new Set([root]);
  const parents = numbers().map((pid) => [Number(pid), Number(/\) \S (\d+)/.exec(read(`/proc/${pid}/stat`))?.[1])]);
  for (let size = 0; size !== found.size;) {
    size = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

/** Shares of pages that others have too are divided among them. */
function memoryOf(pids) {
  const shares = pids.map((pid) => memoryMib(pid).pss).filter((share) => !Number.isNaN(share));
  return shares.reduce((sum, share) => sum + share, 0);
}

/** Waits until a process is ready for the next session and nothing of a home works. An idle program does a little now and then. */
async function untilQuiet({ home, caller }) {
  let [quiet, before] = [0, Number.POSITIVE_INFINITY];
  for (const begun = performance.now(); performance.now() - begun < READY_MS && quiet < QUIET_ROUNDS;) {
    await pause(LOOK_MS);
    const pids = processesIn(home);
    const hasNext = pids.some((pid) => {
      const session = /\/engines\/(ses_\w+)/.exec(read(`/proc/${pid}/environ`))?.[1];
      return session !== undefined && !caller.known.has(session);
    });
    const busy = pids.reduce((sum, pid) => sum + busyOf(pid), 0);
    quiet = hasNext && Math.abs(busy - before) <= IDLE_MS ? quiet + 1 : 0;
    before = busy;
  }
}

function busyOf(pid) {
  try {
    return cpuMs(pid);
  } catch {
    return 0;
  }
}

function end(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}

function rounded(value) {
  if (typeof value === "number") return Number(value.toPrecision(4));
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(rounded);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, rounded(part)]));
}

if (process.argv[1] === new URL(import.meta.url).pathname)
  console.log(JSON.stringify(await agentsBench(process.argv.slice(2)), null, 2));
