import { Failure, LIMITS, OpenItems } from "../../protocol/index.ts";
import { Frame } from "./frames.ts";

/**
 * The live end of one session's journal: a bounded ring of frames that all watchers share, each at its own position. A
 * watcher that falls out of the ring continues from the store, so a slow one costs nothing and loses nothing.
 */
export class LiveStream {
  /** Everything up to here is in the store and was published. */
  publishedSeq: number;
  #frames: Frame[] = [];
  /** The absolute index of the ring's first frame. */
  #base = 0;
  #bytes = 0;
  #watchers = 0;
  #ended = false;
  readonly #open = new OpenItems(LIMITS.toolOutputChars);
  #waiting = new Set<() => void>();

  constructor(publishedSeq: number) {
    this.publishedSeq = publishedSeq;
  }

  get watchers(): number {
    return this.#watchers;
  }

  /** The absolute index after the newest frame. */
  get end(): number {
    return this.#base + this.#frames.length;
  }

  get ended(): boolean {
    return this.#ended;
  }

  attach(): void {
    if (this.#watchers >= LIMITS.watchersPerSession) throw new Failure("limit_reached", "too many watch this session");
    this.#watchers += 1;
  }

  detach(): void {
    this.#watchers -= 1;
    if (this.#watchers === 0) this.#drop(this.#frames.length);
  }

  publish(frames: readonly Frame[]): void {
    for (const frame of frames) {
      this.#open.apply(frame.value);
      if (frame.seq !== undefined) this.publishedSeq = frame.seq;
      if (this.#watchers === 0) {
        this.#base += 1;
        continue;
      }
      this.#frames.push(frame);
      this.#bytes += frame.json.length;
    }
    let excess = 0;
    let bytes = this.#bytes;
    while (
      this.#frames.length - excess > LIMITS.ringFrames ||
      (bytes > LIMITS.ringBytes && this.#frames.length - excess > 1)
    ) {
      bytes -= this.#frames[excess]?.json.length ?? 0;
      excess += 1;
    }
    // A quarter at a time, so that the array is not moved for every frame.
    if (excess > 0) this.#drop(Math.min(this.#frames.length, excess + LIMITS.ringFrames / 4));
    this.#wake();
  }

  /** No more frames will come. */
  endStream(): void {
    this.#ended = true;
    this.#wake();
  }

  /** Some frames from an absolute index on; undefined when they have left the ring. */
  since(index: number): Frame[] | undefined {
    if (index < this.#base) return undefined;
    const from = index - this.#base;
    return this.#frames.slice(from, from + LIMITS.watchBatchFrames);
  }

  /** The items that are open now, with their text so far. */
  snapshot(session_id: string): Frame[] {
    return this.#open.items.map((item) => Frame.ofLive({ type: "item.updated", session_id, item }));
  }

  /** Calls back once, at the next change; call the returned function to cancel. */
  onChange(changed: () => void): () => void {
    this.#waiting.add(changed);
    return () => this.#waiting.delete(changed);
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const changed of waiting) changed();
  }

  #drop(count: number): void {
    for (let index = 0; index < count; index += 1) this.#bytes -= this.#frames[index]?.json.length ?? 0;
    this.#frames = this.#frames.slice(count);
    this.#base += count;
  }
}
