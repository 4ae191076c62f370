import { readdirSync, readFileSync } from "node:fs";
import { LIMITS } from "../protocol/limits.ts";

const KIB = 1_024;
/** The most processes examined in one tree. */
const TREE_PROCESSES = 1_000;

/**
 * Private memory of a process and all its descendants; file pages, which the system can drop, do not count. 0 if the
 * system does not tell.
 */
function treeBytes(pid: number): number {
  let sum = 0;
  const open = [pid];
  for (let seen = 0; seen < TREE_PROCESSES; seen += 1) {
    const next = open.pop();
    if (next === undefined) break;
    sum += ownBytes(next);
    open.push(...childrenOf(next));
  }
  return sum;
}

function ownBytes(pid: number): number {
  const status = read(`/proc/${pid}/status`);
  const anonymous = /^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? "0";
  const shared = /^RssShmem:\s+(\d+) kB/m.exec(status)?.[1] ?? "0";
  return (Number(anonymous) + Number(shared)) * KIB;
}

function childrenOf(pid: number): readonly number[] {
  const tasks = list(`/proc/${pid}/task`);
  return tasks.flatMap((task) =>
    read(`/proc/${pid}/task/${task}/children`)
      .split(" ")
      .filter((word) => word !== "")
      .map(Number),
  );
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

function list(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Calls back once when a process tree uses more than this many bytes. The returned function stops the watch. */
export function watchMemory(options: {
  readonly pid: number;
  readonly bytes: number;
  /** Bytes that count and belong to no process; absent: none. */
  readonly others?: () => number;
  readonly onExceeded: () => void;
}): () => void {
  const timer = setInterval(() => {
    if (treeBytes(options.pid) + (options.others?.() ?? 0) <= options.bytes) return;
    clearInterval(timer);
    options.onExceeded();
  }, LIMITS.engineMemoryCheckMs);
  timer.unref();
  return () => clearInterval(timer);
}
