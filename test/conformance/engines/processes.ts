import { access, readdir, readFile, readlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Place } from "../../support/server.ts";

/** What vendors' programs are called; some packages name theirs `.exe` everywhere. */
const VENDORS: ReadonlySet<string> = new Set(["claude", "codex", "opencode"]);

export interface OwnedProcess {
  readonly pid: number;
  /** The session that it was started for. */
  readonly session: string;
  /** The vendor's own program, not something that it runs. */
  readonly isVendor: boolean;
}

/** Living processes that sessions of this home have started. */
export async function processesOf(place: Place): Promise<readonly OwnedProcess[]> {
  const marker = (await readFile(join(place.home, "instance"), "utf8")).trim();
  const found: OwnedProcess[] = [];
  for (const pid of await allProcesses()) {
    const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
    // Behind walls nothing is marked, but a vendor's program is told where in this home its records are.
    const records = environment.includes(place.home) ? /\/engines\/(ses_\w+)/.exec(environment)?.[1] : undefined;
    const entries = environment.split("\0");
    if (records === undefined && !entries.includes(`SALLYPORT_INSTANCE=${marker}`)) continue;
    const session = entries.find((entry) => entry.startsWith("SALLYPORT_SESSION="))?.slice(18) ?? records ?? "";
    const [program = "", launcher = "", verb] = await commandLine(pid);
    const isLaunched = basename(launcher) === "inside.js" && verb === "launch";
    found.push({ pid, session, isVendor: VENDORS.has(basename(program, ".exe")) || isLaunched });
  }
  return found;
}

async function allProcesses(): Promise<readonly number[]> {
  return (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
}

async function commandLine(pid: number): Promise<readonly string[]> {
  return (await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "")).split("\0");
}

/** A sandbox and a vendor's program may have to start first. */
const START_MS = 30_000;

/** The process that sleeps for exactly so long, once it does. */
export async function begunSleep(time: string): Promise<number> {
  const pid = await until(() => sleeping(time), START_MS);
  if (pid === undefined) throw new Error("the command never ran");
  return pid;
}

/** The process that sleeps for exactly so long, by its number outside of any sandbox. */
export async function sleeping(time: string): Promise<number | undefined> {
  for (const pid of await allProcesses()) {
    const [program = "", word] = await commandLine(pid);
    if (basename(program) === "sleep" && word === time) return pid;
  }
  return undefined;
}

let sleeps = 0;

/** A time that nothing else on this machine sleeps for. */
export function ownSleep(): string {
  sleeps += 1;
  return `6${process.pid}.${sleeps}`;
}

/** The first processes of sandboxes: of the one that a process is in, or of all that show a file. */
export async function firstProcesses(of: { readonly pid: number } | { readonly file: string }): Promise<number[]> {
  const space = "pid" in of ? await readlink(`/proc/${of.pid}/ns/pid`) : undefined;
  const found: number[] = [];
  for (const pid of await allProcesses()) {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    const numbers = /^NSpid:\s+(.*)$/m.exec(status)?.[1]?.split(/\s+/) ?? [];
    if (numbers.length < 2 || numbers.at(-1) !== "1") continue;
    const isMeant =
      "file" in of
        ? await access(`/proc/${pid}/root${of.file}`).then(
            () => true,
            () => false,
          )
        : (await readlink(`/proc/${pid}/ns/pid`).catch(() => "")) === space;
    if (isMeant) found.push(pid);
  }
  return found;
}

const WAIT_MS = 10_000;

/** Waits for something of the outside world, which tells nobody: the answer, or undefined when it never came. */
export async function until<Found>(
  look: () => Promise<Found | undefined>,
  waitMs = WAIT_MS,
): Promise<Found | undefined> {
  const end = performance.now() + waitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined || performance.now() > end) return found;
    await pause(10);
  }
}
