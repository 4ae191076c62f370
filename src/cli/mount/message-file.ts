import { FuseError, type FuseCaller, type OpenFile } from "../../fuse/index.ts";
import { LIMITS } from "../../protocol/index.ts";

export interface MessageFileOptions {
  /** Also opened for reading: what is read is the answer to what was written. */
  readonly readable: boolean;
  /** Whether this is the program that opened the file. Programs that it starts have copies of its descriptor. */
  readonly isOpener: (asking: Pick<FuseCaller, "pid">) => boolean;
  /** Whether a message may be sent before the last copy of the descriptor is closed. */
  readonly isWhole: (message: Uint8Array) => boolean;
  /** Sends what was written; the answer is what can be read then. */
  readonly send: (message: Uint8Array) => Promise<Uint8Array>;
  /** What is read if nothing was written. */
  readonly unasked: () => Promise<Uint8Array>;
}

/**
 * A file that takes messages. A message is everything written until the opener closes the file or, on the same handle, somebody reads. The
 * rest is sent when the last copy of the descriptor is closed.
 */
export class MessageFile implements OpenFile {
  /** Writes are only possible at the end: `pwrite` fails. */
  readonly stream = true;
  readonly #options: MessageFileOptions;
  #written: Uint8Array[] = [];
  #length = 0;
  /** The last answer, or its failure; `undefined` if nothing was sent or read yet. */
  #answer: Promise<Uint8Array> | undefined;
  #position = 0;

  constructor(options: MessageFileOptions) {
    this.#options = options;
  }

  async write({ data }: { readonly data: Uint8Array }): Promise<void> {
    this.#length += data.length;
    if (this.#length <= LIMITS.mountWriteBytes) this.#written.push(data);
    else {
      // Half a message is dropped.
      this.#written = [];
      throw new FuseError("EFBIG");
    }
  }

  async flush(asking: FuseCaller): Promise<void> {
    const { isOpener, isWhole } = this.#options;
    if (this.#length > 0 && isOpener(asking) && isWhole(Buffer.concat(this.#written))) await this.#send();
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

  closed(): void {
    // Nobody waits for this any more: `error` holds the reason of a refusal.
    this.#send().catch(() => undefined);
  }

  release(): void {
    // What was written to a mount that ends before its writers is no message.
  }

  async #send(): Promise<void> {
    if (this.#length === 0) return;
    const tooLong = this.#length > LIMITS.mountWriteBytes;
    const message = Buffer.concat(this.#written);
    this.#written = [];
    this.#length = 0;
    if (tooLong) throw new FuseError("EFBIG");
    this.#position = 0;
    // One after the other, in the order of writing.
    const before = this.#answer;
    const answer = (async () => {
      await before?.catch(() => undefined);
      return this.#options.send(message);
    })();
    this.#answer = answer;
    await answer;
  }
}
