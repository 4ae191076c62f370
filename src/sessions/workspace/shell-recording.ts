import { LIMITS } from "../../protocol/index.ts";
import type { Dependencies } from "../dependencies.ts";

/** What the audit has of a terminal when it has ended. Characters. */
interface RecordedSize {
  readonly output_chars: number;
  /** Output that is not recorded; 0: all of it is. */
  readonly left_out_chars: number;
}

/** Writes what a terminal shows, in parts, up to a bound. What a program does not echo, such as a password, is not in it. */
export class ShellRecording {
  readonly #clock: Pick<Dependencies["clock"], "after">;
  readonly #write: (part: { readonly text: string }) => Promise<void>;
  #waiting = "";
  #recorded = 0;
  #seen = 0;
  #cancelTimer: (() => void) | undefined;
  #written: Promise<void> = Promise.resolve();

  constructor(clock: Pick<Dependencies["clock"], "after">, write: (part: { readonly text: string }) => Promise<void>) {
    this.#clock = clock;
    this.#write = write;
  }

  add(text: string): void {
    this.#seen += text.length;
    const room = LIMITS.shellRecordedChars - this.#recorded - this.#waiting.length;
    this.#waiting += text.slice(0, Math.max(0, room));
    // Whole lines: a secret that is cut in two could not be told.
    if (this.#waiting.length >= LIMITS.shellRecordPartChars) this.#flush(this.#waiting.lastIndexOf("\n") + 1);
    else if (this.#waiting !== "") this.#cancelTimer ??= this.#clock.after(LIMITS.shellRecordMs, () => this.#flush());
  }

  /** Writes what is left. */
  async close(): Promise<RecordedSize> {
    this.#flush();
    await this.#written;
    return { output_chars: this.#seen, left_out_chars: this.#seen - this.#recorded };
  }

  /** `chars`: how much; 0 and absent: all. */
  #flush(chars = 0): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const text = chars === 0 ? this.#waiting : this.#waiting.slice(0, chars);
    if (text === "") return;
    this.#waiting = this.#waiting.slice(text.length);
    this.#recorded += text.length;
    const written = this.#write({ text });
    // A part that cannot be written is reported with the end.
    this.#written = Promise.all([this.#written, written]).then(() => undefined);
    this.#written.catch(() => undefined);
  }
}
