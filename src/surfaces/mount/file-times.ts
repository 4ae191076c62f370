import { createHash } from "node:crypto";
import type { Caller } from "../../sessions/index.ts";
import { CallerMemory } from "./context.ts";

interface SeenContent {
  readonly digest: string;
  readonly modified: string;
}

/**
 * When a file last changed. Programs such as rsync copy a file again only if its size or time differs. So new content must have a new
 * time, even if its real time is unknown.
 */
export class FileTimes {
  readonly #seen = new CallerMemory<SeenContent>();
  readonly #now: () => number;

  /** `now`: milliseconds since the epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** `known`: when the session changed; absent: no session's file. */
  modified(
    caller: Caller,
    path: string,
    { bytes, known }: { readonly bytes: Uint8Array; readonly known: string | undefined },
  ): string {
    const digest = createHash("sha256").update(bytes).digest("base64");
    const before = this.#seen.get(caller, path);
    if (before?.digest === digest) return before.modified;
    const now = new Date(this.#now()).toISOString();
    const modified = before === undefined ? (known ?? now) : now;
    this.#seen.put(caller, path, { digest, modified });
    return modified;
  }
}
