import { open, type FileHandle } from "node:fs/promises";
import type { MountServer } from "../remote-files.ts";

export interface AppendedFileOptions {
  readonly server: Pick<MountServer, "follow">;
  readonly remote: string;
  /** The file that grows. */
  readonly path: string;
  readonly onTrouble: (error: Error) => void;
}

/** A growing text of the server as a real file that is only ever appended to. */
export class AppendedFile {
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #length = 0;

  private constructor(options: AppendedFileOptions, file: FileHandle) {
    this.#done = this.#follow(options, file);
  }

  /** The file exists when this resolves; its text follows. */
  static async make(options: AppendedFileOptions): Promise<AppendedFile> {
    return new AppendedFile(options, await open(options.path, "a", 0o400));
  }

  /** Bytes that are in the file. */
  get length(): number {
    return this.#length;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #follow({ server, remote, onTrouble }: AppendedFileOptions, file: FileHandle): Promise<void> {
    try {
      for await (const bytes of server.follow(remote, { offset: 0, signal: this.#stop.signal })) {
        await file.appendFile(bytes);
        this.#length += bytes.length;
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) onTrouble(error as Error);
    } finally {
      await file.close();
    }
  }
}
