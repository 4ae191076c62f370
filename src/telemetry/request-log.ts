import { constants, statSync, type Stats } from "node:fs";
import { mkdir, open, rename, stat, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LIMITS, type Redactor, type Log } from "../protocol/index.ts";
import type { Exchange } from "../proxy/index.ts";
import { sparingly, wordsOf, type Complain } from "./log.ts";

export interface RequestLogOptions {
  /** Created if missing; the folder around it is the server's own. */
  readonly folder: string;
  readonly redact: Redactor;
  readonly now: () => number;
  readonly log: Pick<Log, "info" | "warn">;
  /** Bytes of one file; what is written together is never cut. Absent: `requestLogBytes`. */
  readonly fileBytes?: number | undefined;
  /** Older files that are kept. Absent: `requestLogFiles`. */
  readonly files?: number | undefined;
}

/** One line for each model request: who asked, what it cost, how it went. Contains no prompt or answer text. */
export interface ModelRequestLog {
  /** Fast: it is written a moment later, in order. */
  exchange(exchange: Exchange): void;
  /** Lines lost since this process began. */
  readonly dropped: number;
  /** Resolves when everything so far is in the file or the disk has refused it. Never rejects. */
  flush(): Promise<void>;
  /** Writes what waits. Later lines are dropped. */
  close(): Promise<void>;
}

export function openRequestLog(options: RequestLogOptions): ModelRequestLog {
  return new BufferedLog(options);
}

const FILE = "model-requests.jsonl";
/** Somebody else may have put another file there: no link is followed, no pipe waited for. */
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
const APPEND = O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_WRONLY;

class BufferedLog implements ModelRequestLog {
  readonly #options: RequestLogOptions;
  readonly #file: string;
  readonly #complain: Complain;
  #lines: string[] = [];
  #chars = 0;
  #dropped = 0;
  /** Lines dropped since the last written one. */
  #gap = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Settles when the write under way is over. */
  #writing: Promise<void> | undefined;
  #refused = false;
  #closed = false;
  /** The folder around the log's. Absent: it was not there yet. */
  #home: Pick<Stats, "dev" | "ino"> | undefined;

  constructor(options: RequestLogOptions) {
    this.#options = options;
    this.#home = statSync(dirname(options.folder), { throwIfNoEntry: false });
    this.#file = join(options.folder, FILE);
    this.#complain = sparingly(options.log, options.now);
  }

  get dropped(): number {
    return this.#dropped;
  }

  exchange(exchange: Exchange): void {
    if (this.#closed) {
      this.#dropped += 1;
      return;
    }
    const line = `${this.#options.redact(JSON.stringify(lineOf(exchange)))}\n`;
    if (this.#chars + line.length > LIMITS.requestLogBufferChars) return this.#drop(1);
    this.#lines.push(line);
    this.#chars += line.length;
    this.#schedule(LIMITS.requestLogDelayMs);
  }

  async flush(): Promise<void> {
    // What is being written now is older than what waits: after one more write, all of it was tried.
    await this.#writing;
    await this.#write();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.flush();
    clearTimeout(this.#timer);
    if (this.#lines.length > 0) this.#drop(this.#lines.length);
    this.#lines = [];
    this.#chars = 0;
  }

  #drop(lines: number): void {
    this.#dropped += lines;
    this.#gap += lines;
    this.#complain(
      { dropped: this.#dropped, file: this.#file },
      "the disk does not keep up: lines of the log of model requests are dropped",
    );
  }

  #schedule(ms: number): void {
    if (this.#timer !== undefined || this.#writing !== undefined || this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#write();
    }, ms);
    this.#timer.unref();
  }

