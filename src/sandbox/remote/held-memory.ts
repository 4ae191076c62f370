import { readFileSync, statfsSync } from "node:fs";

/** The columns of /proc/sysvipc/shm. */
const RESIDENT = 14;

/** Memory inside that belongs to no process: files in folders that live in memory, and System V shared memory. */
export function heldBytes(): number {
  return fileBytes() + sharedBytes();
}

function fileBytes(): number {
  let sum = 0;
  for (const line of read("/proc/self/mounts").split("\n")) {
    const [, path = "", type, options = ""] = line.split(" ");
    if (type !== "tmpfs" || options.startsWith("ro")) continue;
    try {
      const { blocks, bfree, bsize } = statfsSync(path);
      sum += (blocks - bfree) * bsize;
    } catch {
      // It is not for this user.
    }
  }
  return sum;
}

function sharedBytes(): number {
  const [, ...segments] = read("/proc/sysvipc/shm").trim().split("\n");
  return segments.reduce((sum, line) => sum + Number(line.trim().split(/\s+/)[RESIDENT] ?? 0), 0);
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
