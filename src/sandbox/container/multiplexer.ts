import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { LIMITS } from "../../protocol/limits.ts";

/** Each frame: its kind, the connection it belongs to, the length of what follows. */
const HEAD_BYTES = 9;
const KINDS = { control: 0, open: 1, data: 2, end: 3, close: 4, taken: 5 } as const;
type Kind = (typeof KINDS)[keyof typeof KINDS];

interface MultiplexerOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** What the other end says to this one outside of any connection. */
  readonly onControl: (chunk: Buffer) => void;
  /** The other end connects to the socket with this number. Absent: it never does. */
  readonly connect?: ((target: number) => Socket) | undefined;
}

interface Connection {
  readonly socket: Socket;
  /** Bytes that may still be sent before the other end has taken some. */
  credit: number;
  /** Bytes that were written here and not yet told. */
  taken: number;
}

/**
 * Carries the connections of a sandbox over a pipe: the sockets of this machine cannot be reached from a virtual machine. Each
 * connection has a window, so that one that is not read does not hold up the others, nor fill the memory.
 */
export class Multiplexer {
  readonly #options: MultiplexerOptions;
  readonly #connections = new Map<number, Connection>();
  #next = 0;
  #rest: Buffer = Buffer.alloc(0);

  constructor(options: MultiplexerOptions) {
    this.#options = options;
    options.input.on("data", (chunk: Buffer) => this.#take(chunk));
  }

  control(chunk: Buffer): void {
    this.#send(KINDS.control, 0, chunk);
  }

  /** A connection that was made here, to the socket with this number there. */
  open(socket: Socket, target: number): void {
    this.#next += 1;
    this.#send(KINDS.open, this.#next, Buffer.from([target]));
    this.#carry(this.#next, socket);
  }

  #carry(id: number, socket: Socket): void {
    const connection: Connection = { socket, credit: LIMITS.sandboxWindowBytes, taken: 0 };
    this.#connections.set(id, connection);
    socket.on("data", (chunk: Buffer) => {
      this.#send(KINDS.data, id, chunk);
      connection.credit -= chunk.length;
      if (connection.credit <= 0) socket.pause();
    });
    socket.once("end", () => this.#send(KINDS.end, id));
    socket.on("error", () => undefined);
    socket.once("close", () => {
      if (this.#connections.delete(id)) this.#send(KINDS.close, id);
    });
  }

  #send(kind: Kind, id: number, body: Buffer = Buffer.alloc(0)): void {
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt8(kind, 0);
    head.writeUInt32LE(id, 1);
    head.writeUInt32LE(body.length, 5);
    this.#options.output.write(Buffer.concat([head, body]));
  }

  #take(chunk: Buffer): void {
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (rest.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + rest.readUInt32LE(5);
      // Nothing that this program sends is longer: the other end is not one of ours.
      if (end > LIMITS.sandboxMessageChars) throw new Error("a frame without an end");
      if (rest.length < end) break;
      this.#frame(rest.readUInt8(0), rest.readUInt32LE(1), rest.subarray(HEAD_BYTES, end));
      rest = rest.subarray(end);
    }
    this.#rest = rest;
  }

  #frame(kind: number, id: number, body: Buffer): void {
    if (kind === KINDS.control) {
      this.#options.onControl(body);
      return;
    }
    const connection = this.#connections.get(id);
    if (kind === KINDS.open && connection === undefined) {
      const socket = this.#options.connect?.(body.readUInt8(0));
      if (socket !== undefined) this.#carry(id, socket);
      return;
    }
    if (connection === undefined) return;
    const { socket } = connection;
    if (kind === KINDS.data) socket.write(body, () => this.#tell(id, connection, body.length));
    else if (kind === KINDS.end) socket.end();
    else if (kind === KINDS.close) {
      this.#connections.delete(id);
      socket.destroySoon();
    } else if (kind === KINDS.taken) {
      connection.credit += body.readUInt32LE(0);
      if (connection.credit > 0) socket.resume();
    }
  }

  #tell(id: number, connection: Connection, bytes: number): void {
    connection.taken += bytes;
    if (connection.taken < LIMITS.sandboxWindowBytes / 2) return;
    const body = Buffer.alloc(4);
    body.writeUInt32LE(connection.taken, 0);
    connection.taken = 0;
    this.#send(KINDS.taken, id, body);
  }
}
