import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { LIMITS, type FileStat } from "../../../protocol/index.ts";
import type { MountServer } from "../remote-files.ts";
import { patiently } from "../troubles.ts";
import { AppendedFile } from "./appended-file.ts";
import { MessagePipe } from "./pipe.ts";
import { ReplacedFile } from "./replaced-file.ts";

export interface MirrorOptions {
  readonly server: MountServer;
  /** The server's folder. */
  readonly remote: string;
  /** The local folder. */
  readonly folder: string;
  /** Folders of the server that are handled elsewhere. */
  readonly skip: (remote: string) => boolean;
  /** Where programs are searched. */
  readonly programs: string;
  readonly onTrouble: (error: Error) => void;
  /** Something was written to the server: what is shown may be outdated. Resolves when it is updated. */
  readonly onWritten: () => Promise<void>;
}

/** One folder of the server, with its subfolders, as real files. */
export class Mirror {
  readonly #options: MirrorOptions;
  readonly #replaced = new Map<string, ReplacedFile>();
  readonly #pipes = new Map<string, MessagePipe>();
  readonly #appended = new Map<string, AppendedFile>();
  readonly #error = new ReplacedFile();
  #folder: string;

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.#folder = options.folder;
  }

  /** Bytes of growing texts so far. */
  get length(): number {
    let length = 0;
    for (const file of this.#appended.values()) length += file.length;
    return length;
  }

  /** Shows the contents under another name; open files stay open. */
  async move(folder: string): Promise<void> {
    await rename(this.#folder, folder);
    this.#folder = folder;
  }

  /** Brings the folder up to date. */
  async update(remote = this.#options.remote): Promise<void> {
    await mkdir(this.#local(remote), { recursive: true, mode: 0o700 });
    const entries = await this.#ask(() => this.#options.server.list(remote));
    for (const { name, is_dir } of entries) {
      const path = `${remote}/${name}`;
      if (this.#options.skip(path)) continue;
      if (is_dir) await this.update(path);
      else await this.#updateFile(path);
    }
  }

  /** One file's bytes, also shown; undefined if it cannot be read now. */
  async show(remote: string): Promise<Uint8Array | undefined> {
    const bytes = await this.#ask(() => this.#options.server.read(remote, { peek: true })).catch(() => undefined);
    // Not ready yet, or refused: there is nothing to show.
    if (bytes === undefined) return undefined;
    const file = this.#replaced.get(remote) ?? new ReplacedFile();
    this.#replaced.set(remote, file);
    await file.replace(this.#local(remote), bytes);
    return bytes;
  }

  async close(): Promise<void> {
    const open = [...this.#pipes.values(), ...this.#appended.values()];
    await Promise.all(open.map((one) => one.close()));
  }

  async #updateFile(remote: string): Promise<void> {
    if (this.#pipes.has(remote) || this.#appended.has(remote)) return;
    if (this.#replaced.has(remote)) {
      await this.show(remote);
      return;
    }
    const stat = await this.#ask(() => this.#options.server.stat(remote, { sized: false }));
    const { server, onTrouble } = this.#options;
    if (stat.watchable) {
      const path = this.#local(remote);
      this.#appended.set(remote, await AppendedFile.make({ server, remote, path, onTrouble }));
    } else if (isMessages(stat)) this.#pipes.set(remote, await this.#pipe(remote, stat));
    else if (stat.readable) await this.show(remote);
  }

  #pipe(remote: string, { callable }: FileStat): Promise<MessagePipe> {
    const { server, programs, onTrouble, onWritten } = this.#options;
    const answer = new ReplacedFile();
    // Nobody knows what of a plain file was read: an answer names its question.
    const send = (message: Uint8Array): Promise<Uint8Array | void> =>
      callable === true ? server.call(remote, message) : server.write(remote, message, { shown: [] });
    return MessagePipe.make({
      path: this.#local(remote),
      programs,
      onMessage: async (message) => {
        try {
          const said = await patiently(() => send(message), { again: false });
          await onWritten();
          // Last, so that whoever reads the answer finds what it names.
          if (said instanceof Uint8Array) await answer.replace(`${this.#local(remote)}.answer`, said);
        } catch (error) {
          await this.#refused(remote, (error as Error).message);
          await onWritten().catch(onTrouble);
        }
      },
      onTooLong: () => void this.#refused(remote, `a message may have ${LIMITS.mountWriteBytes} bytes`),
    });
  }

  /** The server keeps the words for a session's refusals; for others there is only this. */
  async #refused(remote: string, words: string): Promise<void> {
    const bytes = Buffer.from(`${remote}: ${words}\n`, "utf8");
    await this.#error.replace(join(this.#folder, "error"), bytes).catch(this.#options.onTrouble);
  }

  #ask<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    return patiently(ask, { again: true });
  }

  #local(remote: string): string {
    return `${this.#folder}${remote.slice(this.#options.remote.length)}`;
  }
}

/** What can only be written, and what answers, is a pipe; what can be read is a file, also where the server would take it back changed. */
function isMessages({ readable, writable, callable }: FileStat): boolean {
  return writable && (!readable || callable === true);
}
