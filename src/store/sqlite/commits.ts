import type { MessagePort } from "node:worker_threads";
import { type Failure, LIMITS } from "../../protocol/index.ts";
import { DamagedPage, type DamageFound } from "./damage.ts";
import { REFUSED, storeFailure, stalledFailure } from "../failure.ts";
import type { FromWriter, WriteOutcome, ToWriter } from "./messages.ts";
import { sessionIn, type Encoded } from "./operations.ts";
import type { CommitOptions, Stall, StoreDisk } from "../store.ts";

interface WaitingWrite {
  readonly write: Encoded;
  readonly options: CommitOptions;
  readonly resolve: (changes: number) => void;
  readonly reject: (error: Failure) => void;
}

/** Writes that reached the disk together. */
export interface Commit {
  readonly writes: number;
  /** From when the first of them was sent to the writer, milliseconds. */
  readonly ms: number;
}

interface CommitsOptions {
  readonly port: Pick<MessagePort, "on" | "postMessage">;
  readonly onFatal: (error: Error) => void;
  readonly onCommit?: ((commit: Commit) => void) | undefined;
  /** Called when writing stops and when it resumes. */
  readonly onStall?: ((stall: Stall | undefined) => void) | undefined;
  /** A Write was refused because a page of the database is damaged. */
  readonly onDamage: (found: DamageFound) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly after: (ms: number, callback: () => void) => () => void;
  /** The first wait before a refused transaction is retried; it doubles up to `storeRetryMaxMs`. */
  readonly retryMs: number;
  readonly queueChars: number;
}

/**
 * The queue in front of the writer's thread. Writes of one turn of the event loop go as one message, and those that
 * arrive while the writer is busy wait together: the slower the disk, the more Writes share one commit.
 *
 * At most `storeBatchesInFlight` messages are under way. Behind them Writes wait in `queue`. A caller waits for each,
 * so their number is bounded by the sessions and commands.
 *
 * When the disk or another program refuses a transaction, writing has stalled. Writes with `untilStored` return to the
 * head of the queue, in order, and are sent again later; the others are refused. `storeQueueChars` bounds what is kept
 * this way.
 */
export class Commits {
  readonly #options: CommitsOptions;
  #queue: WaitingWrite[] = [];
  /** Sent and not answered, in order. */
  #sent: WaitingWrite[] = [];
  /** Text of everything in `queue` and `sent`. */
  #chars = 0;
  #batchesInFlight = 0;
  /** Messages of an earlier epoch are void: the writer drops them. */
  #epoch = 0;
  #flushing = false;
  #later: NodeJS.Timeout | undefined;
  #failure: Failure | undefined;
  #stall: Stall | undefined;
  #disk: StoreDisk | undefined;
  #retryMs: number;
  #cancelRetry: () => void = () => undefined;
  /** The queue was full during this stall: nothing more is kept until writing resumes. */
  #overflowed = false;
  /** Chains in which a Write was refused here: all their later Writes are refused too. */
  readonly #broken = new Set<string>();
  #idle: (() => void)[] = [];
  /** When each message under way was sent. */
  #sentAt: number[] = [];
  #refused = 0;

