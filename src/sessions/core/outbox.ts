import type { Frame } from "./frames.ts";

interface OutboxEntry {
  readonly frames: readonly Frame[];
  durable: boolean;
}

/** Keeps frames in journal order: a frame goes out once it and everything before it are on the disk. */
export class Outbox {
  readonly #entries: OutboxEntry[] = [];
  readonly #publish: (frames: readonly Frame[]) => void;

  #unwritten = 0;
  #liveChars = 0;

  constructor(publish: (frames: readonly Frame[]) => void) {
    this.#publish = publish;
  }

  get empty(): boolean {
    return this.#entries.length === 0;
  }

  /** Characters that wait for the disk. */
  get unwritten(): number {
    return this.#unwritten;
  }

  /** Characters of live-only frames that wait behind unwritten ones. */
  get liveChars(): number {
    return this.#liveChars;
  }

  /** Takes frames whose commit is under way; call the returned function when it is on the disk. */
  journaled(frames: readonly Frame[]): () => void {
    const entry: OutboxEntry = { frames, durable: false };
    this.#entries.push(entry);
    const size = frames.reduce((sum, { json }) => sum + json.length, 0);
    this.#unwritten += size;
    return () => {
      entry.durable = true;
      this.#unwritten -= size;
      this.#flush();
    };
  }

  /** Takes a live-only frame. */
  live(frame: Frame): void {
    if (this.empty) {
      this.#publish([frame]);
      return;
    }
    this.#entries.push({ frames: [frame], durable: true });
    this.#liveChars += frame.json.length;
  }

  #flush(): void {
    while (this.#entries[0]?.durable === true) this.#publish(this.#entries.shift()?.frames ?? []);
    if (this.empty) this.#liveChars = 0;
  }
}
