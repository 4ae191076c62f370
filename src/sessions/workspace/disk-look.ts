import { lstat, type Stats } from "node:fs";
import { LIMITS } from "../../protocol/index.ts";

/**
 * What of a file counts: `all` of what its contents depend on, `owner` who may write it, or that it `exists`. The first differs with each
 * change in a folder, too.
 */
export type LookedAt = "all" | "owner" | "exists";

interface SeenFile {
  readonly path: string;
  readonly what: LookedAt;
  readonly identity: string;
}

/** Files that were looked at, and what they were then: while they are the same, nothing has to be read again. */
export class DiskLook {
  readonly #now: () => number;
  readonly #seen = new Map<string, SeenFile>();
  /** Something changed so shortly before that a second change could look the same, or there is too much to keep. */
  #isUnsure = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** What is at an absolute path; links are not followed. Undefined: nothing that can be seen. */
  async at(path: string, what: LookedAt): Promise<Stats | undefined> {
    const found = await statsOf(path);
    const key = `${what} ${path}`;
    const identity = identityOf(found, what);
    const before = this.#seen.get(key)?.identity ?? identity;
    if (this.#seen.size >= LIMITS.instructionLooks || before !== identity) this.#isUnsure = true;
    else this.#seen.set(key, { path, what, identity });
    const changed = found === undefined || what !== "all" ? 0 : Math.max(found.mtimeMs, found.ctimeMs);
    if (changed > this.#now() - LIMITS.instructionSettledMs) this.#isUnsure = true;
    return found;
  }

  /** Whether all is as it was. Everything is looked at together. */
  async isSame(): Promise<boolean> {
    if (this.#isUnsure) return false;
    const same = await Promise.all(
      [...this.#seen.values()].map(
        async ({ path, what, identity }) => identityOf(await statsOf(path), what) === identity,
      ),
    );
    return same.every(Boolean);
  }
}

/** By callback: a file that is missing is the usual case, and costs half of what a promise's error does. */
function statsOf(path: string): Promise<Stats | undefined> {
  return new Promise((resolve) => {
    lstat(path, (error, found) => resolve(error === null ? found : undefined));
  });
}

function identityOf(found: Stats | undefined, what: LookedAt): string {
  if (found === undefined) return "";
  const { dev, ino, size, mtimeMs, ctimeMs, uid, mode } = found;
  switch (what) {
    case "all":
      return `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}`;
    case "owner":
      return `${uid} ${mode}`;
    case "exists":
      return `${dev} ${ino}`;
  }
}
