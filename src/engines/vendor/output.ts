import type { Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { errorText, LIMITS } from "../../protocol/index.ts";
import type { Piped } from "../../sandbox/sandbox.ts";
import { isDeeper, type VendorFields } from "./fields.ts";
import { StderrTail } from "./stderr.ts";

const NEWLINE = 0x0a;

/** How a process ended. `complaint` is the last part of its stderr. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly complaint: string;
  /** Why we ended it; absent: we did not. */
  readonly failure?: string | undefined;
}

/** A program's output exceeds the limits. */
export class OutputFailure extends Error {}

/** Bytes of unfinished lines that all processes of an engine may hold together. */
export class OutputAllowance {
  #used = 0;
  #most = 0;

  /** The most ever held at once. */
  get most(): number {
    return this.#most;
  }

  take(bytes: number): void {
    if (this.#used + bytes > LIMITS.engineBufferedBytes)
      throw new OutputFailure(
        `it and others wrote more than ${LIMITS.engineBufferedBytes} bytes of lines that have no end`,
      );
    this.#used += bytes;
    this.#most = Math.max(this.#most, this.#used);
  }

  give(bytes: number): void {
    this.#used -= bytes;
  }
}

interface ReaderOptions {
  readonly allowance: OutputAllowance;
  /** A message, and its line with the newline. */
  readonly onMessage: (message: VendorFields, line: Buffer) => void;
  /** Whether an object is a message of the program's protocol. Absent: it is where it has a `type`, as Claude's have. */
  readonly isMessage?: ((fields: VendorFields) => boolean) | undefined;
  /** The first lines that are not messages. */
  readonly onNoise: (line: string) => void;
}

/** Splits a program's output into messages. Throws `OutputFailure` when it is too much. */
export class OutputReader {
  readonly #options: ReaderOptions;
  /** The current unfinished line, in pieces. */
  #pieces: Buffer[] = [];
  #length = 0;
  #total = 0;
  #noiseBytes = 0;
  #noiseLines = 0;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** A turn begins: the counts start again. */
  begin(): void {
    this.#total = 0;
    this.#noiseBytes = 0;
    this.#noiseLines = 0;
  }

  add(chunk: Buffer): void {
    this.#total += chunk.length;
    if (this.#total > LIMITS.engineOutputBytes)
      throw new OutputFailure(`it wrote more than ${LIMITS.engineOutputBytes} bytes in one turn`);
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#flush(chunk.subarray(from, end + 1));
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
  }

  /** The last line may lack its newline. */
  end(): void {
    this.#flush(Buffer.from("\n"));
  }

  /** Returns its share of the allowance; nothing more is added. */
  close(): void {
    this.#options.allowance.give(this.#length);
    this.#pieces = [];
    this.#length = 0;
  }

  #keep(piece: Buffer): void {
    if (piece.length === 0) return;
    if (this.#length + piece.length > LIMITS.engineLineBytes)
      throw new OutputFailure(`it wrote a line of more than ${LIMITS.engineLineBytes} bytes`);
    this.#options.allowance.take(piece.length);
    this.#length += piece.length;
    this.#pieces.push(piece);
  }

  #flush(last: Buffer): void {
    const line = this.#pieces.length === 0 ? last : Buffer.concat([...this.#pieces, last]);
    this.close();
    const text = line.toString("utf8");
    if (text.trim() === "") return;
    const message = parse(text, this.#options.isMessage ?? hasType);
    if (message !== undefined) this.#options.onMessage(message, line);
    else this.#noise(text);
  }

  #noise(text: string): void {
    this.#noiseLines += 1;
    this.#noiseBytes += text.length;
    if (this.#noiseBytes > LIMITS.engineNoiseBytes)
      throw new OutputFailure(`it wrote more than ${LIMITS.engineNoiseBytes} bytes that are no messages`);
    if (this.#noiseLines <= LIMITS.engineNotices) this.#options.onNoise(text.trimEnd());
  }
}

/** Undefined when it is not a message. */
function parse(text: string, isMessage: (fields: VendorFields) => boolean): VendorFields | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  let value: VendorFields;
  try {
    value = JSON.parse(text) as VendorFields;
  } catch {
    return undefined;
  }
  if (isDeeper(value, LIMITS.engineNesting))
    throw new OutputFailure(`it wrote a message that nests more than ${LIMITS.engineNesting} levels`);
  return isMessage(value) ? value : undefined;
}

const hasType = (fields: VendorFields): boolean => typeof fields["type"] === "string";

interface FollowOutputOptions extends ReaderOptions {
  /** What the program is told, where that goes another way first. Absent: its stdin. */
  readonly input?: Writable | undefined;
  /** Resolves when everything reported has been taken; nothing more is read until then. */
  readonly drained: () => Promise<unknown>;
}

/** The output of a process, in order, with bounded memory. */
export class ProcessOutput {
  readonly #process: Piped;
  readonly #reader: OutputReader;
  readonly #input: Writable;
  readonly #drained: () => Promise<unknown>;
  readonly #stderr = new StderrTail();
  #failure: string | undefined;
  /** Bytes since everything reported was last taken. */
  #ahead = 0;
  #chunks = 0;
  #paused = false;
  #exited = false;
  /** How the process ended, after all its output was reported. */
  readonly end: Promise<ProcessEnd>;

