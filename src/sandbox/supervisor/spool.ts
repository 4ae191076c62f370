import { LIMITS } from "../../protocol/limits.ts";

const BLOCK_BYTES = 262_144;

/**
 * Bytes that somebody may need again: those since the mark, and those that were not sent yet. Positions count from the first byte ever
 * added.
 */
export class Spool {
  /** Of `BLOCK_BYTES` each; only the last has room. */
  #blocks: Buffer[] = [];
  /** The position of the first block. */
  #start = 0;
  #end = 0;
  #mark = 0;
  #sent = 0;

  /** Nothing more may be added until something is released. */
  get isFull(): boolean {
    return this.#end - this.#start >= LIMITS.supervisorSpoolBytes;
  }

  get isAllSent(): boolean {
    return this.#sent === this.#end;
  }

  add(bytes: Buffer): void {
    for (let from = 0; from < bytes.length;) {
      const at = (this.#end - this.#start) % BLOCK_BYTES;
      if (at === 0) this.#blocks.push(Buffer.allocUnsafe(BLOCK_BYTES));
      const copied = bytes.copy(this.#blocks.at(-1) ?? bytes, at, from);
      from += copied;
      this.#end += copied;
    }
  }

  /** The next bytes to send; undefined: all were sent. */
  next(): Buffer | undefined {
    if (this.isAllSent) return undefined;
    const offset = this.#sent - this.#start;
    const block = this.#blocks[Math.floor(offset / BLOCK_BYTES)];
    const from = offset % BLOCK_BYTES;
    const length = Math.min(BLOCK_BYTES - from, this.#end - this.#sent);
    this.#sent += length;
    // A copy: what is sent may be released before it has left.
    return block === undefined ? undefined : Buffer.from(block.subarray(from, from + length));
  }

  /** What was added before now is not needed once it is sent. */
  mark(): void {
    this.#mark = this.#end;
  }

  /** Frees what nobody needs. */
  release(): void {
    const kept = Math.min(this.#mark, this.#sent);
    const blocks = Math.floor((kept - this.#start) / BLOCK_BYTES);
    this.#blocks.splice(0, blocks);
    this.#start += blocks * BLOCK_BYTES;
  }

  /** Another reader: everything since the mark is sent again. */
  rewind(): void {
    this.#sent = this.#mark;
  }
}
