// Processes of the bench as /proc shows them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { cpuMs } from "../proxy/processes.mjs";

function read(path) {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** The vendor's processes that sessions of a home started, with the session and the engine of each. */
export function vendorProcesses(home) {
  const marker = read(join(home, "instance")).trim();
  if (marker === "" || !existsSync("/proc/self/environ")) return [];
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const marks = read(`/proc/${name}/environ`).split("\0");
    if (!marks.includes(`SALLYPORT_INSTANCE=${marker}`)) return [];
    const [program = "", ...words] = read(`/proc/${name}/cmdline`).split("\0");
    if (basename(program) !== "claude" || words.includes("--version")) return [];
    const session = marks.find((mark) => mark.startsWith("SALLYPORT_SESSION="))?.split("=")[1];
    return [{ pid: Number(name), session, engine: words.includes("-p") ? "claude-cli" : "claude-sdk" }];
  });
}

/** Ends what is left of them. */
export function endVendors(home) {
  for (const { pid } of vendorProcesses(home)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended by itself.
    }
  }
}

/** MiB: what it has in memory, and its share of it when pages that others have too are divided among them. */
export function memoryMib(pid) {
  const text = read(`/proc/${pid}/smaps_rollup`);
  const of = (field) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(text)?.[1] ?? Number.NaN) / 1_024;
  return { rss: of("Rss"), pss: of("Pss") };
}

const QUIET_ROUNDS = 3;
const LOOK_MS = 100;

/**
 * Resolves when nothing of a home is being started any more: there is a process for each of `wanted`, and none of the vendor's
 * processes does anything.
 */
export async function untilIdle({ home, wanted, patienceMs }) {
  let quiet = 0;
  let before = "";
  for (const begun = performance.now(); performance.now() - begun < patienceMs;) {
    const vendors = vendorProcesses(home);
    const now = wanted.every((isWanted) => vendors.some(isWanted))
      ? vendors.map(({ pid }) => `${pid} ${busyMs(pid)}`).join()
      : "";
    quiet = now !== "" && now === before ? quiet + 1 : 0;
    if (quiet === QUIET_ROUNDS) return;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error("no process was made ready in time");
}

/** Of a process that may be gone by now. */
function busyMs(pid) {
  try {
    return cpuMs(pid);
  } catch {
    return Number.NaN;
  }
}