  constructor(process: Piped, options: FollowOutputOptions) {
    this.#process = process;
    this.#drained = options.drained;
    this.#input = options.input ?? process.stdin;
    this.#reader = new OutputReader(options);
    process.stderr.setEncoding("utf8");
    process.stderr.on("data", (chunk: string) => this.#stderr.add(chunk));
    process.stdout.on("data", (chunk: Buffer) => this.#take(chunk));
    const drained = new Promise<void>((resolve) => {
      process.stdout.once("end", resolve);
      process.stdout.once("close", resolve);
    });
    this.end = this.#follow(drained);
  }

  /** A turn begins: its output is counted from zero. */
  begin(): void {
    this.#reader.begin();
  }

  /** A message of it could not be handled: the process is ended. */
  fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure =
      error instanceof OutputFailure ? error.message : `what it wrote could not be handled (${errorText(error)})`;
    this.#reader.close();
    void this.#process.kill({ graceMs: 0 });
  }

  #take(chunk: Buffer): void {
    const { stdout } = this.#process;
    this.#chunks += 1;
    this.#ahead += chunk.length;
    this.#guarded(() => this.#reader.add(chunk));
    const isUnread = this.#input.writableLength > LIMITS.engineUnreadBytes;
    if ((this.#ahead <= LIMITS.engineAheadBytes && !isUnread) || this.#paused || this.#exited) return;
    this.#paused = true;
    stdout.pause();
    // A pipe that is closed needs no reader; an exit is told by itself.
    const read = isUnread ? new Promise<void>((resolve) => this.#input.once("drain", resolve)) : undefined;
    void Promise.all([this.#drained(), read]).then(() => {
      this.#ahead = 0;
      this.#paused = false;
      stdout.resume();
    });
  }

  async #follow(drained: Promise<void>): Promise<ProcessEnd> {
    const { code, signal, reason } = await this.#process.exit;
    // A process that it left behind may hold its pipe open: then silence is the end.
    this.#exited = true;
    this.#process.stdout.resume();
    for (let seen = -1; seen !== this.#chunks;) {
      seen = this.#chunks;
      const isOver = drained.then(() => "over" as const);
      if ((await Promise.race([isOver, pause(LIMITS.outputDrainMs, undefined, { ref: false })])) === "over") break;
    }
    this.#guarded(() => this.#reader.end());
    this.#reader.close();
    const failure = this.#failure ?? reason;
    return { code, signal, complaint: this.#stderr.text, ...(failure === undefined ? {} : { failure }) };
  }

  #guarded(work: () => void): void {
    if (this.#failure !== undefined) return;
    try {
      work();
    } catch (error) {
      this.fail(error);
    }
  }
}
