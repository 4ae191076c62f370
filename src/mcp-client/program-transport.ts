import type { Readable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { serializeMessage } from "@modelcontextprotocol/client";
import { LIMITS } from "../protocol/index.ts";
import type { Piped } from "../sandbox/sandbox.ts";
import { MessageRate } from "./message-rate.ts";

const NEWLINE = 0x0a;
const EMPTY = Buffer.alloc(0);

/**
 * A server's program in a sandbox, with bounds on all that it writes and all that it leaves unread. Whatever exceeds one ends the program.
 */
export class ProgramTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  readonly #process: Piped;
  readonly #rate: MessageRate;
  /** The unfinished line, in pieces. */
  #pieces: Buffer[] = [];
  #length = 0;
  #noise = 0;
  #stderr = "";
  #isClosed = false;
  #failure: string | undefined;
  #exit: string | undefined;

  constructor(process: Piped, now: () => number) {
    this.#process = process;
    this.#rate = new MessageRate(now);
  }

  /** Why it ended by itself, in words for people; undefined: it did not. */
  get end(): string | undefined {
    const why = this.#failure ?? this.#exit;
    if (why === undefined) return undefined;
    const said = this.#stderr.trim();
    return said === "" ? why : `${why}; it said last: ${said}`;
  }

  async start(): Promise<void> {
    const { stdin, stdout, stderr, exit } = this.#process;
    stdin.on("error", () => undefined);
    stdout.on("data", (chunk: Buffer) => this.#guarded(() => this.#take(chunk)));
    stderr.setEncoding("utf8");
    stderr.on("data", (chunk: string) => {
      this.#stderr = (this.#stderr + chunk).slice(-LIMITS.mcpStderrChars);
    });
    const lastWords = ended(stderr);
    void exit.then(async ({ code, signal, reason }) => {
      // What it said last may be read after its end. A program that it left behind may keep the pipe open for ever.
      await Promise.race([lastWords, pause(LIMITS.mcpLastWordsMs)]);
      this.#exit = reason ?? (signal === null ? `it ended with exit code ${code ?? "?"}` : `it was ended by ${signal}`);
      this.#closed();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#process;
    if (this.#isClosed || stdin.destroyed) throw new Error("the server has ended");
    if (stdin.writableLength > LIMITS.mcpUnreadBytes)
      throw this.#fail(`it left more than ${LIMITS.mcpUnreadBytes} bytes unread`);
    stdin.write(serializeMessage(message));
  }

  /** Ends the program: its input closes, then it is ended. */
  async close(): Promise<void> {
    this.#closed();
    this.#process.stdin.end();
    await this.#process.kill({ graceMs: LIMITS.mcpCloseMs });
  }

  #take(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, end));
      this.#line();
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
  }

  #keep(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    if (this.#length > LIMITS.mcpMessageBytes)
      throw this.#fail(`it wrote a message of more than ${LIMITS.mcpMessageBytes} bytes`);
    this.#pieces.push(piece);
  }

  #line(): void {
    const [first = EMPTY, ...more] = this.#pieces;
    const line = (more.length === 0 ? first : Buffer.concat(this.#pieces)).toString("utf8").trim();
    this.#pieces = [];
    this.#length = 0;
    if (line === "" || this.#isClosed) return;
    const message = parsed(line);
    if (message === undefined) {
      this.#noise += line.length;
      if (this.#noise > LIMITS.mcpNoiseBytes)
        throw this.#fail(`it wrote more than ${LIMITS.mcpNoiseBytes} bytes that are no messages`);
      return;
    }
    const excess = this.#rate.excess(message);
    if (excess !== undefined) throw this.#fail(excess);
    this.onmessage?.(message);
  }

  #guarded(work: () => void): void {
    if (this.#failure !== undefined) return;
    try {
      work();
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
    }
  }

  #fail(why: string): Error {
    this.#failure ??= why;
    this.#pieces = [];
    void this.#process.kill({ graceMs: 0 });
    this.#closed();
    return new Error(why);
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }
}

function ended(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.once("end", resolve).once("close", resolve);
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

/** Only what kind of message it is: the SDK's client checks the message itself, and parsing it here too would double the cost of a call. */
function parsed(line: string): JSONRPCMessage | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const value = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const isMessage = typeof value["method"] === "string" || isObject(value["result"]) || isObject(value["error"]);
    return value["jsonrpc"] === "2.0" && isMessage ? (value as unknown as JSONRPCMessage) : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