  /** One write at a time; a second caller gets the one under way. */
  #write(): Promise<void> {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
      if (this.#lines.length > 0) this.#schedule(this.#refused ? LIMITS.requestLogRetryMs : LIMITS.requestLogDelayMs);
    });
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    const lines = this.#lines;
    if (lines.length === 0) return;
    const gap = this.#gap;
    const note = gap === 0 ? "" : `${JSON.stringify({ at: this.#time(), dropped: gap })}\n`;
    const bytes = Buffer.from(lines.join("") + note);
    const count = lines.length;
    const chars = this.#chars;
    try {
      await this.#append(bytes);
    } catch (error) {
      // They wait for the next try; what does not fit beside them is dropped.
      if (!this.#refused) {
        this.#options.log.warn(
          { file: this.#file, error: wordsOf(error) },
          "the log of model requests cannot be written",
        );
      }
      this.#refused = true;
      return;
    }
    if (this.#refused)
      this.#options.log.info({ file: this.#file, dropped: gap }, "the log of model requests is written again");
    this.#refused = false;
    this.#lines = lines.slice(count);
    this.#chars -= chars;
    this.#gap -= gap;
  }

  async #append(bytes: Buffer): Promise<void> {
    let file = await this.#open();
    try {
      let { size } = await file.stat();
      if (size > 0 && size + bytes.length > (this.#options.fileBytes ?? LIMITS.requestLogBytes)) {
        await file.close();
        await this.#rotate();
        file = await this.#open();
        ({ size } = await file.stat());
      }
      await file.appendFile(bytes).catch(async (error: unknown) => {
        // Half a line would spoil the next one.
        await file.truncate(size).catch(() => undefined);
        throw error;
      });
    } finally {
      await file.close();
    }
  }

  /** Opened for each write: after a rotation, new lines go to the new file. */
  async #open(): Promise<FileHandle> {
    await this.#checkHome();
    const file = await open(this.#file, APPEND, 0o600).catch(async (error: unknown) => {
      if (!isMissing(error)) throw error;
      await mkdir(this.#options.folder, { mode: 0o700 });
      return await open(this.#file, APPEND, 0o600);
    });
    try {
      const found = await file.stat();
      if (!found.isFile()) throw new Error(`${this.#file} is not a file`);
      if ((found.mode & 0o077) !== 0) await file.chmod(0o600);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** A home that was moved away is not made anew, and one that stands in its place is another server's. */
  async #checkHome(): Promise<void> {
    const path = dirname(this.#options.folder);
    if (this.#home === undefined) await mkdir(path, { recursive: true, mode: 0o700 });
    const found = await stat(path);
    this.#home ??= found;
    if (found.dev !== this.#home.dev || found.ino !== this.#home.ino) throw new Error(`${path} is another folder now`);
  }

  async #rotate(): Promise<void> {
    const files = this.#options.files ?? LIMITS.requestLogFiles;
    for (let age = files; age >= 1; age -= 1) {
      const younger = age === 1 ? this.#file : `${this.#file}.${age - 1}`;
      await rename(younger, `${this.#file}.${age}`).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    }
  }

  #time(): string {
    return new Date(this.#options.now()).toISOString();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** Field by field: new fields of an exchange are not written automatically. */
function lineOf(exchange: Exchange): object {
  return {
    at: new Date(exchange.started_at).toISOString(),
    id: exchange.id,
    session: exchange.session_id,
    key: exchange.key_id,
    turn: exchange.turn_id,
    agent: exchange.agent,
    engine: exchange.engine,
    provider: exchange.provider,
    wire: exchange.wire,
    route: exchange.route,
    model: exchange.model.slice(0, LIMITS.metricLabelChars),
    stream: exchange.stream,
    status: exchange.status,
    outcome: exchange.outcome,
    code: exchange.code,
    shortage: exchange.shortage,
    request_bytes: exchange.request_bytes,
    response_bytes: exchange.response_bytes,
    tokens: exchange.tokens,
    reserved_microusd: exchange.reserved_microusd,
    cost_microusd: exchange.cost_microusd,
    bound_microusd: exchange.bound_microusd,
    attempts: exchange.attempts,
    first_byte_ms: exchange.first_byte_ms,
    duration_ms: exchange.duration_ms,
  };
}
