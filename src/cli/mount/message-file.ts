import { FuseError, type OpenFile } from "../../fuse/index.ts";
import { LIMITS } from "../../protocol/index.ts";

export interface MessageFileOptions {
  /** Opened for reading too: what is read is the answer to what was written. */
  readonly readable: boolean;
  /** Sends what was written; the answer is what can be read then. */
  readonly send: (message: Uint8Array) => Promise<Uint8Array>;
  /** What is read where nothing was written. */
  readonly unasked: () => Promise<Uint8Array>;
}

/** A file that takes messages. A message is what is written until somebody closes or, on the same handle, reads. */
export class MessageFile implements OpenFile {
  readonly stream: boolean;
  readonly #options: MessageFileOptions;
  #written: Uint8Array[] = [];
  #length = 0;
  /** The last answer, or the failure in its place; `undefined` where nothing was sent or read yet. */
  #answer: Promise<Uint8Array> | undefined;
  #position = 0;

  constructor(options: MessageFileOptions) {
    this.#options = options;
    this.stream = options.readable;
  }

  async write({ data }: { readonly data: Uint8Array }): Promise<void> {
    this.#length += data.length;
    if (this.#length <= LIMITS.mountWriteBytes) this.#written.push(data);
    else {
      // Half a message is none.
      this.#written = [];
      throw new FuseError("EFBIG");
    }
  }

  async flush(): Promise<void> {
    await this.#send();
  }

  async read({ size }: { readonly size: number }): Promise<Uint8Array> {
    if (!this.#options.readable) throw new FuseError("EBADF");
    await this.#send();
    this.#answer ??= this.#options.unasked();
    const answer = await this.#answer;
    const part = answer.subarray(this.#position, this.#position + size);
    this.#position += part.length;
    return part;
  }

  release(): void {
    // Every close was flushed before; what a dead process left half written was flushed by its end.
  }

  async #send(): Promise<void> {
    if (this.#length === 0) return;
    const tooLong = this.#length > LIMITS.mountWriteBytes;
    const message = Buffer.concat(this.#written);
    this.#written = [];
    this.#length = 0;
    if (tooLong) throw new FuseError("EFBIG");
    this.#position = 0;
    // One after the other, in the order in which they were written.
    const before = this.#answer;
    const answer = (async () => {
      await before?.catch(() => undefined);
      return this.#options.send(message);
    })();
    this.#answer = answer;
    await answer;
  }
}
