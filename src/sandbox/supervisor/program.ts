/** `program.js <options>`: holds the programs of a home's sessions while no server runs. Started by `Supervisor.open`. */
import { timingSafeEqual } from "node:crypto";
import { chmodSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { LIMITS } from "../../protocol/limits.ts";
import { openBubblewrapProgram } from "../bubblewrap/driver.ts";
import { openLocalSandbox } from "../local.ts";
import { ProcessMarks } from "../marks.ts";
import type { Piped } from "../sandbox.ts";
import { openWatchdog } from "../watchdog.ts";
import { HeldProgram, type ProgramRequest } from "./held-program.ts";
import {
  encodeMessage,
  FrameReader,
  FRAMES,
  readMessage,
  SUPERVISOR_VERSION,
  SupervisorRequest,
  type HeldProgramRequest,
} from "./messages.ts";
import { placesIn } from "./places.ts";

const [, , home = "", marker = ""] = process.argv;
const { socket: path, token: tokenPath } = placesIn(home);
const token = readFileSync(tokenPath);
const marks = await ProcessMarks.open(marker, Math.random);
const watchdog = openWatchdog({
  marker,
  life: marks.life,
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  onLost: () => undefined,
});

const held = new Map<string, HeldProgram>();
const connections = new Set<Socket>();
let seconds = 0;
let giveUp: NodeJS.Timeout | undefined;

const end = async (): Promise<void> => {
  server.close();
  rmSync(path, { force: true });
  await Promise.all([...held.values()].map((program) => program.end(LIMITS.killGraceMs)));
  process.exit(0);
};

/** Without a server everything ends after a time: at once if nothing is held. */
const watchServer = (): void => {
  clearTimeout(giveUp);
  if (connections.size === 0) giveUp = setTimeout(() => void end(), held.size === 0 ? 0 : seconds * 1_000);
};

async function open(request: HeldProgramRequest): Promise<HeldProgram> {
  const { session_id, place, argv, cwd, env } = request;
  const wanted = { argv, cwd, env };
  let close = (): Promise<unknown> => Promise.resolve();
  let program: Piped;
  if (place.kind === "local") {
    const sandbox = openLocalSandbox({ sessionId: session_id, marker, marks, watchdog, ...place });
    const isAlone = (): boolean => ![...held.values()].some(({ request: other }) => other.session_id === session_id);
    // It would end everything of the session.
    close = async () => (isAlone() ? sandbox.close() : undefined);
    program = await sandbox.open(wanted);
  } else program = await openBubblewrapProgram(place.request, wanted);
  const onGone = (): void => {
    held.delete(opened.id);
    void close();
    watchServer();
  };
  const opened: HeldProgram = new HeldProgram(request, program, { seconds: () => seconds, onGone });
  held.set(opened.id, opened);
  return opened;
}

function isToken(given: string): boolean {
  const bytes = Buffer.from(given);
  return bytes.length === token.length && timingSafeEqual(bytes, token);
}

/** One connection of a server. */
class ConnectedServer {
  readonly #socket: Socket;
  #isKnown = false;
  /** The program that it is about. What is written before it has started waits for it. */
  #program: Promise<HeldProgram | undefined> | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    const reader = new FrameReader((kind, payload) => {
      if (kind !== FRAMES.message) throw new Error("an unknown frame");
      this.#take(readMessage(SupervisorRequest, payload));
    });
    socket.on("data", (chunk: Buffer) => {
      try {
        reader.take(chunk);
      } catch {
        // Nobody of ours wrote that.
        socket.destroy();
      }
    });
    socket.on("error", () => undefined);
    socket.once("close", () => {
      if (connections.delete(socket)) watchServer();
    });
  }

  #take(request: SupervisorRequest): void {
    if (request.type === "hello") {
      this.#greet(request);
      return;
    }
    if (!this.#isKnown) throw new Error("a stranger");
    switch (request.type) {
      case "open":
        this.#program = this.#open(request.program);
        return;
      case "attach":
        this.#program = Promise.resolve(this.#attach(request.id));
        return;
      case "stop":
        void end();
        return;
      default:
        this.#forward(request);
    }
  }

  #greet(request: Extract<SupervisorRequest, { type: "hello" }>): void {
    if (!isToken(request.token)) throw new Error("a stranger");
    this.#isKnown = true;
    if (request.seconds !== undefined) {
      connections.add(this.#socket);
      seconds = request.seconds;
      watchServer();
    }
    const views = [...held.values()].map(({ view }) => view);
    const { pid } = process;
    this.#socket.write(encodeMessage({ type: "welcome", version: SUPERVISOR_VERSION, pid, held: views }));
  }

  async #open(request: HeldProgramRequest): Promise<HeldProgram | undefined> {
    try {
      if (held.size >= LIMITS.supervisorPrograms) throw new Error("the supervisor holds too many programs");
      const program = await open(request);
      // Its server died meanwhile: nobody knows of it.
      if (this.#socket.destroyed) await program.end(0);
      else program.connect(this.#socket);
      return program;
    } catch (error) {
      this.#socket.write(encodeMessage({ type: "refused", message: error instanceof Error ? error.message : "" }));
      return undefined;
    }
  }

  #attach(id: string): HeldProgram | undefined {
    const program = held.get(id);
    if (program === undefined) this.#socket.write(encodeMessage({ type: "refused", message: "it is gone" }));
    else program.connect(this.#socket, "again");
    return program;
  }

  #forward(request: ProgramRequest): void {
    void this.#program?.then((program) => program?.take(request));
  }
}

const server = createServer((socket) => void new ConnectedServer(socket));
rmSync(path, { force: true });
const mask = process.umask(0o077);
await new Promise<void>((resolve) => {
  server.listen(path, resolve);
});
process.umask(mask);
chmodSync(path, 0o600);
giveUp = setTimeout(() => void end(), LIMITS.supervisorStartMs);
process.stdout.on("error", () => undefined);
process.stdout.end("ready\n");
