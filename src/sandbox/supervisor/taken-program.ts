import type { Socket } from "node:net";
import { Readable, Writable } from "node:stream";
import { LIMITS } from "../../protocol/index.ts";
import type { Exit } from "../drain.ts";
import type { Held, KillOptions, Piped } from "../sandbox.ts";
import type { SupervisorConnection } from "./connection.ts";

export interface TakenOptions {
  readonly connection: SupervisorConnection;
  readonly pid: number;
  /** Of one that a dead server left; absent: it is new. */
  readonly left?: Held["left"];
  /** It was ended, or is left to the next server. */
  readonly onOver: () => void;
}

/** A program that the supervisor holds, as its owner in the server sees it. */
export class TakenProgram implements Piped {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exit: Promise<Exit>;
  readonly held: Held;
  readonly #options: TakenOptions;
  readonly #socket: Socket;
  /** Resolves when nothing of it is left. */
  readonly #gone: Promise<void>;
  #resolveGone: () => void = () => undefined;
  #isExited = false;
  #isOver = false;
  #isLeft = false;
  /** Its output no longer matters. */
  #isEnding = false;

  constructor(options: TakenOptions) {
    const { connection, pid, left } = options;
    this.#options = options;
    this.#socket = connection.socket;
    this.pid = pid;
    // Nothing more is read from the supervisor while its reader is behind.
    const output = (): Readable => new Readable({ read: () => void this.#socket.resume() });
    this.stdout = output();
    this.stderr = output();
    this.stdin = this.#input();
    this.held = this.#held(left);
    this.#gone = new Promise((resolve) => {
      this.#resolveGone = resolve;
    });
    this.exit = new Promise((resolve) => this.#follow(resolve));
  }

  signal(name: "SIGINT" | "SIGTERM" | "SIGKILL"): boolean {
    this.#send({ type: "signal", name });
    return !this.#isExited;
  }

  async kill({ graceMs = LIMITS.killGraceMs }: KillOptions = {}): Promise<void> {
    if (this.#isLeft || this.#isOver) return;
    this.#send({ type: "kill", grace_ms: graceMs });
    // Its output may wait for a reader that is gone.
    this.#isEnding = true;
    for (const stream of [this.stdout, this.stderr]) stream.resume();
    this.#socket.resume();
    await this.#gone;
  }

  #follow(exited: (exit: Exit) => void): void {
    const { connection } = this.#options;
    const end = (exit: Exit): void => {
      this.#isExited = true;
      exited(exit);
    };
    connection.listen({
      output: (name, bytes) => this.#output(this[name], bytes),
      report: (report) => {
        if (report.type === "exit") end({ code: report.code, signal: report.signal, reason: report.reason });
        if (report.type === "gone") this.#over();
      },
    });
    void connection.closed.then(() => {
      if (this.#isLeft) return;
      end({ code: null, signal: null, reason: "its supervisor ended" });
      this.#over();
    });
  }

  #output(stream: Readable, bytes: Buffer): void {
    if (this.#isOver || this.#isLeft) return;
    if (bytes.length > 0) {
      if (!stream.push(bytes) && !this.#isEnding) this.#socket.pause();
      return;
    }
    stream.push(null);
    // After its end nobody reads from it, and so nobody would go on.
    this.#socket.resume();
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#resolveGone();
    this.#options.onOver();
    for (const stream of [this.stdout, this.stderr]) if (!stream.readableEnded) stream.push(null);
    this.#socket.destroy();
  }

  #send(...[request]: Parameters<SupervisorConnection["send"]>): void {
    if (!this.#isOver && !this.#isLeft) this.#options.connection.send(request);
  }

  #input(): Writable {
    return new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.#send({ type: "write", text: chunk.toString("utf8") });
        done();
      },
      final: (done) => {
        this.#send({ type: "end_input" });
        done();
      },
    });
  }

  #held(left: Held["left"]): Held {
    const isLeft = (): boolean => this.#isLeft;
    return {
      left,
      write: (text, { key, begin } = {}) => this.#send({ type: "write", text, key, begin }),
      note: (key, text) => this.#send({ type: "note", key, text }),
      forfeit: () => this.#send({ type: "forfeit" }),
      get isLeft() {
        return isLeft();
      },
      leave: () => {
        this.#isLeft = true;
        this.#options.onOver();
        this.#socket.end();
      },
    };
  }
}
