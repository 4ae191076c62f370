import type { ConnectionTransport } from "puppeteer-core";
import { LIMITS } from "../protocol/index.ts";
import type { Piped } from "../sandbox/sandbox.ts";

const END = 0;

/** Chromium's protocol over the standard streams of its process, with bounds. Whatever exceeds one ends the process. */
export class PipeTransport implements ConnectionTransport {
  onmessage?: (message: string) => void;
  onclose?: () => void;
  readonly #process: Piped;
  #pieces: Buffer[] = [];
  #length = 0;
  #stderr = "";
  #failure: string | undefined;
  #isClosed = false;

  constructor(process: Piped) {
    this.#process = process;
    const { stdin, stdout, stderr, exit } = process;
    stdin.on("error", () => undefined);
    stdout.on("error", () => undefined);
    stderr.on("error", () => undefined);
    stderr.setEncoding("utf8");
    stderr.on("data", (chunk: string) => {
      this.#stderr = (this.#stderr + chunk).slice(-LIMITS.browserStderrChars);
    });
    stdout.on("data", (chunk: Buffer) => this.#take(chunk));
    void exit.then(({ code, signal, reason }) => {
      this.#failure ??=
        reason ?? (signal === null ? `it ended with exit code ${code ?? "?"}` : `it was ended by ${signal}`);
      this.#closed();
    });
  }

  /** Why it ended; undefined: it runs. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** What Chromium said last, for a start that failed. */
  get said(): string {
    return this.#stderr.trim();
  }

  send(message: string): void {
    if (this.#isClosed) return;
    if (this.#process.stdin.writableLength > LIMITS.browserUnreadBytes) {
      this.#fail(`it left more than ${LIMITS.browserUnreadBytes} bytes unread`);
      return;
    }
    this.#process.stdin.write(`${message}\0`);
  }

  close(): void {
    this.#closed();
    this.#process.stdin.end();
  }

  #take(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(END); end !== -1; end = chunk.indexOf(END, from)) {
      this.#keep(chunk.subarray(from, end));
      const message = Buffer.concat(this.#pieces).toString("utf8");
      this.#pieces = [];
      this.#length = 0;
      from = end + 1;
      if (!this.#isClosed) this.onmessage?.(message);
    }
    this.#keep(chunk.subarray(from));
  }

  #keep(piece: Buffer): void {
    if (piece.length === 0 || this.#isClosed) return;
    this.#length += piece.length;
    if (this.#length <= LIMITS.browserMessageBytes) this.#pieces.push(piece);
    else this.#fail(`it sent a message of more than ${LIMITS.browserMessageBytes} bytes`);
  }

  #fail(why: string): void {
    this.#failure ??= why;
    this.#pieces = [];
    void this.#process.kill({ graceMs: 0 });
    this.#closed();
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }
}
