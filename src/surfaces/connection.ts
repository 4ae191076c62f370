import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { Failure, LIMITS } from "../protocol/index.ts";
import type { Frame } from "../sessions/index.ts";
import { checkJson } from "./request-bodies.ts";

const CLOSE_TOO_SLOW = 1013;
const AS_TEXT = { binary: false } as const;

/** One WebSocket with bounded memory: sends are awaited, incoming messages are parsed with bounds. */
export class SocketConnection {
  readonly #socket: WebSocket;
  /** What the socket writes to. */
  readonly #stream: Pick<Duplex, "cork" | "uncork">;
  readonly #closed = new AbortController();
  /** Set while answers wait for the client to read: resolves when they are gone. */
  #answersSent: Promise<void> | undefined;
  /** Messages of the client that are not handled yet. */
  #waiting = { messages: 0, bytes: 0 };
  #said = 0;

  constructor(socket: WebSocket, stream: Pick<Duplex, "cork" | "uncork">) {
    this.#socket = socket;
    this.#stream = stream;
    socket.once("close", () => this.#closed.abort());
  }

  /** Aborted when the other side is gone, or is no longer read. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** How many messages were sent so far. */
  get said(): number {
    return this.#said;
  }

  /** Ends it from our side: ignores what still arrives, sends nothing more. */
  end(code: number, reason: string): void {
    this.#closed.abort();
    this.#socket.close(code, reason);
  }

  /** Sends an answer. If a client does not read its answers, no further message is taken; in the end it is cut off. */
  say(message: object): void {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > LIMITS.socketAnswerBytes) {
      socket.close(CLOSE_TOO_SLOW, "read faster");
      return;
    }
    this.#said += 1;
    if (socket.bufferedAmount < LIMITS.socketBacklogBytes) {
      socket.send(JSON.stringify(message));
      return;
    }
    const sent = new Promise<void>((resolve) => {
      socket.send(JSON.stringify(message), () => resolve());
    });
    this.#answersSent = sent;
    void sent.then(() => {
      if (this.#answersSent === sent) this.#answersSent = undefined;
      this.#listenOrNot();
    });
    this.#listenOrNot();
  }

  /** Reads from the client only while its answers go out and its messages are handled: the rest waits on its side. */
  #listenOrNot(): void {
    const isFull = this.#waiting.bytes > LIMITS.socketMessageBytes;
    if (this.#answersSent !== undefined || isFull) this.#socket.pause();
    else this.#socket.resume();
  }

  /** Sends frames, which are encoded once for all sockets; resolves when there is room for more. Empties the batch as it goes, so that a slow reader holds little memory. Sends none after the signal is aborted. */
  async push(frames: Pick<Frame, "bytes">[], signal?: AbortSignal): Promise<void> {
    const socket = this.#socket;
    while (frames.length > 0) {
      if (socket.readyState !== socket.OPEN || signal?.aborted === true) return;
      if (socket.bufferedAmount < LIMITS.socketBacklogBytes) this.#sendTogether(frames);
      else await this.#sendOne(frames);
    }
  }

  /** As many as there is room for, in one write to the kernel. */
  #sendTogether(frames: Pick<Frame, "bytes">[]): void {
    this.#stream.cork();
    do this.#send(frames.shift());
    while (frames.length > 0 && this.#socket.bufferedAmount < LIMITS.socketBacklogBytes);
    this.#stream.uncork();
  }

  #sendOne(frames: Pick<Frame, "bytes">[]): Promise<void> {
    return new Promise((resolve) => {
      this.#send(frames.shift(), resolve);
    });
  }

  #send(frame: Pick<Frame, "bytes"> | undefined, sent?: () => void): void {
    if (frame === undefined) return;
    this.#said += 1;
    this.#socket.send(frame.bytes, AS_TEXT, sent);
  }

  /**
   * Calls back for each message, one at a time, with the count of messages sent when it arrived; one that is not JSON goes
   * to `broken`.
   */
  listen(handle: (message: unknown, said: number) => Promise<void> | void, broken: (failure: Failure) => void): void {
    let turn: Promise<void> = Promise.resolve();
    const waiting = this.#waiting;
    this.#socket.on("message", (data: Buffer, binary: boolean) => {
      if (waiting.messages >= LIMITS.socketMessagesWaiting) {
        this.#socket.close(CLOSE_TOO_SLOW, "too many messages at once");
        return;
      }
      waiting.messages += 1;
      waiting.bytes += data.length;
      this.#listenOrNot();
      const said = this.#said;
      turn = turn
        .then(() => this.#answersSent)
        .then(() => (this.closed.aborted ? undefined : handle(parse(data, binary), said)))
        .catch((error: unknown) =>
          broken(error instanceof Failure ? error : new Failure("internal", "something went wrong here")),
        )
        .finally(() => {
          waiting.messages -= 1;
          waiting.bytes -= data.length;
          this.#listenOrNot();
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
