import type { WebSocket } from "ws";
import { Failure, LIMITS } from "../protocol/index.ts";
import type { Frame } from "../sessions/index.ts";
import { checkJson } from "./app.ts";

const CLOSE_TOO_SLOW = 1013;
const BEHIND_FACTOR = 8;
const AS_TEXT = { binary: false } as const;

/** One WebSocket with bounded memory: what is sent is waited for, what comes in is parsed with bounds. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #closed = new AbortController();

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.once("close", () => this.#closed.abort());
  }

  /** Aborted when the other side is gone, or is not listened to any more. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Ends it from our side: nothing that still comes is heard, nothing more is said. */
  end(code: number, reason: string): void {
    this.#closed.abort();
    this.#socket.close(code, reason);
  }

  /** Sends an answer. A client that asks and never reads is cut off. */
  say(message: object): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > LIMITS.socketBufferBytes * BEHIND_FACTOR) {
      this.#socket.close(CLOSE_TOO_SLOW, "read faster");
      return;
    }
    this.#socket.send(JSON.stringify(message));
  }

  /** Sends frames, which are encoded once for all sockets; resolves when there is room for more. With a signal none is sent after its abort. */
  async push(frames: readonly Pick<Frame, "bytes">[], signal?: AbortSignal): Promise<void> {
    const socket = this.#socket;
    for (const frame of frames) {
      if (socket.readyState !== socket.OPEN || signal?.aborted === true) return;
      if (socket.bufferedAmount < LIMITS.socketBufferBytes) socket.send(frame.bytes, AS_TEXT);
      else {
        await new Promise<void>((resolve) => {
          socket.send(frame.bytes, AS_TEXT, () => resolve());
        });
      }
    }
  }

  /** Calls back for each message, one at a time; a message that is not JSON goes to `broken`. */
  listen(handle: (message: unknown) => Promise<void> | void, broken: (failure: Failure) => void): void {
    let turn: Promise<void> = Promise.resolve();
    let waiting = 0;
    this.#socket.on("message", (data: Buffer, binary: boolean) => {
      if (waiting >= LIMITS.socketMessagesWaiting) {
        this.#socket.close(CLOSE_TOO_SLOW, "too many messages at once");
        return;
      }
      waiting += 1;
      turn = turn
        .then(() => (this.closed.aborted ? undefined : handle(parse(data, binary))))
        .catch((error: unknown) =>
          broken(error instanceof Failure ? error : new Failure("internal", "something went wrong here")),
        )
        .finally(() => {
          waiting -= 1;
        });
    });
    this.#socket.on("error", () => this.#socket.terminate());
  }
}

function parse(data: Buffer, binary: boolean): unknown {
  if (binary) throw new Failure("invalid_request", "Invalid JSON: send text, not binary");
  const text = data.toString("utf8");
  checkJson(text);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Failure("invalid_request", `Invalid JSON: ${error instanceof Error ? error.message : "?"}`);
  }
}
