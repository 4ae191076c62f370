import { connect, type Socket } from "node:net";
import { Failure, LIMITS } from "../../protocol/index.ts";
import {
  encodeMessage,
  FrameReader,
  FRAMES,
  readMessage,
  SUPERVISOR_VERSION,
  SupervisorReport,
  type SupervisorRequest,
} from "./messages.ts";

type Welcome = Extract<SupervisorReport, { type: "welcome" }>;

export interface SupervisorPlace {
  readonly path: string;
  readonly token: string;
  /** How long it holds programs without a server. Absent: this is no server. */
  readonly seconds?: number;
}

/** Who gets what the supervisor says. */
interface ReportListener {
  report(report: SupervisorReport): void;
  /** A piece of output; an empty one is its end. */
  output(stream: "stdout" | "stderr", bytes: Buffer): void;
}

/** A connection to the supervisor, as the server sees it. */
export class SupervisorConnection {
  readonly socket: Socket;
  /** Resolves when it has ended. */
  readonly closed: Promise<void>;
  #listener: ReportListener | undefined;
  /** What came behind an answer, before anybody listened: no more than one piece of the socket. */
  #waiting: ((listener: ReportListener) => void)[] = [];
  /** Who waits for an answer. True: it was one. */
  #answer: ((report: SupervisorReport) => boolean) | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    const reader = new FrameReader((kind, payload) => {
      if (kind === FRAMES.message) this.#take(readMessage(SupervisorReport, payload));
      else {
        // A copy: the buffer around it would stay in memory as long as any part of it is waited for.
        const bytes = Buffer.from(payload);
        this.#deliver((listener) => listener.output(kind === FRAMES.stdout ? "stdout" : "stderr", bytes));
      }
    });
    socket.on("data", (chunk: Buffer) => {
      try {
        reader.take(chunk);
      } catch {
        socket.destroy();
      }
    });
    socket.on("error", () => undefined);
    this.closed = new Promise((resolve) => {
      socket.once("close", () => resolve());
    });
  }

  /** From now on everything goes there, beginning with what came behind the last answer. */
  listen(listener: ReportListener): void {
    this.#listener = listener;
    for (const deliver of this.#waiting.splice(0)) deliver(listener);
    this.socket.resume();
  }

  /** Undefined: nobody answers there. */
  static async open({
    path,
    token,
    seconds,
  }: SupervisorPlace): Promise<{ readonly connection: SupervisorConnection; readonly welcome: Welcome } | undefined> {
    const socket = connect(path);
    const isThere = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    if (!isThere) return undefined;
    const connection = new SupervisorConnection(socket);
    connection.send({ type: "hello", version: SUPERVISOR_VERSION, token, seconds });
    const welcome = await connection.answer((report) => (report.type === "welcome" ? report : undefined));
    return welcome === undefined ? undefined : { connection, welcome };
  }

  send(request: SupervisorRequest): void {
    if (this.socket.writable) this.socket.write(encodeMessage(request));
  }

  /** The first report that `pick` takes; a Failure when it is a refusal. Undefined: the connection ended before, or it took too long. */
  async answer<Answer>(pick: (report: SupervisorReport) => Answer | undefined): Promise<Answer | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => {
        this.socket.destroy();
        resolve(undefined);
      }, LIMITS.supervisorAnswerMs);
    });
    const answered = new Promise<Answer>((resolve, reject) => {
      this.#answer = (report) => {
        if (report.type === "refused") reject(new Failure("tool_failed", report.message));
        const picked = pick(report);
        if (picked !== undefined) resolve(picked);
        return picked !== undefined || report.type === "refused";
      };
    });
    try {
      return await Promise.race([answered, late, this.closed.then(() => undefined)]);
    } finally {
      clearTimeout(timer);
    }
  }

  #take(report: SupervisorReport): void {
    if (this.#answer?.(report) === true) this.#answer = undefined;
    else this.#deliver((listener) => listener.report(report));
  }

  #deliver(deliver: (listener: ReportListener) => void): void {
    if (this.#listener !== undefined) deliver(this.#listener);
    else {
      this.#waiting.push(deliver);
      this.socket.pause();
    }
  }
}
