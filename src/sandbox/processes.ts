import { execFile } from "node:child_process";
import { closeSync, openSync, readSync, readdirSync } from "node:fs";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { LIMITS } from "../protocol/limits.ts";
import { readMark } from "./marks.ts";

/** One living process of this machine. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The kernel's session id; 0 if unknown. */
  readonly session: number;
  /** See `marks.ts`; absent: it has none, or it is unknown. */
  readonly mark: bigint | undefined;
  /** Clock ticks from the system's start to the process's; 0 if unknown. */
  readonly begun: number;
  /** Whether it was started with this variable set to this value. */
  startedWith(name: string, value: string): boolean;
  /** Whether it is still alive: its pid may have been reused. */
  lives(): boolean;
}

const READ_AT_ONCE = 64;
const LIST_ROUNDS = 10;
/** More than the default limit of Linux for a new program. */
const ENVIRONMENT_BYTES = 2_621_440;
const STAT_BYTES = 4_096;
const PS_BYTES = 67_108_864;

/** Every visible process, without zombies. */
export async function listProcesses(): Promise<readonly ProcessEntry[]> {
  return process.platform === "linux" ? listFromProc() : listFromPs();
}

/**
 * Reads synchronously, which is several times cheaper than the thread pool, in short slices. Repeats until nothing is new:
 * otherwise a process that forks and ends would be missed.
 */
async function listFromProc(): Promise<readonly ProcessEntry[]> {
  const buffer = Buffer.allocUnsafe(ENVIRONMENT_BYTES);
  const seen = new Set<string>();
  const entries: ProcessEntry[] = [];
  for (let round = 0; round < LIST_ROUNDS; round += 1) {
    const fresh = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && !seen.has(name));
    if (fresh.length === 0) break;
    for (const [index, pid] of fresh.entries()) {
      if (index % READ_AT_ONCE === READ_AT_ONCE - 1) await nextTurn();
      seen.add(pid);
      const entry = readProcEntry(pid, buffer);
      if (entry !== undefined) entries.push(entry);
    }
  }
  return entries;
}

function readProcEntry(pid: string, buffer: Buffer): ProcessEntry | undefined {
  const stat = readStat(pid, buffer);
  if (stat === undefined || isDead(stat)) return undefined;
  // The environment of another user's process is not readable.
  const delimited = `\0${readProc(`/proc/${pid}/environ`, buffer) ?? ""}\0`;
  return {
    pid: Number(pid),
    parent: stat.parent,
    group: stat.group,
    session: stat.session,
    mark: readMark(readProc(`/proc/${pid}/limits`, buffer)),
    begun: Number(stat.begun ?? 0),
    startedWith: (name, value) => delimited.includes(`\0${name}=${value}\0`),
    lives() {
      const now = readStat(pid, Buffer.allocUnsafe(STAT_BYTES));
      return now !== undefined && now.begun === stat.begun && !isDead(now);
    },
  };
}

interface ProcStat {
  readonly state: string | undefined;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks from the system's start to the process's. */
  readonly begun: string | undefined;
}

/** A zombie: it ended, and its parent has not noticed. */
function isDead(stat: ProcStat): boolean {
  return stat.state === "Z" || stat.state === "X";
}

function readStat(pid: string, buffer: Buffer): ProcStat | undefined {
  const stat = readProc(`/proc/${pid}/stat`, buffer);
  if (stat === undefined) return undefined;
  // The program's name is in parentheses and may contain any character.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session] = fields;
  return { state, parent: Number(parent), group: Number(group), session: Number(session), begun: fields[19] };
}

function readProc(path: string, buffer: Buffer): string | undefined {
  try {
    const descriptor = openSync(path, "r");
    try {
      return buffer.toString("latin1", 0, readSync(descriptor, buffer, 0, buffer.length, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

async function listFromPs(): Promise<readonly ProcessEntry[]> {
  const text = await new Promise<string>((resolve) => {
    const options = { maxBuffer: PS_BYTES, env: {} };
    execFile("/bin/ps", ["-axwwE", "-o", "pid=,ppid=,pgid=,stat=,command="], options, (_error, stdout) =>
      resolve(stdout),
    );
  });
  return text.split("\n").flatMap((line) => parsePsLine(line) ?? []);
}

/** One line of `ps -E`: the environment follows the command's words. */
export function parsePsLine(line: string): ProcessEntry | undefined {
  const found = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
  if (found === null || found[4]?.startsWith("Z") === true) return undefined;
  const words = ` ${found[5] ?? ""} `;
  return {
    pid: Number(found[1]),
    parent: Number(found[2]),
    group: Number(found[3]),
    session: 0,
    mark: undefined,
    begun: 0,
    startedWith: (name, value) => words.includes(` ${name}=${value} `),
    // `ps` is too slow to be asked about each one again.
    lives: () => signal(Number(found[1]), 0),
  };
}

/** The processes that `isSeed` names and everything below them. */
export function withDescendants(
  entries: readonly ProcessEntry[],
  isSeed: (entry: ProcessEntry) => boolean,
): readonly ProcessEntry[] {
  const children = new Map<number, ProcessEntry[]>();
  for (const entry of entries) {
    const siblings = children.get(entry.parent);
    if (siblings === undefined) children.set(entry.parent, [entry]);
    else siblings.push(entry);
  }
  const found = new Set<ProcessEntry>();
  const open = entries.filter(isSeed);
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    if (found.has(entry)) continue;
    found.add(entry);
    open.push(...(children.get(entry.pid) ?? []));
  }
  return [...found];
}

/** True when the signal was delivered. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

export interface EndOptions {
  /** Returns the processes that must end; called again until there are none. */
  readonly find: () => Promise<readonly ProcessEntry[]>;
  /** Process groups to end as a whole first, so that no parent can react to its children's end. */
  readonly groups: () => Iterable<number>;
  readonly graceMs: number;
}

/**
 * SIGTERM once to each, SIGKILL after the grace time. All are listed before the first one ends, because afterwards parents
 * can no longer be determined. The groups are stopped while they are listed. Returns how many there were.
 */
export async function endProcesses({ find, groups, graceMs }: EndOptions): Promise<number> {
  const known = new Map<number, ProcessEntry>();
  let patient = true;
  let grace: NodeJS.Timeout | undefined;
  const polls = Math.ceil(graceMs / LIMITS.killPollMs) + LIMITS.killSweeps;
  const signalGroups = (name: NodeJS.Signals): void => {
    for (const group of groups()) signal(-group, name);
  };
  signalGroups("SIGSTOP");
  for (let poll = 0; poll < polls; poll += 1) {
    const fresh = (await find()).filter((entry) => known.get(entry.pid)?.lives() !== true);
    for (const entry of fresh) known.set(entry.pid, entry);
    const name = patient ? "SIGTERM" : "SIGKILL";
    if (poll === 0 || !patient) signalGroups(name);
    for (const entry of patient ? fresh : known.values()) if (entry.lives()) signal(entry.pid, name);
    // A stopped process receives the signal only when it continues.
    if (poll === 0) signalGroups("SIGCONT");
    for (const entry of fresh) if (entry.lives()) signal(entry.pid, "SIGCONT");
    grace ??= setTimeout(() => {
      patient = false;
      signalGroups("SIGKILL");
    }, graceMs);
    if (![...known.values()].some((entry) => entry.lives()) && fresh.length === 0) break;
    await pause(LIMITS.killPollMs);
  }
  clearTimeout(grace);
  return known.size;
}
