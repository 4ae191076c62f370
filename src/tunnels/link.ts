import { randomBytes } from "node:crypto";
import { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";
import { Failure, LIMITS, TunnelHandshake, type TunnelProgress } from "../protocol/index.ts";

/** WebSocket close codes for "the other side is silent" and "the other side breaks the protocol". */
const CLOSE_SILENT = 4408;
const CLOSE_MISTAKE = 4400;

export interface LinkEvents {
  /** It is connected, for the first time or again. */
  attached?(): void;
  /** One of document 003's messages, as received. */
  message(text: string): void;
  /** Its WebSocket is gone; the link waits to be resumed. */
  cut(): void;
  /** It has ended for good, with its streams and sessions. */
  closed(reason: string): void;
}

/** How long a link may be silent and cut. Tests make it shorter. */
export interface LinkBounds {
  readonly pingMs: number;
  readonly silenceMs: number;
  readonly resumeMs: number;
  readonly replayBytes: number;
}

export const LINK_BOUNDS: LinkBounds = {
  pingMs: LIMITS.tunnelPingMs,
  silenceMs: LIMITS.tunnelSilenceMs,
  resumeMs: LIMITS.tunnelResumeMs,
  replayBytes: LIMITS.tunnelReplayBytes,
};

interface LinkOptions {
  /** The link's id at the other side. Absent: a new one. */
  readonly id?: string | undefined;
  readonly bounds?: LinkBounds | undefined;
  /** The other side knows document 003's messages only: nothing is acknowledged, and a cut is the end. */
  readonly isPlain?: boolean | undefined;
}

/** A message that arrived before the link listened. */
export interface EarlyMessage {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

/**
 * A stream of bytes and a list of messages in each direction, over one WebSocket after another. What the other side has not
 * acknowledged is kept and sent again, so that whoever uses it notices a cut as a pause. Binary messages are the stream; text
 * messages are counted, except acknowledgements.
 */
export class TunnelLink {
  readonly id: string;
  /** The stream of bytes, for HTTP/2. */
  readonly stream: Duplex;
  readonly #events: LinkEvents;
  readonly #bounds: LinkBounds;
  readonly #isPlain: boolean;
  #socket: WebSocket | undefined = undefined;
  #isClosed = false;
  /** Sent and not acknowledged, oldest first. */
  #bytes: Buffer[] = [];
  #unacknowledged = 0;
  #acknowledged = 0;
  #messages: string[] = [];
  #messageBytes = 0;
  #messagesAcknowledged = 0;
  #received: { bytes: number; messages: number } = { bytes: 0, messages: 0 };
  #told: TunnelProgress = { bytes: 0, messages: 0 };
  /** Set while the window is full and the writer waits. */
  #writable: (() => void) | undefined = undefined;
  /** Callers that wait until the other side has read more messages. */
  #readers: (() => void)[] = [];
  #heardAt = 0;
  #ackTimer: NodeJS.Timeout | undefined = undefined;
  #pingTimer: NodeJS.Timeout | undefined = undefined;
  #resumeTimer: NodeJS.Timeout | undefined = undefined;

  constructor(
    listen: (link: TunnelLink) => LinkEvents,
    { id, bounds = LINK_BOUNDS, isPlain = false }: LinkOptions = {},
  ) {
    this.id = id ?? randomBytes(16).toString("hex");
    this.#bounds = bounds;
    this.#isPlain = isPlain;
    this.stream = new Duplex({
      read: () => this.#socket?.resume(),
      write: (chunk: Buffer, _encoding, done) => this.#write(chunk, done),
      writev: (chunks, done) => this.#write(joined(chunks), done),
      final: (done) => done(),
      destroy: (error, done) => {
        done(error);
        this.close(error?.message ?? "it was closed here");
      },
    });
    // Users of the stream learn of its end by `close`.
    this.stream.on("error", () => undefined);
    this.#events = listen(this);
  }

  get isConnected(): boolean {
    return this.#socket !== undefined;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** What arrived so far, for the handshake. */
  get received(): TunnelProgress {
    return { ...this.#received };
  }

  /** Whether everything that the other side lacks is still kept here: only then can the link go on. */
  canResume({ bytes, messages }: TunnelProgress): boolean {
    if (this.#isClosed) return false;
    const sent = this.#acknowledged + this.#unacknowledged;
    const said = this.#messagesAcknowledged + this.#messages.length;
    return bytes >= this.#acknowledged && bytes <= sent && messages >= this.#messagesAcknowledged && messages <= said;
  }

  /** Goes on over this WebSocket, after a handshake that told what the other side has. */
  attach(socket: WebSocket, has: TunnelProgress, early: readonly EarlyMessage[] = []): void {
    if (!this.canResume(has)) throw new Failure("conflict", "the two sides do not agree on what was sent");
    this.#drop("another connection took its place");
    clearTimeout(this.#resumeTimer);
    this.#socket = socket;
    this.#heardAt = performance.now();
    this.#told = { ...this.#received };
    this.#acknowledge(has);
    socket.on("message", (data: RawData, isBinary: boolean) => this.#take(socket, data as Buffer, isBinary));
    socket.on("pong", () => this.#hear(socket));
    socket.on("ping", () => this.#hear(socket));
    socket.once("close", () => this.#lose(socket));
    socket.on("error", () => socket.terminate());
    this.#pingTimer = setInterval(() => this.#probe(socket), this.#bounds.pingMs);
    this.#pingTimer.unref();
    for (const chunk of this.#bytes) socket.send(chunk);
    for (const message of this.#messages) socket.send(message);
    for (const { data, isBinary } of early) this.#take(socket, data, isBinary);
    this.#events.attached?.();
  }

  /** Sends one message, once, also across a cut. */
  send(message: object): void {
    if (this.#isClosed) return;
    const text = JSON.stringify(message);
    if (this.#isPlain) {
      this.#socket?.send(text);
      if ((this.#socket?.bufferedAmount ?? 0) > LIMITS.tunnelReplayMessageBytes)
        this.close("the other side does not read its messages");
      return;
    }
    if (
      this.#messages.length >= LIMITS.tunnelReplayMessages ||
      this.#messageBytes + text.length > LIMITS.tunnelReplayMessageBytes
    ) {
      this.close("the other side does not read its messages");
      return;
    }
    this.#messages.push(text);
    this.#messageBytes += text.length;
    this.#socket?.send(text);
  }

  /** Resolves when the other side has read most of the messages, or the link has ended. Senders of many messages wait for it. */
  room(): Promise<void> {
    if (this.#isClosed || !this.#isFull) return Promise.resolve();
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  get #isFull(): boolean {
    const isLong = this.#messageBytes > LIMITS.tunnelReplayMessageBytes / 4;
    return isLong || this.#messages.length > LIMITS.tunnelUnreadMessages;
  }

  #wakeReaders(): void {
    for (const next of this.#readers.splice(0)) next();
  }

  /** Ends it for good, and tells the other side if it is connected. */
  close(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#resumeTimer);
    const socket = this.#socket;
    this.#stopTimers();
    this.#socket = undefined;
    socket?.close(1000, reason.slice(0, 100));
    this.#bytes = [];
    this.#messages = [];
    this.#wakeReaders();
    if (!this.stream.destroyed) this.stream.destroy(new Error(reason));
    this.#events.closed(reason);
  }

  #write(chunk: Buffer, done: () => void): void {
    for (let at = 0; at < chunk.length; at += LIMITS.tunnelPieceBytes) {
      const piece = chunk.subarray(at, at + LIMITS.tunnelPieceBytes);
      this.#bytes.push(piece);
      this.#unacknowledged += piece.length;
      this.#socket?.send(piece);
    }
    if (this.#unacknowledged < this.#bounds.replayBytes) done();
    else this.#writable = done;
  }

  #take(socket: WebSocket, data: Buffer, isBinary: boolean): void {
    if (socket !== this.#socket) return;
    this.#hear(socket);
    if (isBinary && !this.#isPlain) {
      this.#received.bytes += data.length;
      if (!this.stream.push(data)) socket.pause();
      this.#ackSoon();
      return;
    }
    const text = data.toString("utf8");
    const progress = this.#isPlain ? undefined : progressOf(text);
    if (progress === "unreadable") this.#refuse(socket);
    else if (progress !== undefined) {
      if (this.canResume(progress)) this.#acknowledge(progress);
      else this.#refuse(socket);
    } else {
      this.#received.messages += 1;
      this.#ackSoon();
      this.#events.message(text);
    }
  }

  #refuse(socket: WebSocket): void {
    socket.close(CLOSE_MISTAKE, "this message is not readable");
    this.close("the other side does not keep to the protocol");
  }

  #acknowledge({ bytes, messages }: TunnelProgress): void {
    let gone = bytes - this.#acknowledged;
    this.#acknowledged = bytes;
    this.#unacknowledged -= gone;
    while (gone > 0) {
      const [first] = this.#bytes;
      if (first === undefined) break;
      if (first.length > gone) {
        this.#bytes[0] = first.subarray(gone);
        break;
      }
      gone -= first.length;
      this.#bytes.shift();
    }
    for (const message of this.#messages.splice(0, messages - this.#messagesAcknowledged))
      this.#messageBytes -= message.length;
    this.#messagesAcknowledged = messages;
    if (!this.#isFull) this.#wakeReaders();
    const done = this.#writable;
    if (done === undefined || this.#unacknowledged >= this.#bounds.replayBytes) return;
    this.#writable = undefined;
    done();
  }

  #ackSoon(): void {
    if (this.#isPlain) return;
    const { bytes, messages } = this.#received;
    const isMuch = bytes - this.#told.bytes >= Math.min(LIMITS.tunnelAckBytes, this.#bounds.replayBytes / 4);
    if (isMuch || messages - this.#told.messages >= LIMITS.tunnelAckMessages) this.#ack();
    else if (bytes !== this.#told.bytes || messages !== this.#told.messages)
      this.#ackTimer ??= setTimeout(() => this.#ack(), LIMITS.tunnelAckMs).unref();
  }

  #ack(): void {
    clearTimeout(this.#ackTimer);
    this.#ackTimer = undefined;
    this.#told = { ...this.#received };
    this.#socket?.send(JSON.stringify({ type: "ack", ...this.#told } satisfies TunnelHandshake));
  }

  #hear(socket: WebSocket): void {
    if (socket === this.#socket) this.#heardAt = performance.now();
  }

  #probe(socket: WebSocket): void {
    if (socket !== this.#socket) return;
    // While our reader is slow nothing is read, so the other side is not silent.
    if (socket.isPaused) this.#heardAt = performance.now();
    if (performance.now() - this.#heardAt >= this.#bounds.silenceMs) {
      socket.close(CLOSE_SILENT, "no answer");
      socket.terminate();
      this.#lose(socket);
    } else socket.ping();
  }

  #lose(socket: WebSocket): void {
    if (socket !== this.#socket) return;
    this.#drop("cut");
    if (this.#isClosed) return;
    if (this.#isPlain) {
      this.close("the connection ended");
      return;
    }
    const seconds = this.#bounds.resumeMs / 1_000;
    this.#resumeTimer = setTimeout(() => this.close(`it was cut for ${seconds} s`), this.#bounds.resumeMs).unref();
    this.#events.cut();
  }

  #drop(reason: string): void {
    const socket = this.#socket;
    if (socket === undefined) return;
    this.#socket = undefined;
    this.#stopTimers();
    socket.close(1000, reason);
    if (socket.readyState !== socket.CLOSED) socket.terminate();
  }

  #stopTimers(): void {
    clearTimeout(this.#ackTimer);
    clearInterval(this.#pingTimer);
    this.#ackTimer = undefined;
    this.#pingTimer = undefined;
  }
}

function joined(chunks: readonly { readonly chunk: unknown }[]): Buffer {
  const buffers = chunks.map(({ chunk }) => chunk as Buffer);
  const [first] = buffers;
  return buffers.length === 1 && first !== undefined ? first : Buffer.concat(buffers);
}

const ACK_START = '{"type":"ack"';

/** Reads an acknowledgement. Undefined: it is another message. */
function progressOf(text: string): TunnelProgress | "unreadable" | undefined {
  if (!text.startsWith(ACK_START)) return undefined;
  try {
    const parsed = TunnelHandshake.safeParse(JSON.parse(text));
    return parsed.success && parsed.data.type === "ack" ? parsed.data : "unreadable";
  } catch {
    return "unreadable";
  }
}
