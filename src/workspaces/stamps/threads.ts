import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { LIMITS } from "../../protocol/index.ts";
import type { StampAnswer, StampRequest } from "./messages.ts";

/** What paths were at a moment, by which it can be proven later that none of them changed. */
export interface PathStamps {
  readonly set: number;
  readonly count: number;
  /** Each has a part of them. */
  readonly threads: readonly StampThread[];
}

interface WantedStamps {
  readonly paths: readonly string[];
  /** Folders of which it counts that they did not change just now; later changes of their own do not. */
  readonly witnesses?: readonly string[] | undefined;
  /** Milliseconds since the epoch, by this machine's clock: before anybody looked at what the stamps stand for. */
  readonly since: number;
}

/** Fewer paths are not worth another thread. */
const PATHS_A_THREAD = 2_000;

/** Looks at many paths at once, in threads that are started when they are needed first. */
export class StampThreads {
  readonly #threads: StampThread[] = [];
  #sets = 0;

  /**
   * Undefined: it could not be proven later that nothing changed. One of the paths changed just now, is on a file system that is not
   * known for it, or is missing in a folder that is not among them nor among the witnesses.
   */
  async take({ paths, witnesses = [], since }: WantedStamps): Promise<PathStamps | undefined> {
    if (process.platform !== "linux" || paths.length > LIMITS.stampedPaths) return undefined;
    this.#sets += 1;
    const set = this.#sets;
    const threads = this.#some(paths.length);
    const share = Math.ceil(paths.length / threads.length);
    const stamps = { set, count: paths.length, threads };
    const answers = await Promise.all(
      threads.map((thread, at) =>
        thread.ask({
          kind: "take",
          set,
          paths: ended(paths.slice(at * share, (at + 1) * share)),
          witnesses: ended(at === 0 ? witnesses : []),
          since,
        }),
      ),
    );
    const known = new Set([...paths, ...witnesses]);
    const isProven = answers.every(
      (answer) =>
        answer?.kind === "taken" && answer.isProven && answer.missing.every((path) => known.has(dirname(path))),
    );
    if (isProven) return stamps;
    this.forget(stamps);
    return undefined;
  }

  /** Whether every path is as it was. */
  async isUnchanged({ set, threads }: PathStamps): Promise<boolean> {
    const answers = await Promise.all(threads.map((thread) => thread.ask({ kind: "compare", set })));
    return answers.every((answer) => answer?.kind === "compared" && answer.isSame);
  }

  forget({ set, threads }: PathStamps): void {
    for (const thread of threads) thread.forget(set);
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.splice(0).map((thread) => thread.end()));
  }

  #some(paths: number): readonly StampThread[] {
    const most = Math.min(LIMITS.stampThreads, availableParallelism());
    const count = Math.max(1, Math.min(most, Math.ceil(paths / PATHS_A_THREAD)));
    return Array.from({ length: count }, (_, at) => {
      const thread = this.#threads[at];
      if (thread?.isOver === false) return thread;
      const started = new StampThread();
      this.#threads[at] = started;
      return started;
    });
  }
}

class StampThread {
  readonly #worker: Worker;
  readonly #waiting: ((answer: StampAnswer | undefined) => void)[] = [];
  isOver = false;

  constructor() {
    this.#worker = new Worker(new URL("./thread.js", import.meta.url), { name: "stamps", env: {}, execArgv: [] });
    this.#worker.on("message", (answer: StampAnswer) => this.#settle(answer));
    // What it knew is gone with it: whoever asks looks in full, and the next set starts another one.
    const gone = (): void => {
      this.isOver = true;
      while (this.#waiting.length > 0) this.#settle(undefined);
    };
    this.#worker.on("error", gone).on("exit", gone);
    this.#worker.unref();
  }

  /** Undefined: it has ended. */
  ask(request: StampRequest): Promise<StampAnswer | undefined> {
    if (this.isOver) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#worker.ref();
      this.#worker.postMessage(request, []);
    });
  }

  forget(set: number): void {
    this.#worker.postMessage({ kind: "forget", set } satisfies StampRequest, []);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(answer: StampAnswer | undefined): void {
    this.#waiting.shift()?.(answer);
    if (this.#waiting.length === 0) this.#worker.unref();
  }
}

function ended(paths: readonly string[]): string {
  return paths.map((path) => `${path}\0`).join("");
}