  constructor(options: CommitsOptions) {
    this.#options = options;
    this.#retryMs = options.retryMs;
    options.port.on("message", (message: FromWriter) => this.#hear(message));
  }

  /** Why nothing can be written at the moment; absent: writing works. */
  get stall(): Stall | undefined {
    return this.#stall;
  }

  get disk(): StoreDisk | undefined {
    return this.#disk;
  }

  /** Text that is not on the disk yet, in UTF-16 units. */
  get waitingChars(): number {
    return this.#chars;
  }

  get waitingWrites(): number {
    return this.#queue.length + this.#sent.length;
  }

  /** Writes that were refused since the start because nothing could be written. */
  get refusedWrites(): number {
    return this.#refused;
  }

  /** Resolves when the write is on the disk, with the number of rows that its last statement changed. */
  add(write: Encoded, options: CommitOptions = {}): Promise<number> {
    const refusal = this.#failure ?? this.#refusal(write, options);
    if (refusal !== undefined) {
      this.#refused += 1;
      return Promise.reject(refusal);
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ write, options, resolve, reject });
      this.#chars += write.chars;
      if (this.#stall !== undefined) return;
      if (options.patient === true) this.#flushLater();
      else if (options.atOnce === true) this.#flushNow();
      else this.#flushSoon();
    });
  }

  /** Resolves when everything requested has been answered. */
  drained(): Promise<void> {
    if (this.#queue.length > 0 && this.#stall === undefined) this.#flushSoon();
    if (this.#queue.length === 0 && this.#sent.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
    });
  }

  /** Gives up waiting Writes. Only before the store is closed. */
  abandon(): number {
    this.#cancelRetry();
    const left = this.#queue.length + this.#sent.length;
    this.#failure ??= stalledFailure(this.#stall, "lost");
    this.#rejectAll(this.#failure);
    return left;
  }

  /** The writer has failed: everything that waits, and everything from now on, is refused. */
  fail(why: string): void {
    if (this.#failure !== undefined) return;
    this.#failure = storeFailure(
      "store_failed",
      "The store cannot write any more, and the server stops. Run `sallyport doctor`, then start it again.",
      new Error(why),
    );
    this.#cancelRetry();
    this.#rejectAll(this.#failure);
    this.#options.onFatal(new Error(`The store cannot write any more: ${why}`));
  }

  #rejectAll(failure: Failure): void {
    const waiting = [...this.#sent, ...this.#queue];
    this.#sent = [];
    this.#queue = [];
    this.#chars = 0;
    for (const { reject } of waiting) reject(failure);
    this.#wakeIdle();
  }

  #refusal({ chars }: Encoded, { chain, untilStored }: CommitOptions): Failure | undefined {
    if (chain !== undefined && this.#broken.has(chain)) return storeFailure("store_failed", REFUSED.chain, undefined);
    if (this.#stall === undefined) return undefined;
    if (untilStored !== true) return stalledFailure(this.#stall, "refused");
    this.#overflowed ||= this.#chars + chars > this.#options.queueChars;
    if (!this.#overflowed) return undefined;
    if (chain !== undefined) this.#breakChain(chain);
    return stalledFailure(this.#stall, "refused");
  }

  #breakChain(chain: string): void {
    this.#broken.add(chain);
    if (this.#broken.size <= LIMITS.storeBrokenChains) return;
    for (const oldest of this.#broken) return void this.#broken.delete(oldest);
  }

  /** Waits for other Writes to share a commit; an urgent one takes it along. */
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
      if (this.#stall === undefined) this.#flush(LIMITS.storeBatchesInFlight);
    });
  }

  #flushNow(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
    this.#flush(LIMITS.storeBatchesInFlight);
  }

  #flush(most: number): void {
    const { port } = this.#options;
    while (this.#queue.length > 0 && this.#batchesInFlight < most) {
      const batch = this.#takeBatch();
      const writes = batch.map(({ write, options: { chain } }) =>
        chain === undefined ? { operations: write.operations } : { operations: write.operations, chain },
      );
      const message: ToWriter = { kind: "batch", epoch: this.#epoch, writes };
      this.#batchesInFlight += 1;
      this.#sentAt.push(performance.now());
      this.#sent.push(...batch);
      port.postMessage(message);
    }
  }

  /** As many as the limits allow in one message, but at least one. */
  #takeBatch(): readonly WaitingWrite[] {
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
    if (message.kind === "disk") {
      const { kind: _kind, ...disk } = message;
      this.#disk = disk;
    }
    if (this.#failure !== undefined) return;
    if (message.kind === "stalled") this.#stalled(message);
    if (message.kind === "done") this.#done(message);
  }

  #done({ batches, outcomes }: Extract<FromWriter, { kind: "done" }>): void {
    if (this.#stall !== undefined) this.#goOn();
    this.#batchesInFlight -= batches;
    const answered = this.#sent.splice(0, outcomes.length);
    for (const { write } of answered) this.#chars -= write.chars;
    this.#settleAll(answered, outcomes);
    const [began = performance.now()] = this.#sentAt.splice(0, batches);
    this.#options.onCommit?.({ writes: answered.length, ms: performance.now() - began });
    if (this.#queue.length > 0) this.#flushSoon();
    else if (this.#sent.length === 0) this.#wakeIdle();
  }

  /** Nothing that was sent is on the disk: it returns to the queue and is sent again later. */
  #stalled({ cause, why }: Extract<FromWriter, { kind: "stalled" }>): void {
    // A temporary cause may turn into a permanent one.
    const isNew = this.#stall === undefined || (cause === "replaced" && this.#stall.cause !== cause);
    this.#cancelRetry();
    this.#stall = { cause, why, since: this.#stall?.since ?? this.#options.now() };
    this.#epoch += 1;
    this.#batchesInFlight = 0;
    this.#sentAt = [];
    const waiting = [...this.#sent, ...this.#queue];
    this.#sent = [];
    this.#queue = waiting.filter(({ options }) => options.untilStored === true);
    for (const { options, write, reject } of waiting) {
      if (options.untilStored === true) continue;
      this.#chars -= write.chars;
      this.#refused += 1;
      reject(stalledFailure(this.#stall, "refused"));
    }
    if (this.#queue.length === 0) this.#wakeIdle();
    this.#cancelRetry = this.#options.after(this.#retryMs, () => this.#retry());
    this.#retryMs = Math.min(this.#retryMs * 2, LIMITS.storeRetryMaxMs);
    if (isNew) this.#options.onStall?.(this.#stall);
  }

  /** Sends one message alone; if nothing waits, an empty one tests whether the disk is back. */
  #retry(): void {
    if (this.#queue.length > 0) return this.#flush(1);
    this.#batchesInFlight += 1;
    this.#sentAt.push(performance.now());
    const message: ToWriter = { kind: "batch", epoch: this.#epoch, writes: [] };
    const { port } = this.#options;
    port.postMessage(message);
  }

  #goOn(): void {
    this.#stall = undefined;
    this.#overflowed = false;
    this.#retryMs = this.#options.retryMs;
    this.#options.onStall?.(undefined);
  }

  /**
   * What is sent to a provider next was reserved `atOnce`, and is the longest wait ahead: it goes first. The others are
   * told directly afterwards, in order.
   */
  #settleAll(answered: readonly WaitingWrite[], outcomes: readonly WriteOutcome[]): void {
    const isFirst = ({ options }: WaitingWrite): boolean => options.atOnce === true;
    const settle = (which: (waiting: WaitingWrite) => boolean): void => {
      for (const [index, waiting] of answered.entries()) {
        const outcome = outcomes[index];
        if (outcome !== undefined && which(waiting)) this.#settle(waiting, outcome);
      }
    };
    settle(isFirst);
    const others = (): void => settle((waiting) => !isFirst(waiting));
    if (answered.some(isFirst)) setImmediate(others);
    else others();
  }

  #settle(waiting: WaitingWrite | undefined, outcome: WriteOutcome): void {
    if ("changes" in outcome) return waiting?.resolve(outcome.changes);
    const { code, why, isDamaged = false } = outcome;
    // Before the refusal: whoever receives it may ask what is damaged.
    if (isDamaged) this.#options.onDamage({ session: sessionIn(waiting?.write.operations ?? []), why });
    if (isDamaged) waiting?.reject(storeFailure(code, REFUSED.damaged, new DamagedPage(why)));
    else waiting?.reject(storeFailure(code, REFUSED[code], new Error(why)));
  }

  #wakeIdle(): void {
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }
}
