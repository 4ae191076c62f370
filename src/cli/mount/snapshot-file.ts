import { FuseError, type OpenFile } from "../../fuse/index.ts";

/** A file's content as of its opening. */
export class SnapshotFile implements OpenFile {
  readonly stream = false;
  readonly length: number;
  readonly #bytes: Uint8Array;
  readonly #onReadAll: () => void;
  /** How much was read from the beginning, without a gap. */
  #read = 0;

  /** `onReadAll`: called once, when every byte was read. */
  constructor(bytes: Uint8Array, onReadAll: () => void = () => undefined) {
    this.#bytes = bytes;
    this.length = bytes.length;
    this.#onReadAll = onReadAll;
  }

  async read({ offset, size }: { readonly offset: number; readonly size: number }): Promise<Uint8Array> {
    const part = this.#bytes.subarray(offset, offset + size);
    const before = this.#read;
    if (offset <= before) this.#read = Math.max(before, offset + part.length);
    if (before < this.length && this.#read === this.length) this.#onReadAll();
    return part;
  }

  async write(): Promise<void> {
    throw new FuseError("EBADF");
  }

  async flush(): Promise<void> {}

  release(): void {}
}
