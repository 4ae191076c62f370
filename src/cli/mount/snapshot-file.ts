import { FuseError, type OpenFile } from "../../fuse/index.ts";

/** What a file said when it was opened. */
export class SnapshotFile implements OpenFile {
  readonly stream = false;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  async size(): Promise<number> {
    return this.#bytes.length;
  }

  async read({ offset, size }: { readonly offset: number; readonly size: number }): Promise<Uint8Array> {
    return this.#bytes.subarray(offset, offset + size);
  }

  async write(): Promise<void> {
    throw new FuseError("EBADF");
  }

  async flush(): Promise<void> {}

  release(): void {}
}
