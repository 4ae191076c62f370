import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { headOf, tailOf, LIMITS, type Redactor } from "../../protocol/index.ts";
import { CleanOutput } from "./clean.ts";

type Stream = "stdout" | "stderr";

/** The start and the end of a text of any length. */
class Ends {
  readonly #decoder = new StringDecoder("utf8");
  #head = "";
  #tail = "";
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Returns the new text. */
  add(chunk: Buffer): string {
    return this.#take(this.#decoder.write(chunk));
  }

  end(): void {
    this.#take(this.#decoder.end());
  }

  /** At most this many characters: everything, or the first and the last of them around `note`. */
  text(budget: number, note: (cut: number) => string): string {
    const kept = this.#head + this.#tail;
    if (this.#length <= budget) return kept;
    const half = Math.floor(budget / 2);
    return `${headOf(this.#head, half)}\n\n${note(this.#length - 2 * half)}\n\n${tailOf(kept, half)}`;
  }

  #take(text: string): string {
    this.#length += text.length;
    const room = LIMITS.bashOutputChars - this.#head.length;
    this.#head += text.slice(0, room);
    this.#tail += text.slice(room);
    if (this.#tail.length > 2 * LIMITS.bashOutputChars) this.#tail = this.#tail.slice(-LIMITS.bashOutputChars);
    return text;
  }
}

/** A file that takes output up to a bound. If the disk refuses it, the output is lost and the command continues. */
class KeptFile {
  readonly path: string;
  #descriptor: number | undefined;
  #bytes = 0;
  #whole = true;

  constructor(path: string) {
    this.path = path;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      this.#descriptor = openSync(path, "wx", 0o600);
    } catch {
      this.#whole = false;
    }
  }

  /** Whether everything is in it. */
  get isWhole(): boolean {
    return this.#whole;
  }

  get isThere(): boolean {
    return this.#bytes > 0;
  }

  append(chunk: Buffer): void {
    const fits = chunk.subarray(0, LIMITS.keptOutputBytes - this.#bytes);
    if (fits.length < chunk.length || this.#descriptor === undefined) this.#whole = false;
    if (this.#descriptor === undefined || fits.length === 0) return;
    try {
      this.#bytes += writeSync(this.#descriptor, fits);
    } catch {
      this.#whole = false;
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/**
 * The output of one command: its start and end in memory, all of it on disk once it is too long to be shown, and live
 * up to a bound.
 */
export class CommandOutput {
  readonly #streams: Readonly<Record<Stream, Ends>> = { stdout: new Ends(), stderr: new Ends() };
  readonly #path: string;
  readonly #onOutput: (text: string) => void;
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #file: KeptFile | undefined;
  #streamed = 0;
  readonly #clean: CleanOutput;

  constructor(options: {
    readonly path: string;
    readonly onOutput: (text: string) => void;
    readonly redact?: Redactor | undefined;
  }) {
    this.#path = options.path;
    this.#clean = new CleanOutput(options.redact);
    this.#onOutput = options.onOutput;
  }

  add(chunk: Buffer, stream: Stream): void {
    this.#keep(this.#clean.next(chunk, stream));
    const text = this.#streams[stream].add(chunk);
    if (text === "" || this.#streamed >= LIMITS.bashStreamedChars) return;
    const room = LIMITS.bashStreamedChars - this.#streamed;
    this.#streamed += text.length;
    this.#onOutput(text.length <= room ? text : `${headOf(text, room)}\n(More output is not shown live.)\n`);
  }

  /** Both streams as the model reads them, without their last newlines. */
  end(): Readonly<Record<Stream, string>> {
    const { stdout, stderr } = this.#streams;
    stdout.end();
    stderr.end();
    this.#keep(this.#clean.end());
    this.#file?.close();
    const errors = Math.min(stderr.length, LIMITS.bashOutputChars / 3);
    const note = (cut: number): string => `... (${cut} characters were cut out here${this.#whereItIs()}) ...`;
    const budget = LIMITS.bashOutputChars - errors;
    const room = stdout.length < budget ? LIMITS.bashOutputChars - stdout.length : errors;
    return { stdout: bare(stdout.text(budget, note)), stderr: bare(stderr.text(room, note)) };
  }

  #keep(chunk: Buffer): void {
    if (this.#file !== undefined) {
      this.#file.append(chunk);
      return;
    }
    this.#early.push(chunk);
    this.#earlyBytes += chunk.length;
    // A character has at least one byte: nothing can be cut up to here.
    if (this.#earlyBytes <= LIMITS.bashOutputChars) return;
    this.#file = new KeptFile(this.#path);
    for (const early of this.#early) this.#file.append(early);
    this.#early = [];
  }

  #whereItIs(): string {
    const file = this.#file;
    if (file === undefined || !file.isThere) return "";
    return file.isWhole ? `; the whole output is in ${file.path}` : `; its first part is in ${file.path}`;
  }
}

function bare(text: string): string {
  return text.replace(/[\r\n]+$/, "");
}
