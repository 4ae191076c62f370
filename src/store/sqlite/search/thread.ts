import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { Failure } from "../../../protocol/failure.ts";
import { FULL_TEXT_LIMITS } from "../../../protocol/limits/full-text.ts";
import { loadSqlite } from "../binding.ts";
import { wordsOf } from "../stall.ts";
import { isBroken, removeIndexFile } from "./file.ts";
import type { FromIndex, IndexThreadData, ToIndex } from "./messages.ts";
import { TextIndex } from "./text-index.ts";

// The search index, in a thread of its own: neither the server's event loop nor the store's writer waits for it.

const FAILED = "The search is not available at the moment. Everything else works; the server's log says why.";

async function start(port: MessagePort, { journal, index }: IndexThreadData): Promise<void> {
  const open = await loadSqlite();
  let texts: TextIndex | undefined;
  const opened = (): TextIndex => (texts ??= new TextIndex({ open, journal, index, now: () => performance.now() }));
  const close = (): void => {
    texts?.close();
    texts = undefined;
  };
  /** A broken index is made anew, once: it holds nothing that the journal does not have. */
  const work = <Answer>(task: (from: TextIndex) => Answer): Answer => {
    try {
      return task(opened());
    } catch (error) {
      if (!isBroken(error)) throw error;
      close();
      removeIndexFile(index);
      return task(opened());
    }
  };
  const answer = (message: Exclude<ToIndex, { kind: "close" }>): FromIndex => {
    const { id, kind, changed } = message;
    try {
      return work((from): FromIndex => {
        from.note(changed);
        if (kind === "search") return { kind: "found", id, texts: from.search(message.query) };
        return { kind: "followed", id, isDone: from.follow(FULL_TEXT_LIMITS.searchPassMs) };
      });
    } catch (error) {
      const why = wordsOf(error);
      if (error instanceof Failure) return { kind: "refused", id, code: error.code, message: error.message, why };
      return { kind: "refused", id, code: "store_failed", message: FAILED, why };
    }
  };
  port.on("message", (message: ToIndex) => {
    if (message.kind !== "close") return port.postMessage(answer(message));
    close();
    port.close();
    return undefined;
  });
}

if (parentPort !== null) await start(parentPort, workerData as IndexThreadData);
