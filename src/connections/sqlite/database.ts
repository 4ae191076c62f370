import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import { Failure, LIMITS, type CatalogView, type SqlClass } from "../../protocol/index.ts";
import type { DatabaseCaller, NamedDatabase, Rows, SqlStatement } from "../database.ts";
import { abortedBy, Lanes, TESTER, type Lane } from "../lanes.ts";
import type { Answers, SqliteAnswer, SqliteQuestion } from "./messages.ts";

export interface SqliteOptions {
  /** Absolute. */
  readonly path: string;
  readonly statementMs: number;
  /** The server's own folders, of which nothing is read. Real. */
  readonly hidden: readonly string[];
  readonly after: (ms: number, callback: () => void) => () => void;
}

const MAIN = "main";

/** An SQLite file, read by separate processes. */
export class SqliteFile implements NamedDatabase {
  readonly catalog = MAIN;
  readonly #options: SqliteOptions;
  readonly #lanes: Lanes<ReadingProcess>;

  constructor(options: SqliteOptions) {
    this.#options = options;
    this.#lanes = new Lanes({ open: (signal) => ReadingProcess.open(signal, options.after), after: options.after });
  }

  test(signal: AbortSignal): Promise<string> {
    return this.#ask({ principal: TESTER, signal }, { kind: "test", path: this.#options.path });
  }

  describe(asking: DatabaseCaller): Promise<CatalogView> {
    return this.#ask(asking, { kind: "describe", path: this.#options.path });
  }

  classify(asking: DatabaseCaller, sql: string): Promise<SqlClass> {
    return this.#ask(asking, { kind: "classify", path: this.#options.path, sql });
  }

  query(asking: DatabaseCaller, statement: SqlStatement): Promise<Rows> {
    return this.#ask(asking, { kind: "query", path: this.#options.path, ...statement });
  }

  close(): Promise<void> {
    return this.#lanes.close();
  }

  async #ask<Kind extends SqliteQuestion["kind"]>(
    asking: DatabaseCaller,
    question: Extract<SqliteQuestion, { readonly kind: Kind }>,
  ): Promise<Answers[Kind]> {
    this.#refuseOwn();
    return this.#lanes.use(asking, async (reader, either) => {
      const outcome = await reader.ask(question, either, this.#options.statementMs);
      if (!outcome.ok) throw new Failure(outcome.code, outcome.message, outcome.details);
      return outcome.answer as Answers[Kind];
    });
  }

  /** The server's own database is an SQLite file too. */
  #refuseOwn(): void {
    let real: string;
    try {
      real = realpathSync(this.#options.path);
    } catch {
      // Opening the file will report the error.
      return;
    }
    if (this.#options.hidden.some((folder) => real === folder || real.startsWith(folder + sep)))
      throw new Failure("forbidden", "the files of the server itself are not read");
  }
}

const CHILD = fileURLToPath(new URL("./child.js", import.meta.url));

/** One reading process. It gets nothing of the server's environment. */
class ReadingProcess implements Lane {
  readonly #child: ChildProcess;
  readonly #after: SqliteOptions["after"];
  readonly #gone: Promise<unknown>;
  #isEnded = false;

  private constructor(child: ChildProcess, after: SqliteOptions["after"]) {
    this.#child = child;
    this.#after = after;
    this.#gone = once(child, "exit").catch(() => undefined);
    child.on("exit", () => {
      this.#isEnded = true;
    });
    child.on("error", () => this.#kill());
  }

  static async open(signal: AbortSignal, after: SqliteOptions["after"]): Promise<ReadingProcess> {
    const child = fork(CHILD, [], { env: {}, execArgv: [], serialization: "advanced", stdio: "ignore" });
    const reader = new ReadingProcess(child, after);
    try {
      await reader.#next(signal, LIMITS.connectionOpenMs, "the process that reads SQLite files did not start");
      return reader;
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  get isDead(): boolean {
    return this.#isEnded || !this.#child.connected;
  }

  /** Ended after `ms`, or when the signal is aborted, together with its process. */
  async ask(question: SqliteQuestion, signal: AbortSignal, ms: number): Promise<SqliteAnswer> {
    const answer = this.#next(
      signal,
      ms,
      `the statement took longer than ${ms} ms; select less, or ask the admin for more time`,
    );
    this.#child.send(question);
    return (await answer) as SqliteAnswer;
  }

  async close(): Promise<void> {
    this.#kill();
    await this.#gone;
  }

  #kill(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#child.kill("SIGKILL");
  }

  /** The next message from the process. */
  #next(signal: AbortSignal, ms: number, late: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const child = this.#child;
      const done = (): void => {
        take();
        signal.removeEventListener("abort", abort);
        child.off("message", said).off("exit", gone);
      };
      const fail = (failure: Failure): void => {
        done();
        this.#kill();
        reject(failure);
      };
      const said = (message: unknown): void => {
        done();
        resolve(message);
      };
      const abort = (): void => fail(abortedBy(signal));
      const gone = (_code: unknown, by: unknown): void => fail(endedBy(by));
      const take = this.#after(ms, () => fail(new Failure("timed_out", late)));
      child.on("message", said).on("exit", gone);
      signal.addEventListener("abort", abort, { once: true });
      if (signal.aborted) abort();
    });
  }
}

/** It ends itself with this signal when it uses too much memory, and so does the system when it runs out. */
function endedBy(signal: unknown): Failure {
  return signal === "SIGKILL"
    ? new Failure(
        "payload_too_large",
        `the statement took more than ${LIMITS.connectionMemoryBytes} bytes of memory; select less`,
      )
    : new Failure("connection_failed", "the process that reads the file ended; ask again");
}
