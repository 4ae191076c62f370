import { Worker } from "node:worker_threads";
import { Failure, LIMITS, type SqlClass } from "../../protocol/index.ts";

export type Verdict =
  | { readonly kind: "class"; readonly verdict: SqlClass }
  | { readonly kind: "empty" }
  /** `position` counts characters from 0, PostgreSQL itself from 1; below 0: not known. */
  | { readonly kind: "syntax"; readonly message: string; readonly position: number }
  /** The parser fell over it, and is not to be used again. */
  | { readonly kind: "broken" };

export interface ParserOptions {
  readonly after: (ms: number, callback: () => void) => () => void;
}

interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, (verdict: Verdict) => void>;
}

/** PostgreSQL's parser. Begun at the first question, replaced when a statement broke it. */
export class Parser {
  readonly #options: ParserOptions;
  #thread: Thread | undefined;
  #lastId = 0;

  constructor(options: ParserOptions) {
    this.#options = options;
  }

  /** A Failure where it is no SQL. */
  async classify(sql: string): Promise<SqlClass> {
    const verdict = await this.#ask(sql);
    switch (verdict.kind) {
      case "class":
        return verdict.verdict;
      case "empty":
        throw new Failure("invalid_request", "there is no statement in it");
      case "syntax":
        throw new Failure("invalid_request", verdict.message, {
          sqlstate: "42601",
          ...(verdict.position < 0 ? {} : { position: verdict.position + 1 }),
        });
      case "broken":
        throw new Failure(
          "invalid_request",
          "the statement nests too deep, or takes too long to parse; make it simpler",
        );
    }
  }

  async close(): Promise<void> {
    await this.#drop(this.#thread);
  }

  #ask(sql: string): Promise<Verdict> {
    this.#thread ??= this.#begin();
    const thread = this.#thread;
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const stop = this.#options.after(LIMITS.connectionParseMs, () => void this.#drop(thread));
      thread.waiting.set(id, (verdict) => {
        stop();
        thread.waiting.delete(id);
        if (thread.waiting.size === 0) thread.worker.unref();
        if (verdict.kind === "broken") void this.#drop(thread);
        resolve(verdict);
      });
      const port = thread.worker;
      port.ref();
      port.postMessage({ id, sql });
    });
  }

  #begin(): Thread {
    const worker = new Worker(new URL("./parser-thread.js", import.meta.url), {
      name: "postgres parser",
      env: {},
      resourceLimits: { stackSizeMb: 8 },
    });
    const thread: Thread = { worker, waiting: new Map() };
    worker.on("message", ({ id, verdict }: { readonly id: number; readonly verdict: Verdict }) => {
      thread.waiting.get(id)?.(verdict);
    });
    const gone = (): void => {
      if (this.#thread === thread) this.#thread = undefined;
      for (const answer of thread.waiting.values()) answer({ kind: "broken" });
    };
    worker.on("error", gone).on("exit", gone);
    return thread;
  }

  async #drop(thread: Thread | undefined): Promise<void> {
    if (thread === undefined) return;
    if (this.#thread === thread) this.#thread = undefined;
    await thread.worker.terminate();
  }
}
