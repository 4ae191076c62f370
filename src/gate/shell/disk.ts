import { LIMITS } from "../../protocol/index.ts";
import type { Disk, FoundPath } from "./paths.ts";

/**
 * Judges with lookups on the disk: the judgement is repeated until it needs no path that was not looked up. Paths past the bound
 * count as outside of everything.
 */
export async function withDisk<Result>(
  look: (path: string) => Promise<FoundPath>,
  judge: (disk: Disk) => Result,
): Promise<Result> {
  const known = new Map<string, FoundPath>();
  for (;;) {
    const asked = new Set<string>();
    const result = judge((path) => {
      const found = known.get(path);
      if (found !== undefined) return found;
      if (known.size + asked.size >= LIMITS.commandPaths) return { real: "/", exists: true };
      asked.add(path);
      return undefined;
    });
    if (asked.size === 0) return result;
    for (const path of asked) known.set(path, await look(path));
  }
}
