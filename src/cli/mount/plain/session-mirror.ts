import { basename, dirname, join } from "node:path";
import { Mirror, type MirrorOptions } from "./mirror.ts";

const ENDED: ReadonlySet<unknown> = new Set(["complete", "failed"]);

/** One session's folder. Its status is read each round; the rest only when the status or the output has changed. */
export class SessionMirror {
  readonly #options: MirrorOptions;
  readonly #mirror: Mirror;
  #seen: string | undefined;
  #touched = true;

  constructor(options: MirrorOptions) {
    this.#options = options;
    // Made under another name first: otherwise an early writer would create a plain file where the pipe belongs.
    const hidden = join(dirname(options.folder), `.${basename(options.folder)}.next`);
    this.#mirror = new Mirror({ ...options, folder: hidden });
  }

  /** Everything is checked in the next round. */
  touch(): void {
    this.#touched = true;
  }

  async round(): Promise<void> {
    if (this.#seen !== undefined && ENDED.has(statusIn(this.#seen)) && !this.#touched) return;
    const begun = this.#seen === undefined;
    if (begun) await this.#mirror.update();
    const status = await this.#mirror.show(`${this.#options.remote}/status`);
    const seen = `${this.#mirror.length} ${Buffer.from(status ?? []).toString("utf8")}`;
    if (seen !== this.#seen || this.#touched) {
      this.#touched = false;
      if (!begun) await this.#mirror.update();
      this.#seen = seen;
    }
    if (begun) await this.#mirror.move(this.#options.folder);
  }

  close(): Promise<void> {
    return this.#mirror.close();
  }
}

function statusIn(seen: string): unknown {
  try {
    return (JSON.parse(seen.slice(seen.indexOf(" "))) as { status?: unknown }).status;
  } catch {
    return undefined;
  }
}
