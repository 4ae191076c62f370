import { EventEmitter } from "node:events";
import { StringDecoder } from "node:string_decoder";
import { LIMITS, modelBodyText, type ModelBody, type ModelRequest, type ModelResponse } from "../../protocol/index.ts";
import type { CallerRequest, CallerResponse } from "./caller.ts";
import type { ProxyConnection } from "./connection.ts";

/** A request from this process: complete from the start. */
export class InProcessRequest implements CallerRequest {
  readonly url: string;
  readonly method = "POST";
  readonly headers: Record<string, string>;
  readonly rawHeaders: string[];
  readonly complete = true;
  readonly readableEnded = true;
  readonly wholeBody: Buffer;
  readonly fields: ModelBody;

  constructor({ path, headers, body }: ModelRequest) {
    this.url = path;
    // Written from the same fields that are judged.
    this.wholeBody = Buffer.from(modelBodyText(body));
    this.fields = body;
    this.headers = { ...headers, "content-length": String(this.wholeBody.length) };
    this.rawHeaders = Object.entries(this.headers).flat();
  }

  on(): this {
    return this;
  }

  once(): this {
    return this;
  }

  off(): this {
    return this;
  }
}

type Head = Record<string, string | number> | readonly string[];

/** An answer to a caller in this process: written data waits here until it is read. */
export class InProcessResponse extends EventEmitter implements CallerResponse {
  readonly shouldKeepAlive = false;
  /** Deferred, so that the caller can first register its close handler. */
  readonly socket = { destroySoon: (): void => process.nextTick(() => this.destroy()) };
  headersSent = false;
  destroyed = false;
  writableEnded = false;
  readonly #connection: ProxyConnection;
  readonly #answered: (response: ModelResponse) => void;
  readonly #failed: (error: Error) => void;
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  #isFull = false;
  /** The rest is no longer wanted. */
  #isDropped = false;
  #wake: () => void = () => undefined;

  constructor(
    connection: ProxyConnection,
    settle: { readonly answered: (response: ModelResponse) => void; readonly failed: (error: Error) => void },
  ) {
    super();
    this.#connection = connection;
    this.#answered = settle.answered;
    this.#failed = settle.failed;
  }

  writeHead(status: number, headers: Head): this {
    this.headersSent = true;
    const names = fieldsOf(headers);
    this.#answered({
      status,
      header: (name) => names.get(name),
      chunks: () => this.#chunks(),
      text: () => this.#text(),
    });
    return this;
  }

  writeContinue(): void {
    // The whole body is here already.
  }

  flushHeaders(): void {
    // The caller gets the bytes as soon as they are written.
  }

  write(bytes: Buffer): boolean {
    if (this.#isDropped) return true;
    this.#unread.push(bytes);
    this.#unreadBytes += bytes.length;
    this.#wake();
    this.#isFull ||= this.#unreadBytes > LIMITS.proxyUnreadBytes;
    return !this.#isFull;
  }

  end(bytes?: Buffer | string): this {
    if (bytes !== undefined) this.write(typeof bytes === "string" ? Buffer.from(bytes) : bytes);
    this.writableEnded = true;
    this.#close();
    return this;
  }

  /** Breaks the answer off: its reader gets what was written, then an error. */
  destroy(): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.#failed(new Error("the answer broke off"));
    this.#connection.leave();
    this.#close();
    return this;
  }

  #close(): void {
    this.#wake();
    this.emit("close");
  }

  async *#chunks(): AsyncGenerator<string> {
    const decoder = new StringDecoder("utf8");
    try {
      for (;;) {
        const text = decoder.write(this.#take());
        if (text !== "") yield text;
        else if (this.writableEnded) return;
        else if (this.destroyed) throw new Error("the answer broke off");
        else await this.#more();
      }
    } finally {
      this.#drop();
    }
  }

  async #text(): Promise<string> {
    let text = "";
    for await (const chunk of this.#chunks()) {
      text += chunk;
      if (text.length > LIMITS.modelErrorBytes) break;
    }
    return text;
  }

  #take(): Buffer {
    const [first, ...others] = this.#unread;
    this.#unread = [];
    this.#unreadBytes = 0;
    if (this.#isFull) {
      this.#isFull = false;
      this.emit("drain");
    }
    if (first === undefined) return NOTHING;
    return others.length === 0 ? first : Buffer.concat([first, ...others]);
  }

  async #more(): Promise<void> {
    if (this.#unread.length > 0 || this.writableEnded || this.destroyed) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = () => undefined;
  }

  /** The rest (usually the last line break) is dropped; an endless answer is cut off. */
  #drop(): void {
    this.#isDropped = true;
    this.#take();
    if (this.writableEnded || this.destroyed) return;
    const timer = setTimeout(() => this.destroy(), LIMITS.modelIdleMs).unref();
    this.once("close", () => clearTimeout(timer));
  }
}

const NOTHING = Buffer.alloc(0);

function fieldsOf(headers: Head): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  if (!isList(headers)) {
    for (const [name, value] of Object.entries(headers)) fields.set(name.toLowerCase(), String(value));
    return fields;
  }
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = (headers[at] ?? "").toLowerCase();
    if (!fields.has(name)) fields.set(name, headers[at + 1] ?? "");
  }
  return fields;
}

function isList(headers: Head): headers is readonly string[] {
  return Array.isArray(headers);
}
