import { FuseError, type OpenFile } from "../../fuse/index.ts";

/** What a file said when it was opened. */
export class SnapshotFile implements OpenFile {
  readonly stream = false;
  readonly length: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.length = bytes.length;
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
