import type { MountServer } from "./remote-files.ts";

export interface OutputLengthOptions {
  readonly server: Pick<MountServer, "follow" | "stat">;
  readonly remote: string;
}

/** The length of a growing text, for `tail -f`: known from reads, and tracked once somebody asks. */
export class OutputLength {
  readonly #options: OutputLengthOptions;
  /** Handles that are open. */
  users = 0;
  /** Somebody read to the end and still has it open. */
  followed = false;
  #known = 0;
  #counting: { readonly stop: AbortController; readonly begun: Promise<void> } | undefined;

  constructor(options: OutputLengthOptions) {
    this.#options = options;
  }

  /** Without asking the server. */
  get known(): number {
    return this.#known;
  }

  /** Somebody has read up to here. */
  saw(length: number): void {
    this.#known = Math.max(this.#known, length);
  }

  async now(): Promise<number> {
    this.#counting ??= this.#count();
    try {
      await this.#counting.begun;
    } catch (error) {
      this.stop();
      throw error;
    }
    return this.#known;
  }

  stop(): void {
    this.#counting?.stop.abort();
    this.#counting = undefined;
  }

  #count(): { readonly stop: AbortController; readonly begun: Promise<void> } {
    const { server, remote } = this.#options;
    const stop = new AbortController();
    const count = async (): Promise<void> => {
      let offset = this.#known;
      for await (const { length } of server.follow(remote, { offset, signal: stop.signal })) {
        offset += length;
        this.saw(offset);
      }
    };
    // The stored part is known at once; the text of an open message comes with the stream.
    const begun = server.stat(remote).then(({ size }) => this.saw(size));
    // A stream that breaks for good is restarted by the next request.
    count().catch(() => this.stop());
    return { stop, begun };
  }
}
