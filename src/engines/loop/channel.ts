import { LIMITS } from "../../protocol/index.ts";
import type { EngineEvent } from "../engine.ts";

type Delta = Extract<EngineEvent, { type: "item.delta" }>;

/**
 * From a turn that runs to the session that reads it. Deltas of an item that wait are joined, so what waits is bounded by
 * the items of a turn, however slowly it is read.
 */
export class Channel {
  readonly #queue: (readonly EngineEvent[])[] = [];
  /** Deltas in the queue by item: more text goes into them. */
  readonly #deltas = new Map<string, { -readonly [Key in keyof Delta]: Delta[Key] }>();
  #wake: (() => void) | undefined;
  #ended = false;
  #error: unknown;
  /** The reader is gone. */
  #left = false;
  #waiters: (() => void)[] = [];

  send(events: readonly EngineEvent[]): void {
    if (events.length === 0) return;
    this.#queue.push(events);
    this.#wake?.();
  }

  delta(delta: Delta): void {
    if (delta.delta === "") return;
    const waiting = this.#deltas.get(delta.item_id);
    if (waiting === undefined || waiting.field !== delta.field) {
      const first = { ...delta };
      this.#deltas.set(delta.item_id, first);
      this.send([first]);
    } else if (delta.field === "text" || waiting.delta.length + delta.delta.length <= LIMITS.liveOutputChars) {
      waiting.delta += delta.delta;
    }
  }

  /** Resolves when everything that was sent has been taken, or nobody reads any more. */
  async drained(): Promise<void> {
    while (this.#queue.length > 0 && !this.#left) {
      await new Promise<void>((resolve) => {
        this.#waiters.push(resolve);
      });
    }
  }

  /** No more will come; `error` is thrown to the reader. */
  end(error?: unknown): void {
    this.#ended = true;
    this.#error = error;
    this.#wake?.();
  }

  async *read(): AsyncGenerator<readonly EngineEvent[]> {
    try {
      yield* this.#take();
    } finally {
      this.#left = true;
      this.#tellDrained();
    }
  }

  async *#take(): AsyncGenerator<readonly EngineEvent[]> {
    for (;;) {
      const events = this.#queue.shift();
      if (events !== undefined) {
        const [first] = events;
        if (first?.type === "item.delta" && this.#deltas.get(first.item_id) === first)
          this.#deltas.delete(first.item_id);
        yield events;
        if (this.#queue.length === 0) this.#tellDrained();
      } else if (this.#ended) {
        if (this.#error !== undefined) throw this.#error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    }
  }

  #tellDrained(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }
}
