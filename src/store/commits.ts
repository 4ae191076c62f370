import type { Worker } from "node:worker_threads";
import { type Failure, LIMITS } from "../protocol/index.ts";
import { REFUSED, storeFailure } from "./failure.ts";
import type { FromWriter, Outcome, ToWriter } from "./messages.ts";
import type { Encoded } from "./operations.ts";

interface Waiting {
  readonly write: Encoded;
  readonly resolve: (changes: number) => void;
  readonly reject: (error: Failure) => void;
}

interface CommitsOptions {
  readonly port: Pick<Worker, "on" | "postMessage">;
  readonly onFatal: (error: Error) => void;
  readonly onCommit?: ((commit: { readonly writes: number }) => void) | undefined;
}

/**
 * The way to the writer's thread. What is asked for in one turn of the event loop goes as one message, and what comes
 * while the writer is busy waits for it together: the longer the disk takes, the more share one commit.
 *
 * At most `storeBatchesInFlight` messages are under way. Behind them Writes wait in `queue`, which has no bound of
 * its own: each is held by a caller that waits for it (a session has one Write open at a time, a command one), so
 * there are never more than sessions and commands, which have theirs.
 */
export class Commits {
  readonly #options: CommitsOptions;
  #queue: Waiting[] = [];
  /** Sent and not answered, in the order they were sent. */
  #sent: Waiting[] = [];
  #batchesInFlight = 0;
  #flushing = false;
  #later: NodeJS.Timeout | undefined;
  #failure: Failure | undefined;
  #idle: (() => void) | undefined;

  constructor(options: CommitsOptions) {
    this.#options = options;
    options.port.on("message", (message: FromWriter) => this.#hear(message));
    options.port.on("error", (error: unknown) => this.fail(String(error)));
  }

  /** Resolves when the write is on the disk, with the number of rows that its last statement changed. */
  add(write: Encoded, patient: boolean): Promise<number> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#queue.push({ write, resolve, reject });
      if (patient) this.#flushLater();
      else this.#flushSoon();
    });
  }

  /** Resolves when everything that was asked for was answered. */
  drained(): Promise<void> {
    if (this.#queue.length > 0) this.#flushSoon();
    if (this.#queue.length === 0 && this.#sent.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }

  /** The writer is gone or of no use: everything that waits, and everything from now on, is refused. */
  fail(why: string): void {
    if (this.#failure !== undefined) return;
    this.#failure = storeFailure(
      "store_failed",
      "The store cannot write any more: free the disk if it is full, then start Sallyport again.",
      new Error(why),
    );
    const waiting = [...this.#sent, ...this.#queue];
    this.#sent = [];
    this.#queue = [];
    for (const { reject } of waiting) reject(this.#failure);
    this.#idle?.();
    this.#options.onFatal(new Error(`The store cannot write any more: ${why}`));
  }

  /** Waits for company: whatever cannot wait takes it along. */
  #flushLater(): void {
    if (this.#flushing) return;
    this.#later ??= setTimeout(() => this.#flushSoon(), LIMITS.storePatienceMs);
  }

  #flushSoon(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    const { port } = this.#options;
    while (this.#queue.length > 0 && this.#batchesInFlight < LIMITS.storeBatchesInFlight) {
      const batch = this.#takeBatch();
      const message: ToWriter = { kind: "batch", writes: batch.map(({ write }) => write.operations) };
      this.#batchesInFlight += 1;
      this.#sent.push(...batch);
      port.postMessage(message);
    }
  }

  /** As many as the limits let travel together, but at least one. */
  #takeBatch(): readonly Waiting[] {
    let count = 0;
    let chars = 0;
    for (const { write } of this.#queue) {
      chars += write.chars;
      if (count > 0 && (chars > LIMITS.storeBatchChars || count >= LIMITS.storeBatchWrites)) break;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }

  #hear(message: FromWriter): void {
    if (message.kind === "fatal") this.fail(message.why);
    if (message.kind !== "done" || this.#failure !== undefined) return;
    this.#batchesInFlight -= message.batches;
    const answered = this.#sent.splice(0, message.outcomes.length);
    for (const [index, outcome] of message.outcomes.entries()) settle(answered[index], outcome);
    this.#options.onCommit?.({ writes: answered.length });
    if (this.#queue.length > 0) this.#flushSoon();
    else if (this.#sent.length === 0) this.#idle?.();
  }
}

function settle(waiting: Waiting | undefined, outcome: Outcome): void {
  if ("changes" in outcome) waiting?.resolve(outcome.changes);
  else waiting?.reject(storeFailure(outcome.code, REFUSED[outcome.code], new Error(outcome.why)));
}
