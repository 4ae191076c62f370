// (e) The model proxy with metering on, against no relay at all, the barest relay that Node allows, nginx, and two public
// gateways. All are open at once and take turns, so that a slow moment of the machine hits all of them.
//
//   npm run build && node bench/proxy.mjs [--quick] [--gateways] [--only=undici,sallyport] [--profile]
//
// --gateways installs the two gateways from npm into a temporary folder; --profile writes a CPU profile of ours.
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./children.mjs";
import { cpuMs, peakMib, startOurs } from "./proxy/processes.mjs";
import { GUESTS, installGateways, RELAYS, Skipped } from "./proxy/relays.mjs";
import { CONNECTIONS } from "./proxy/traffic.mjs";
import { sized } from "./size.mjs";

const WHOLE = { throughputRounds: 5, pacedRounds: 3, warmMs: 300, ms: 1_200, firstMs: 3_000 };
const QUICK = { throughputRounds: 1, pacedRounds: 1, warmMs: 0, ms: 30, firstMs: 1 };
/** What a relay still does for requests that have been answered counts as theirs. */
const SETTLE_MS = sized(150, 1);
/** More than any run takes; then everything is ended. */
const DEADLINE_MS = 900_000;

export async function proxyBench(flags = []) {
  const plan = flags.includes("--quick") ? QUICK : WHOLE;
  const only = flags
    .find((flag) => flag.startsWith("--only="))
    ?.slice("--only=".length)
    .split(",");
  const names = Object.keys(RELAYS).filter((name) => only === undefined || name === "direct" || only.includes(name));
  const deadline = setTimeout(() => {
    console.error("The benchmark did not end in time.");
    process.exit(1);
  }, DEADLINE_MS);
  const folder = await mkdtemp(join(tmpdir(), "sallyport-bench-"));
  // Also when it is interrupted; the processes that use it are ended before.
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", removeFolder);
  const open = [];
  try {
    const upstream = await startOurs(new URL("./proxy/upstream.mjs", import.meta.url));
    open.push(upstream);
    const load = await startOurs(new URL("./proxy/load.mjs", import.meta.url));
    open.push(load);
    const gateways = flags.includes("--gateways") ? await installGateways(folder) : undefined;
    const options = { upstream: upstream.ready.url, folder, gateways, profile: flags.includes("--profile") };
    const relays = [];
    const skipped = {};
    for (const name of names) {
      const relay = await openRelay(name, options, skipped);
      if (relay === undefined) continue;
      open.push(relay);
      relays.push(relay);
    }
    await warmUp(load, relays, skipped, plan);
    const rounds = await measure(
      load,
      relays.filter(({ name }) => skipped[name] === undefined),
      plan,
    );
    return { connections: CONNECTIONS, rounds: plan, relays: figures(rounds), skipped };
  } finally {
    clearTimeout(deadline);
    for (const child of open.toReversed()) await child.stop();
    process.off("exit", removeFolder);
    removeFolder();
  }
}

/** Nothing when it is a guest that is not there or does not start. */
async function openRelay(name, options, skipped) {
  try {
    return { name, ...(await RELAYS[name](options)) };
  } catch (error) {
    if (!GUESTS.has(name)) throw error;
    skip(skipped, name, error instanceof Skipped ? error.message : `it did not start: ${error.message}`);
    return undefined;
  }
}

/** The first run of each does not count, and shows whether it works at all. */
async function warmUp(load, relays, skipped, plan) {
  for (const relay of relays) {
    const answer = await load.ask({ part: "throughput", subject: subjectOf(relay), warm_ms: 0, ms: plan.firstMs });
    if (answer.failed === 0) continue;
    const reason = `${answer.failed} of ${CONNECTIONS} connections failed: ${answer.why}`;
    if (!GUESTS.has(relay.name)) throw new Error(`${relay.name}: ${reason}`);
    skip(skipped, relay.name, reason);
  }
}

function skip(skipped, name, reason) {
  skipped[name] = reason;
  console.error(`  ${name} is left out: ${reason}`);
}

function subjectOf({ url, headers }) {
  return { url, headers };
}

