import { LIMITS } from "../../protocol/index.ts";
import type { Clock } from "../dependencies.ts";
import type { Notice } from "./notice.ts";

/** One message for one target. */
export interface NotificationJob {
  readonly target_id: string;
  readonly notice: Notice;
  /** The same in each try. */
  readonly id: string;
  /** Tries so far. */
  readonly tries: number;
}

/** `retry`: it is tried again, after `waitMs` at least if that is said. */
export type JobResult = { readonly type: "done" } | { readonly type: "retry"; readonly waitMs?: number | undefined };

interface QueueOptions {
  readonly clock: Pick<Clock, "after">;
  /** Never rejects. */
  readonly send: (job: NotificationJob) => Promise<JobResult>;
  /** It was tried too often, or too much waits. */
  readonly onDropped: (job: NotificationJob) => void;
}

/** Messages on their way out: a bounded number, few at once, each tried a few times. */
export class NotificationQueue {
  readonly #options: QueueOptions;
  readonly #waiting: NotificationJob[] = [];
  readonly #timers = new Set<() => void>();
  #sending = 0;
  #isClosed = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  put(job: NotificationJob): void {
    if (this.#isClosed) return;
    if (this.#waiting.length + this.#timers.size >= LIMITS.notificationsWaiting) {
      this.#options.onDropped(job);
      return;
    }
    this.#waiting.push(job);
    this.#next();
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  #next(): void {
    while (this.#sending < LIMITS.notificationsAtOnce) {
      const job = this.#waiting.shift();
      if (job === undefined) return;
      this.#sending += 1;
      void this.#options.send(job).then((result) => {
        this.#sending -= 1;
        if (result.type === "retry") this.#later({ ...job, tries: job.tries + 1 }, result.waitMs);
        this.#next();
      });
    }
  }

  #later(job: NotificationJob, waitMs = 0): void {
    if (this.#isClosed) return;
    if (job.tries >= LIMITS.notificationTries) {
      this.#options.onDropped(job);
      return;
    }
    const usual = LIMITS.notificationRetryMs * 4 ** (job.tries - 1);
    const cancel = this.#options.clock.after(Math.max(usual, waitMs), () => {
      this.#timers.delete(cancel);
      this.put(job);
    });
    this.#timers.add(cancel);
  }
}
