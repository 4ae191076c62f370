import { FuseError, type FuseCaller, type OpenFile } from "../../fuse/index.ts";
import type { OutputLength } from "./output-length.ts";
import { fuseErrorOf } from "./troubles.ts";

export interface OutputFileOptions {
  /** The text from an offset on, until there is no more for now. A lost connection is resumed automatically. */
  readonly follow: (offset: number, signal: AbortSignal) => AsyncIterable<Uint8Array>;
  readonly length: OutputLength;
  /** Whether a reader at the end would wait for more. */
  readonly growing: () => Promise<boolean>;
  /** Called once, after the last close. */
  readonly onRelease: () => void;
}

interface Following {
  readonly pieces: AsyncIterator<Uint8Array>;
  readonly stop: AbortController;
  /** Requested and not here yet: an interrupted read leaves it to the next one. */
  next: Promise<IteratorResult<Uint8Array>> | undefined;
}

/** A growing text. Reading at its end waits for more until the session waits for a prompt or has ended. */
export class OutputFile implements OpenFile {
  readonly stream = false;
  readonly #options: OutputFileOptions;
  #following: Following | undefined;
  /** The newest piece, and its offset in the text. */
  #piece: Uint8Array = new Uint8Array(0);
  #at = 0;
  /** Reads of one handle come one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: OutputFileOptions) {
    this.#options = options;
  }

  size(): Promise<number> {
    return this.#options.length.now();
  }

  read(
    place: { readonly offset: number; readonly size: number; readonly patient: boolean },
    asking: FuseCaller,
  ): Promise<Uint8Array> {
    const part = this.#turn.then(() => this.#read(place, asking));
    this.#turn = part.catch(() => undefined);
    return part;
  }

  async write(): Promise<void> {
    throw new FuseError("EBADF");
  }

  async flush(): Promise<void> {}

  release(): void {
    this.#stop();
    this.#options.onRelease();
  }

  async #read(
    { offset, size, patient }: { readonly offset: number; readonly size: number; readonly patient: boolean },
    { signal }: FuseCaller,
  ): Promise<Uint8Array> {
    if (signal.aborted) throw new FuseError("EINTR");
    const end = this.#at + this.#piece.length;
    if (offset < this.#at || offset >= end) {
      if (!patient && (await this.#isAtEnd(offset))) return new Uint8Array(0);
      if (offset !== end || this.#following === undefined) this.#start(offset);
      if (!(await this.#append(offset, signal))) {
        this.#options.length.followed = true;
        return new Uint8Array(0);
      }
    }
    // Many programs take a short read as the end: everything up to the reported size comes whole.
    const wanted = Math.min(offset + size, this.#options.length.known);
    while (this.#at + this.#piece.length < wanted) if (!(await this.#append(offset, signal))) break;
    return this.#piece.subarray(offset - this.#at).subarray(0, size);
  }

  /** Adds the next piece from an offset on. False: there is no more for now. */
  async #append(offset: number, signal: AbortSignal): Promise<boolean> {
    const piece = await this.#next(signal);
    if (piece === undefined) return false;
    this.#piece = Buffer.concat([this.#piece.subarray(offset - this.#at), piece]);
    this.#at = offset;
    this.#options.length.saw(offset + this.#piece.length);
    return true;
  }

  /** For a nonblocking read: true at an end that a blocking reader would also see; EAGAIN if that one would wait. */
  async #isAtEnd(offset: number): Promise<boolean> {
    const growing = await this.#options.growing();
    if ((await this.#options.length.now()) > offset) return false;
    if (growing) throw new FuseError("EAGAIN");
    return true;
  }

  /** Undefined at the end, if there is one. */
  async #next(signal: AbortSignal): Promise<Uint8Array | undefined> {
    const following = this.#following;
    if (following === undefined) return undefined;
    following.next ??= following.pieces.next();
    // An interrupted read leaves it; possibly nobody asks for it again.
    following.next.catch(() => undefined);
    try {
      const result = await orInterrupted(following.next, signal);
      following.next = undefined;
      if (result.done !== true) return result.value;
      this.#following = undefined;
      return undefined;
    } catch (error) {
      if (error instanceof FuseError) throw error;
      this.#stop();
      throw fuseErrorOf(error);
    }
  }

  #start(offset: number): void {
    this.#stop();
    const stop = new AbortController();
    const pieces = this.#options.follow(offset, stop.signal)[Symbol.asyncIterator]();
    this.#following = { pieces, stop, next: undefined };
    this.#at = offset;
    this.#piece = new Uint8Array(0);
  }

  #stop(): void {
    const following = this.#following;
    this.#following = undefined;
    following?.stop.abort();
    following?.pieces.return?.().catch(() => undefined);
  }
}

function orInterrupted<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const interrupted = (): void => reject(new FuseError("EINTR"));
    signal.addEventListener("abort", interrupted, { once: true });
    value.then(resolve, reject).finally(() => signal.removeEventListener("abort", interrupted));
  });
}
