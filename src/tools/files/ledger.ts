import { createHash } from "node:crypto";
import { LIMITS } from "../../protocol/index.ts";

/** What the model has seen of each file, so that editing a file that changed meanwhile is refused. */
export interface FileLedger {
  /** Remembers the content as the model saw it. */
  saw(path: string, content: Buffer): void;
  /** `unseen`: never read in this session. `changed`: not what was read. */
  check(path: string, current: Buffer): "same" | "unseen" | "changed";
  /** Runs `work` after all earlier work on the same path: none of ours comes between its read and its write. */
  exclusive<Result>(path: string, work: () => Promise<Result>): Promise<Result>;
  forget(): void;
}

/** Paths are real paths: two names of one file are one entry. */
export function openFileLedger(): FileLedger {
  const seen = new Map<string, string>();
  const turns = new Map<string, Promise<unknown>>();
  return {
    saw(path, content) {
      seen.delete(path);
      seen.set(path, hash(content));
      if (seen.size <= LIMITS.filesSeenPerSession) return;
      const oldest = seen.keys().next();
      if (oldest.done !== true) seen.delete(oldest.value);
    },
    check(path, current) {
      const known = seen.get(path);
      if (known === undefined) return "unseen";
      return known === hash(current) ? "same" : "changed";
    },
    async exclusive(path, work) {
      const before = turns.get(path) ?? Promise.resolve();
      const result = before.then(work, work);
      // The queue continues whatever the result of one of its members.
      const turn = result.then(
        () => undefined,
        () => undefined,
      );
      turns.set(path, turn);
      try {
        return await result;
      } finally {
        if (turns.get(path) === turn) turns.delete(path);
      }
    },
    forget() {
      seen.clear();
    },
  };
}

function hash(content: Buffer): string {
  return createHash("sha256").update(content).digest("base64");
}
