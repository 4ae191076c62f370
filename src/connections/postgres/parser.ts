import { Worker } from "node:worker_threads";
import { Failure, LIMITS, type SqlClass } from "../../protocol/index.ts";

export type ParserVerdict =
  | { readonly kind: "class"; readonly verdict: SqlClass }
  | { readonly kind: "empty" }
  /** `position` counts characters from 0, PostgreSQL itself from 1; below 0: unknown. */
  | { readonly kind: "syntax"; readonly message: string; readonly position: number }
  /** The statement broke the parser, which must not be used again. */
  | { readonly kind: "broken" };

export interface ParserOptions {
  readonly after: (ms: number, callback: () => void) => () => void;
}

interface ParserThread {
  readonly worker: Worker;
  /** Receives the verdict, once. Absent: no statement is pending. */
  answer?: ((verdict: ParserVerdict) => void) | undefined;
}

/** PostgreSQL's parser. Started at first use, replaced when a statement broke it. */
export class PostgresParser {
  readonly #options: ParserOptions;
  #thread: ParserThread | undefined;
  /** Resolves when the last statement has been parsed. One at a time: a slow or breaking statement does not affect others. */
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  /** The number of those, by principal. */
  readonly #asked = new Map<string, number>();
  #isClosed = false;

  constructor(options: ParserOptions) {
    this.#options = options;
  }

  /** A Failure when it is not SQL. */
  async classify(sql: string, principal: string): Promise<SqlClass> {
    const verdict = await this.#inTurn(sql, principal);
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
    this.#isClosed = true;
    await this.#drop(this.#thread);
  }

  async #inTurn(sql: string, principal: string): Promise<ParserVerdict> {
    if (this.#waiting >= LIMITS.connectionQueue)
      throw new Failure("queue_full", `${LIMITS.connectionQueue} statements wait to be parsed; try again later`);
    const asked = this.#asked.get(principal) ?? 0;
    if (asked >= LIMITS.connectionPrincipalQueue)
      throw new Failure(
        "queue_full",
        `${LIMITS.connectionPrincipalQueue} of your statements wait to be parsed; wait for their answers, then ask again`,
      );
    this.#waiting += 1;
    this.#asked.set(principal, asked + 1);
    const verdict = this.#turn.then(() => this.#ask(sql));
    this.#turn = verdict;
    return verdict.finally(() => this.#looked(principal));
  }

  #looked(principal: string): void {
    this.#waiting -= 1;
    const left = (this.#asked.get(principal) ?? 0) - 1;
    if (left > 0) this.#asked.set(principal, left);
    else this.#asked.delete(principal);
  }

  #ask(sql: string): Promise<ParserVerdict> {
    if (this.#isClosed) return Promise.resolve({ kind: "broken" });
    this.#thread ??= this.#begin();
    const thread = this.#thread;
    return new Promise((resolve) => {
      const stop = this.#options.after(LIMITS.connectionParseMs, () => void this.#drop(thread));
      thread.answer = (verdict) => {
        stop();
        thread.answer = undefined;
        thread.worker.unref();
        if (verdict.kind === "broken") void this.#drop(thread);
        resolve(verdict);
      };
      thread.worker.ref();
      thread.worker.postMessage(sql, []);
    });
  }

  #begin(): ParserThread {
    const worker = new Worker(new URL("./parser-thread.js", import.meta.url), {
      name: "postgres parser",
      env: {},
      execArgv: [],
      resourceLimits: { stackSizeMb: 8 },
    });
    const thread: ParserThread = { worker };
    worker.on("message", (verdict: ParserVerdict) => thread.answer?.(verdict));
    const gone = (): void => {
      if (this.#thread === thread) this.#thread = undefined;
      thread.answer?.({ kind: "broken" });
    };
    worker.on("error", gone).on("exit", gone);
    return thread;
  }

  async #drop(thread: ParserThread | undefined): Promise<void> {
    if (thread === undefined) return;
    if (this.#thread === thread) this.#thread = undefined;
    await thread.worker.terminate();
  }
}