async function measure(load, relays, plan) {
  const rounds = new Map(relays.map(({ name, pid }) => [name, { pid, throughput: [], paced: [] }]));
  const parts = [
    { part: "throughput", count: plan.throughputRounds, question: { warm_ms: plan.warmMs, ms: plan.ms } },
    { part: "paced", count: plan.pacedRounds, question: {} },
  ];
  for (const { part, count, question } of parts) {
    for (let round = 0; round < count; round += 1) {
      // Another one begins each round.
      const order = relays.map((_, index) => relays[(index + round) % relays.length]);
      for (const relay of order) {
        const before = relay.pid === undefined ? 0 : cpuMs(relay.pid);
        const answer = await load.ask({ part, subject: subjectOf(relay), ...question });
        await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
        const cpu_ms = relay.pid === undefined ? undefined : cpuMs(relay.pid) - before;
        rounds.get(relay.name)[part].push({ ...answer, cpu_ms });
        console.error(`  ${part} ${round + 1}/${count} ${relay.name}: ${progress(answer)}`);
      }
    }
  }
  for (const each of rounds.values()) each.peak_mib = each.pid === undefined ? undefined : peakMib(each.pid);
  return rounds;
}

function progress(answer) {
  if (answer.failed > 0) return `${answer.failed} failed: ${answer.why}`;
  if (answer.per_second !== undefined) return `${Math.round(answer.per_second)} requests a second`;
  const { p50, p99 } = answer.event_ms;
  // A quick run on a busy machine may be over before anything came.
  return p50 === null ? "nothing came" : `event p50 ${p50.toFixed(2)} p99 ${p99.toFixed(2)} ms`;
}

/** Ratios and differences are taken within each round, then the median of them. */
function figures(rounds) {
  const direct = rounds.get("direct");
  const bare = rounds.get("undici");
  const against = (own, other, part, value) =>
    other === undefined ? undefined : median(own[part].map((round, index) => value(round, other[part][index])));
  const all = {};
  for (const [name, own] of rounds) {
    const rates = own.throughput.map(({ per_second }) => per_second);
    const best = Math.max(...rates);
    const of = (read) => median(own.paced.map(read));
    const lowest = (read) => Math.min(...own.paced.map(read));
    const added = (read) => against(own, direct, "paced", (round, other) => read(round) - read(other));
    all[name] = rounded({
      requests_a_second: {
        median: median(rates),
        best,
        of_direct: against(own, direct, "throughput", (round, other) => round.per_second / other.per_second),
        of_undici: against(own, bare, "throughput", (round, other) => round.per_second / other.per_second),
        best_of_undici: bare && best / Math.max(...bare.throughput.map(({ per_second }) => per_second)),
      },
      cpu_us_per_request: own.pid && {
        median: median(own.throughput.map(({ cpu_ms, requests }) => (cpu_ms * 1e3) / requests)),
        least: Math.min(...own.throughput.map(({ cpu_ms, requests }) => (cpu_ms * 1e3) / requests)),
        of_undici: against(
          own,
          bare,
          "throughput",
          (round, other) => round.cpu_ms / round.requests / (other.cpu_ms / other.requests),
        ),
      },
      cpu_us_per_paced_event: own.pid && of(({ cpu_ms, events }) => (cpu_ms * 1e3) / events),
      event_ms: {
        p50: of(({ event_ms }) => event_ms.p50),
        p50_least: lowest(({ event_ms }) => event_ms.p50),
        p99: of(({ event_ms }) => event_ms.p99),
        added_p50: added(({ event_ms }) => event_ms.p50),
        added_p99: added(({ event_ms }) => event_ms.p99),
      },
      first_byte_ms: {
        p50: of(({ first_byte_ms }) => first_byte_ms.p50),
        p50_least: lowest(({ first_byte_ms }) => first_byte_ms.p50),
        p99: of(({ first_byte_ms }) => first_byte_ms.p99),
        added_p50: added(({ first_byte_ms }) => first_byte_ms.p50),
        added_p99: added(({ first_byte_ms }) => first_byte_ms.p99),
      },
      peak_mib: own.peak_mib,
      failed: [...own.throughput, ...own.paced].reduce((sum, { failed }) => sum + failed, 0),
    });
  }
  return all;
}

function rounded(value) {
  if (typeof value === "number") return Number(value.toPrecision(4));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, rounded(part)]));
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  console.log(JSON.stringify(await proxyBench(process.argv.slice(2)), null, 2));
}
