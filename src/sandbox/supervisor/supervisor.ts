import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Failure, LIMITS, type Log } from "../../protocol/index.ts";
import { reapOrphans } from "../local.ts";
import { SupervisorConnection, type SupervisorPlace } from "./connection.ts";
import { SUPERVISOR_VERSION, type HeldProgramRequest, type HeldView } from "./messages.ts";
import { placesIn } from "./places.ts";
import { TakenProgram } from "./taken-program.ts";

const PROGRAM = fileURLToPath(new URL("./program.js", import.meta.url));
const TOKEN_BYTES = 32;

export interface SupervisorOptions {
  /** The server's own folder. */
  readonly home: string;
  /** Identifies that folder. */
  readonly marker: string;
  /** How long programs are held without a server. */
  readonly seconds: number;
  readonly log: Log;
}

/** The process that holds vendors' programs, so that they outlive the server. One for each home. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #place: SupervisorPlace;
  /** What a dead server left, by its id, until it has ended. */
  readonly #left = new Map<string, HeldView>();
  /** Ids of those that are left for the open turn of their session. */
  readonly #claimed = new Set<string>();
  /** Ids of those that a session works with again. */
  readonly #taken = new Set<string>();
  /** Tells the supervisor that a server is there. */
  #presence: SupervisorConnection | undefined;
  #isClosed = false;

  private constructor(options: SupervisorOptions, place: SupervisorPlace) {
    this.#options = options;
    this.#place = place;
  }

  /** Starts it, or finds the one that a dead server left. Undefined: it does not work here, and the log says why. */
  static async open(options: SupervisorOptions): Promise<Supervisor | undefined> {
    const { home, seconds, log } = options;
    const { socket: path, token, isShort } = placesIn(home);
    if (process.platform !== "linux" || !isShort) {
      const why = isShort ? "it needs Linux" : "the path of the home folder is too long for a socket";
      log.warn({ why }, "there is no supervisor: vendors' programs end with the server");
      return undefined;
    }
    const supervisor = new Supervisor(options, { path, token: tokenIn(token), seconds });
    try {
      await supervisor.#connect();
    } catch (error) {
      log.warn({ err: error }, "the supervisor does not start: vendors' programs end with the server");
      return undefined;
    }
    return supervisor;
  }

  /** Ends one that runs although the settings do not want it. */
  static async stop({ home, marker }: Pick<SupervisorOptions, "home" | "marker">): Promise<void> {
    const { socket: path, token, isShort } = placesIn(home);
    if (!existsSync(token)) return;
    if (isShort && existsSync(path)) {
      const found = await SupervisorConnection.open({ path, token: tokenIn(token), seconds: 0 });
      found?.connection.send({ type: "stop" });
      await found?.connection.closed;
    }
    await reapOrphans({ marker: heldMarker(marker) });
  }

  /** The programs that the supervisor of a home holds now; undefined: none runs. */
  static async look(home: string): Promise<readonly HeldView[] | undefined> {
    const { socket: path, token, isShort } = placesIn(home);
    if (!isShort || !existsSync(path) || !existsSync(token)) return undefined;
    const found = await SupervisorConnection.open({ path, token: readFileSync(token, "utf8") });
    found?.connection.socket.end();
    return found?.welcome.held;
  }

  /** The programs that a dead server left and nobody has taken up or ended yet. */
  get left(): readonly HeldView[] {
    return [...this.#left.values()];
  }

  /** Those of them that sessions go on with. */
  get claimed(): readonly HeldView[] {
    return this.left.filter(({ id }) => this.#claimed.has(id));
  }

  /** Whether the program of an open turn is held: then it is left for that turn. */
  claim(session_id: string, turn_id: string): boolean {
    const view = this.left.find((one) => one.session_id === session_id && one.turn === turn_id);
    if (view !== undefined) this.#claimed.add(view.id);
    return view !== undefined;
  }

  /** The program of a session's turn that a dead server left. */
  of(session_id: string): HeldView | undefined {
    return this.claimed.find((one) => one.session_id === session_id);
  }

  /** Ends what no session takes up. Answers how many. */
  async endUnclaimed(): Promise<number> {
    const nobodys = this.left.filter(({ id }) => !this.#claimed.has(id));
    await Promise.all(nobodys.map((view) => this.#end(view)));
    return nobodys.length;
  }

  /** A claimed program that its session did not take up after all is ended. */
  async endLeft(session_id: string): Promise<void> {
    const view = this.of(session_id);
    if (view !== undefined && !this.#taken.has(view.id)) await this.#end(view);
  }

  async open(program: HeldProgramRequest): Promise<TakenProgram> {
    if (this.#presence === undefined) await this.#connect();
    const connection = await this.#connection();
    connection.send({ type: "open", program });
    const opened = await connection.answer((report) => (report.type === "opened" ? report : undefined));
    if (opened === undefined) throw new Failure("tool_failed", "The supervisor ended while it started a program.");
    return new TakenProgram({ connection, pid: opened.pid, onOver: () => undefined });
  }

  /** Undefined: it is gone meanwhile. */
  async takeUp(session_id: string): Promise<TakenProgram | undefined> {
    const view = this.of(session_id);
    if (view === undefined) return undefined;
    this.#taken.add(view.id);
    return this.#attach(view).catch(() => {
      this.#forget(view);
      return undefined;
    });
  }

  /** The server stops. What it left is held for the next one. */
  close(): void {
    this.#isClosed = true;
    this.#presence?.socket.end();
  }

  async #end(view: HeldView): Promise<void> {
    const program = await this.#attach(view).catch(() => undefined);
    await program?.kill();
    this.#forget(view);
  }

  #forget({ id }: HeldView): void {
    for (const ids of [this.#left, this.#claimed, this.#taken]) ids.delete(id);
  }

  async #attach(view: HeldView): Promise<TakenProgram> {
    const connection = await this.#connection();
    connection.send({ type: "attach", id: view.id });
    const left = await connection.answer((report) => (report.type === "attached" ? report : undefined));
    if (left === undefined) throw new Failure("tool_failed", "The supervisor ended.");
    const { written, notes } = left;
    return new TakenProgram({
      connection,
      pid: view.pid,
      left: { turn: view.turn, note: view.note, written: new Set(written), notes: new Map(notes) },
      onOver: () => this.#forget(view),
    });
  }

  async #connection(): Promise<SupervisorConnection> {
    const found = await SupervisorConnection.open(this.#place);
    if (found === undefined) throw new Failure("tool_failed", "The supervisor does not answer.");
    return found.connection;
  }

  async #connect(): Promise<void> {
    const { log } = this.#options;
    const there = await SupervisorConnection.open(this.#place);
    const fits = there?.welcome.version === SUPERVISOR_VERSION;
    if (there !== undefined && !fits) {
      // It is of another version, and holds what nobody here understands.
      there.connection.send({ type: "stop" });
      await there.connection.closed;
    }
    const found = fits ? there : await this.#start();
    if (found === undefined) throw new Failure("tool_failed", "The supervisor does not answer.");
    for (const view of found.welcome.held) this.#left.set(view.id, view);
    const { connection } = found;
    this.#presence = connection;
    void connection.closed.then(() => {
      this.#presence = undefined;
      if (!this.#isClosed) log.warn({}, "the supervisor ended; it is started again with the next program");
    });
  }

  async #start(): ReturnType<typeof SupervisorConnection.open> {
    const { home, marker } = this.#options;
    const ours = heldMarker(marker);
    // What one left that was killed.
    await reapOrphans({ marker: ours });
    const child = spawn(process.execPath, [PROGRAM, home, ours], {
      detached: true,
      cwd: "/",
      env: {},
      stdio: ["ignore", "pipe", "ignore"],
    });
    await new Promise<void>((resolve) => {
      child.stdout.once("data", () => resolve());
      child.once("error", () => resolve());
      child.once("exit", () => resolve());
      setTimeout(resolve, LIMITS.supervisorStartMs).unref();
    });
    child.stdout.destroy();
    child.unref();
    return SupervisorConnection.open(this.#place);
  }
}

/** What held programs carry in place of the server's marker: nobody who ends a dead server's processes ends them. */
function heldMarker(marker: string): string {
  return `${marker}.held`;
}

function tokenIn(path: string): string {
  if (!existsSync(path)) writeFileSync(path, randomBytes(TOKEN_BYTES).toString("base64url"), { mode: 0o600 });
  chmodSync(path, 0o600);
  return readFileSync(path, "utf8");
}
