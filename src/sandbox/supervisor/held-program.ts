import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { LIMITS } from "../../protocol/limits.ts";
import type { Piped } from "../sandbox.ts";
import {
  encodeFrame,
  encodeMessage,
  FRAMES,
  type HeldProgramRequest,
  type HeldView,
  type SupervisorRequest,
} from "./messages.ts";
import { Spool } from "./spool.ts";

/** Requests about one program. */
export type ProgramRequest = Exclude<SupervisorRequest, { type: "hello" | "open" | "attach" | "stop" }>;

interface HeldOptions {
  /** How long it is kept without a server. */
  readonly seconds: () => number;
  readonly onGone: () => void;
}

/** A program, its output until somebody has read it, and what it was told. At most one server is connected to it. */
export class HeldProgram {
  readonly id = randomUUID();
  readonly request: HeldProgramRequest;
  readonly #program: Piped;
  readonly #options: HeldOptions;
  #alone: NodeJS.Timeout | undefined;
  readonly #spool = new Spool();
  readonly #written = new Set<string>();
  readonly #notes = new Map<string, string>();
  #noteChars = 0;
  #turn = "";
  #socket: Socket | undefined;
  #isBlocked = false;
  #exit: Awaited<Piped["exit"]> | undefined;
  #isExitTold = false;

  constructor(request: HeldProgramRequest, program: Piped, options: HeldOptions) {
    this.request = request;
    this.#program = program;
    this.#options = options;
    this.#read(program.stdout, FRAMES.stdout);
    this.#read(program.stderr, FRAMES.stderr);
    void program.exit.then((exit) => {
      this.#exit = exit;
      this.#pump();
    });
  }

  get view(): HeldView {
    const { session_id, key, note, place } = this.request;
    const folder = place.kind === "bubblewrap" ? { folder: place.request.folder } : {};
    return { id: this.id, session_id, turn: this.#turn, key, note, pid: this.#program.pid, ...folder };
  }

  /** From now on its output goes there; after `again` everything since the turn began. The one before is no longer listened to. */
  connect(socket: Socket, again?: "again"): void {
    this.#socket?.destroy();
    this.#socket = socket;
    clearTimeout(this.#alone);
    this.#isBlocked = false;
    this.#isExitTold = false;
    if (again) {
      this.#spool.rewind();
      socket.write(encodeMessage({ type: "attached", written: [...this.#written], notes: [...this.#notes] }));
    } else socket.write(encodeMessage({ type: "opened", pid: this.#program.pid }));
    socket.on("drain", () => {
      this.#isBlocked = false;
      this.#pump();
    });
    socket.once("close", () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      // A server that lives on may have lost it by mistake.
      this.#alone = setTimeout(() => void this.end(LIMITS.killGraceMs), this.#options.seconds() * 1_000);
    });
    this.#pump();
  }

  take(request: ProgramRequest): void {
    switch (request.type) {
      case "write":
        this.#write(request);
        return;
      case "note":
        this.#notes.set(request.key, request.text);
        this.#noteChars += request.key.length + request.text.length;
        if (this.#noteChars > LIMITS.supervisorNoteChars) this.#forfeit();
        return;
      case "forfeit":
        this.#forfeit();
        return;
      case "end_input":
        this.#program.stdin.end();
        return;
      case "signal":
        this.#program.signal(request.name);
        return;
      case "kill":
        void this.end(request.grace_ms);
    }
  }

  /** Ends it with all that it started. */
  async end(graceMs: number): Promise<void> {
    clearTimeout(this.#alone);
    await this.#program.kill({ graceMs });
    this.#options.onGone();
    this.#socket?.write(encodeMessage({ type: "gone" }));
  }

  #write({ text, key, begin }: Extract<ProgramRequest, { type: "write" }>): void {
    if (begin !== undefined) this.#begin(begin);
    if (key !== undefined) {
      if (this.#written.has(key)) return;
      this.#written.add(key);
      if (this.#written.size > LIMITS.supervisorWrites) this.#forfeit();
    }
    if (this.#program.stdin.writable) this.#program.stdin.write(text);
  }

  #begin(turn: string): void {
    this.#forfeit();
    this.#turn = turn;
  }

  /** Nothing of what was so far can be taken up. */
  #forfeit(): void {
    this.#turn = "";
    this.#written.clear();
    this.#notes.clear();
    this.#noteChars = 0;
    this.#spool.mark();
    this.#pump();
  }

  #read(stream: Readable, kind: typeof FRAMES.stdout | typeof FRAMES.stderr): void {
    stream.on("data", (chunk: Buffer) => {
      this.#spool.add(encodeFrame(kind, chunk));
      this.#pump();
    });
    stream.once("end", () => {
      this.#spool.add(encodeFrame(kind, Buffer.alloc(0)));
      this.#pump();
    });
  }

  #send(socket: Socket): void {
    while (!this.#isBlocked) {
      const bytes = this.#spool.next();
      if (bytes === undefined) return;
      this.#isBlocked = !socket.write(bytes);
    }
  }

  /** Sends what the server can take, and reads from the program what there is room for. */
  #pump(): void {
    const socket = this.#socket;
    if (socket !== undefined) this.#send(socket);
    // Only what was read already is in the way: the turn goes on, and can no longer be taken up.
    if (this.#spool.isFull && this.#spool.isAllSent && this.#turn !== "") {
      this.#forfeit();
      return;
    }
    // Without a turn nothing is needed twice.
    if (this.#turn === "") this.#spool.mark();
    this.#spool.release();
    for (const stream of [this.#program.stdout, this.#program.stderr])
      if (this.#spool.isFull) stream.pause();
      else if (stream.isPaused()) stream.resume();
    if (this.#exit === undefined || this.#isExitTold || socket === undefined || !this.#spool.isAllSent) return;
    this.#isExitTold = true;
    socket.write(encodeMessage({ type: "exit", ...this.#exit }));
  }
}
