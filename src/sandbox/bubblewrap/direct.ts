import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { Failure, LIMITS } from "../../protocol/index.ts";
import { boundMemory, usedTogether } from "../bound-memory.ts";
import type { Exit } from "../drain.ts";
import { notStarted, type HelperLimits } from "../remote/helper.ts";
import type { KillOptions, OpenRequest, Piped } from "../sandbox.ts";

/** Starts a program in namespaces of its own. */
type LaunchProgram = (request: OpenRequest) => Promise<ChildProcess>;

/**
 * A pipe behind the standard streams and the filter for system calls. A byte tells that the program runs, its end that nothing inside is
 * left: everything there inherits it.
 */
export const RUNNING_FD = 4;
/** A shell tells that it runs, and becomes the program. */
export const TELL_RUNNING = [
  "/bin/sh",
  "-c",
  `command -v "$1" >/dev/null || { echo "there is no such program" >&2; exit 127; }; echo >&${RUNNING_FD}; exec "$@"`,
  "sh",
] as const;

/** The same, after the command of the first three words has opened ports: it writes a line to a pipe, or ends. */
export const TELL_RUNNING_WITH_PORTS = [
  "/bin/sh",
  "-c",
  `pipe=$(mktemp -u) && mkfifo "$pipe" && { "$1" "$2" "$3" >"$pipe" 2>/dev/null & read -r _ <"$pipe"; rm "$pipe"; shift 3; exec ${TELL_RUNNING.slice(0, 2).join(" ")} '${TELL_RUNNING[2]}' sh "$@"; }`,
  "sh",
] as const;

/** How long the end of everything inside is waited for: what hangs in the kernel is not. */
const ENDING_MS = LIMITS.killSweeps * LIMITS.killPollMs;

/** Bubblewrap answers with the number of the signal that ended its program, above this. */
const SIGNALLED = 128;

/**
 * Programs with pipes, each in a sandbox of its own beside that of the session's commands: a vendor's program starts without a helper, and
 * no command sees its environment or its memory.
 */
export class DirectPrograms {
  readonly #launch: LaunchProgram;
  readonly #limits: HelperLimits;
  readonly #running = new Map<ChildProcess, Promise<unknown>>();
  #isClosed = false;

  constructor(launch: LaunchProgram, limits: HelperLimits) {
    this.#launch = launch;
    this.#limits = limits;
  }

  get busy(): boolean {
    return this.#running.size > 0;
  }

  async open(request: OpenRequest): Promise<Piped> {
    this.#refuseClosed();
    const child = await this.#launch(request);
    const { stdin, stdout, stderr } = child;
    // A broken pipe is a closed pipe: `exit` reports the end.
    for (const pipe of [stdin, stdout, stderr]) pipe?.on("error", () => undefined);
    const over = new Promise<Exit>((resolve) => {
      child.once("error", () => resolve({ code: null, signal: null }));
      child.once("exit", (code, signal) => resolve(exitOf(code, signal)));
    });
    const gone = Promise.race([goneOf(child), over.then(() => pause(ENDING_MS, undefined, { ref: false }))]);
    this.#running.set(child, gone);
    void gone.then(() => this.#running.delete(child));
    await running(child, request);
    if (this.#isClosed) child.kill("SIGKILL");
    this.#refuseClosed();
    const { pid } = child;
    if (pid === undefined || stdin === null || stdout === null || stderr === null)
      throw notStarted(request.argv, "it has no pipes");
    const signal = (name: NodeJS.Signals): boolean => isSignalled(programOf(pid), name);
    const kill = async ({ graceMs = LIMITS.killGraceMs }: KillOptions = {}): Promise<void> => {
      if (graceMs > 0 && signal("SIGTERM")) await Promise.race([over, pause(graceMs, undefined, { ref: false })]);
      // With the first process of its namespace everything in it ends.
      child.kill("SIGKILL");
      await gone;
    };
    const { memoryBytes, killedForMemory = () => 0 } = this.#limits;
    const killedBefore = killedForMemory();
    const reasonOf = boundMemory({ pid, exit: over, kill }, memoryBytes);
    const byKernel = ({ signal: by }: Exit): string | undefined =>
      by === "SIGKILL" && killedForMemory() > killedBefore ? usedTogether(memoryBytes) : undefined;
    const exit = over.then((end) => ({ ...end, reason: reasonOf() ?? byKernel(end) }));
    return { pid, stdin, stdout, stderr, exit, signal, kill };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const child of this.#running.keys()) child.kill("SIGKILL");
    await Promise.all(this.#running.values());
  }

  #refuseClosed(): void {
    if (this.#isClosed)
      throw new Failure("session_closed", "The session is closed: nothing can be started in it any more.");
  }
}

/** Resolves when the program runs; a Failure says why it does not. */
async function running(child: ChildProcess, request: OpenRequest): Promise<void> {
  const heard: Buffer[] = [];
  const { stderr } = child;
  // Whoever gets the stream reads it as if nothing had been read before.
  const hear = (): void => {
    const chunk: unknown = stderr?.read();
    if (chunk instanceof Buffer) heard.push(chunk);
  };
  stderr?.on("readable", hear);
  const problem = await new Promise<string | undefined>((resolve) => {
    tellsOf(child)?.once("data", () => resolve(undefined));
    child.once("error", (error) => resolve(error.message));
    // Whatever did not start has nobody else who writes.
    stderr?.once("close", () => {
      const complaint = Buffer.concat(heard).toString("utf8", 0, LIMITS.engineStderrChars).trim();
      resolve(complaint === "" ? "its sandbox ended" : complaint);
    });
  });
  stderr?.off("readable", hear);
  if (problem !== undefined) throw notStarted(request.argv, problem);
  // The program may have been faster than its own news.
  if (heard.length > 0) stderr?.unshift(Buffer.concat(heard));
}

function tellsOf(child: ChildProcess): Readable | undefined {
  return (child.stdio[RUNNING_FD] as Readable | null | undefined) ?? undefined;
}

/** Resolves when nothing that the program started is left. */
function goneOf(child: ChildProcess): Promise<void> {
  const tells = tellsOf(child);
  return new Promise((resolve) => {
    tells?.once("close", resolve);
    tells?.on("error", () => undefined);
    // What the program itself writes there means nothing.
    tells?.on("data", () => undefined);
    child.once("error", () => resolve());
  });
}

function exitOf(code: number | null, signal: NodeJS.Signals | null): Exit {
  if (code === null || code <= SIGNALLED) return { code, signal };
  const [name] = Object.entries(constants.signals).find(([, number]) => number === code - SIGNALLED) ?? [];
  return name === undefined ? { code, signal } : { code: null, signal: name };
}

/** Below bubblewrap is the first process of the namespace, and below that the program. */
function programOf(pid: number): number | undefined {
  const first = childOf(pid);
  return first === undefined ? undefined : childOf(first);
}

function childOf(pid: number): number | undefined {
  try {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ");
    return child === undefined || child === "" ? undefined : Number(child);
  } catch {
    return undefined;
  }
}

function isSignalled(pid: number | undefined, signal: NodeJS.Signals): boolean {
  try {
    return pid !== undefined && process.kill(pid, signal);
  } catch {
    return false;
  }
}
