import { readFileSync } from "node:fs";

/** Whether two threads belong to one process. False if either is gone or not visible. */
export function isSameProcess(left: number, right: number): boolean {
  if (left === right) return left !== 0;
  const process = processOf(left);
  return process !== undefined && process === processOf(right);
}

/** The process of a thread. Undefined: it is gone or not visible. */
export function processOf(thread: number): string | undefined {
  if (thread === 0) return undefined;
  try {
    return /^Tgid:\s*(\d+)$/m.exec(readFileSync(`/proc/${thread}/status`, "utf8"))?.[1];
  } catch {
    return undefined;
  }
}
