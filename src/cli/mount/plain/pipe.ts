import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants, openSync } from "node:fs";
import { Socket } from "node:net";
import { MountTrouble } from "../../../fuse/index.ts";
import { LIMITS } from "../../../protocol/index.ts";

export interface PipeOptions {
  readonly path: string;
  /** Where programs are searched. */
  readonly programs: string;
  /** Called with one message after the other. Never fails. */
  readonly onMessage: (message: Uint8Array) => Promise<void>;
  /** More was written at once than a message may hold; it is dropped. */
  readonly onTooLong: () => void;
}

/** A named pipe that takes messages. A message ends when nothing has arrived for a moment. */
export class MessagePipe {
  readonly #options: PipeOptions;
  readonly #socket: Socket;
  #parts: Buffer[] = [];
  #length = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();

  private constructor(options: PipeOptions, socket: Socket) {
    this.#options = options;
    this.#socket = socket;
    socket.on("data", (bytes: Buffer) => this.#take(bytes));
    socket.on("error", () => undefined);
  }

  static async make(options: PipeOptions): Promise<MessagePipe> {
    const maker = spawn("mkfifo", ["-m", "600", "--", options.path], {
      env: { PATH: options.programs },
      stdio: "ignore",
      timeout: LIMITS.mountProgramMs,
    });
    const [code] = (await once(maker, "close")) as [number | null];
    if (code !== 0) throw new MountTrouble(`the pipe ${options.path} could not be made`);
    // For reading and writing: while there is a writer, readers never see an end.
    const fd = openSync(options.path, constants.O_RDWR | constants.O_NONBLOCK);
    return new MessagePipe(options, new Socket({ fd, readable: true, writable: false }));
  }

  /** Takes no more; complete messages are sent. */
  async close(): Promise<void> {
    this.#socket.destroy();
    this.#flush();
    await this.#sending;
  }

  #take(bytes: Buffer): void {
    clearTimeout(this.#timer);
    this.#length += bytes.length;
    if (this.#length <= LIMITS.mountWriteBytes) this.#parts.push(bytes);
    else this.#parts = [];
    this.#timer = setTimeout(() => this.#flush(), LIMITS.mountPlainQuietMs);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    const length = this.#length;
    const message = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    if (length > LIMITS.mountWriteBytes) this.#options.onTooLong();
    else if (length > 0) this.#sending = this.#sending.then(() => this.#options.onMessage(message));
  }
}
