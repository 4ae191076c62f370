import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { errorText, Failure, LIMITS } from "../protocol/index.ts";
import { boundMemory } from "./bound-memory.ts";
import { drain, type Exit } from "./drain.ts";
import { Groups } from "./groups.ts";
import { isMarkOf, type ProcessMarks } from "./marks.ts";

import { endProcesses, listProcesses, withDescendants, type ProcessEntry } from "./processes.ts";
import type { Watchdog } from "./watchdog.ts";
import type { KillOptions, OpenRequest, Piped, Running, Sandbox, SpawnRequest } from "./sandbox.ts";

const PASSED_ON = ["LANG", "LC_ALL", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ"] as const;
const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

const SESSION = "SALLYPORT_SESSION";
const INSTANCE = "SALLYPORT_INSTANCE";
const RUN = "SALLYPORT_RUN";

export interface LocalSandboxOptions {
  readonly sessionId: string;
  /** HOME of everything that runs here. */
  readonly home: string;
  /** Identifies the server's home folder: a later server of the same home uses it to end what this one left. */
  readonly marker: string;
  /** Marks that a process cannot remove; absent: only its environment identifies it. */
  readonly marks?: ProcessMarks | undefined;
  /** Ends what runs here if the server is killed; absent: the next start does. */
  readonly watchdog?: Pick<Watchdog, "begin"> | undefined;
  /** Memory limit of each opened process and its children; absent: LIMITS.engineMemoryBytes. */
  readonly memoryBytes?: number | undefined;
  /** The same of each command that is spawned; absent: LIMITS.commandMemoryBytes. */
  readonly commandMemoryBytes?: number | undefined;
  /** PATH; absent: that of `environment`, else the system's usual folders. */
  readonly path?: string | undefined;
  /** The server's environment: only the few harmless variables named in PASSED_ON (and PATH) are taken from it. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Runs programs directly on this machine. It is no wall: it gives a clean environment and ends what it started. Every
 * process carries three variables, so that one which leaves its group (setsid, a double fork) is still found.
 */
export function openLocalSandbox(options: LocalSandboxOptions): Sandbox {
  const environment = cleanEnvironment(options);
  const groups = new Groups();
  const searchPath = (environment["PATH"] ?? "").split(":").filter((folder) => folder.startsWith("/"));
  const marks = options.marks?.sandbox();
  const sandboxId = randomUUID();
  let spawned = 0;
  let closed = false;

  const ofSession = async (): Promise<readonly ProcessEntry[]> => {
    const entries = await listProcesses();
    const isMember = groups.membership(entries);
    return withDescendants(
      entries,
      (entry) =>
        (entry.startedWith(SESSION, options.sessionId) && entry.startedWith(INSTANCE, options.marker)) ||
        isMember(entry) ||
        marks?.has(entry.mark) === true,
    );
  };

  const prepare = <Request extends OpenRequest>(request: Request): ProcessStart<Request> => {
    if (closed) throw new Failure("session_closed", "The session is closed: nothing can be started in it any more.");
    spawned += 1;
    options.watchdog?.begin();
    // Unique even if a session has had a sandbox before, whose processes are still being ended.
    const run = `${sandboxId}.${spawned}`;
    const { argv, cwd } = request;
    return {
      request,
      command: marks?.wrap(argv, { run: spawned, searchPath, cwd }) ?? argv,
      environment: { ...environment, ...request.env, ...variables(options, run) },
      run,
      mark: marks?.of(spawned),
      groups,
    };
  };

  return {
    kind: "local",
    searchPath,
    get busy() {
      return groups.any;
    },
    spawn: async (request) => start(prepare(request), options.commandMemoryBytes ?? LIMITS.commandMemoryBytes),
    open: async (request) => talk(prepare(request), options.memoryBytes ?? LIMITS.engineMemoryBytes),
    async close() {
      closed = true;
      if (spawned > 0)
        await endProcesses({ find: ofSession, groups: () => groups.withLeader(), graceMs: LIMITS.killGraceMs });
      marks?.close();
    },
  };
}

/** Ends every process of this home that belongs to no session of `living`. At the start there are none. Returns how many it ended. */
export async function reapOrphans(options: {
  readonly marker: string;
  readonly living?: readonly string[] | undefined;
  /** The marks of this server; absent: processes of any server of this home are strays. */
  readonly marks?: ProcessMarks | undefined;
}): Promise<number> {
  const { marker, living = [], marks } = options;
  const isMarked = ({ mark }: ProcessEntry): boolean => marks?.isStray(mark) ?? isMarkOf(mark, { marker });
  const find = async (): Promise<readonly ProcessEntry[]> => {
    const entries = await listProcesses();
    const spared = ancestors(entries, process.pid);
    const isStray = (entry: ProcessEntry): boolean =>
      isMarked(entry) || (entry.startedWith(INSTANCE, marker) && !living.some((id) => entry.startedWith(SESSION, id)));
    return withDescendants(entries, isStray).filter(({ pid }) => !spared.has(pid));
  };
  return endProcesses({ find, groups: () => [], graceMs: LIMITS.killGraceMs });
}

/**
 * Ends what a server left that has just died. The next server may already run processes of its own. Their mark tells them
 * apart; without marks, only processes that began before `now` are ended.
 */
export async function reapAfter(dead: {
  readonly marker: string;
  readonly life: number;
  /** Clock ticks since the system's start. */
  readonly now: number;
}): Promise<number> {
  const { marker, now } = dead;
  const find = async (): Promise<readonly ProcessEntry[]> => {
    const entries = await listProcesses();
    const spared = ancestors(entries, process.pid);
    const isLeft = (entry: ProcessEntry): boolean =>
      entry.mark === undefined ? entry.startedWith(INSTANCE, marker) && entry.begun <= now : isMarkOf(entry.mark, dead);
    return withDescendants(entries, isLeft).filter(({ pid }) => !spared.has(pid));
  };
  return endProcesses({ find, groups: () => [], graceMs: LIMITS.killGraceMs });
}

function ancestors(entries: readonly ProcessEntry[], pid: number): ReadonlySet<number> {
  const parents = new Map(entries.map((entry) => [entry.pid, entry.parent]));
  const found = new Set<number>();
  for (let next: number | undefined = pid; next !== undefined && !found.has(next); next = parents.get(next))
    found.add(next);
  return found;
}

function variables(options: LocalSandboxOptions, run: string): Readonly<Record<string, string>> {
  return { [SESSION]: options.sessionId, [INSTANCE]: options.marker, [RUN]: run };
}

function cleanEnvironment(options: LocalSandboxOptions): Readonly<Record<string, string>> {
  const given = options.environment ?? {};
  const environment: Record<string, string> = {
    HOME: options.home,
    PATH: options.path ?? given["PATH"] ?? DEFAULT_PATH,
    TERM: "dumb",
  };
  for (const name of PASSED_ON) {
    const value = given[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}

interface ProcessStart<Request> {
  readonly request: Request;
  /** What is really started: the request's command line, wrapped to set the mark. */
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  readonly run: string;
  readonly mark: bigint | undefined;
  readonly groups: Groups;
}

async function start(starting: ProcessStart<SpawnRequest>, memoryBytes: number): Promise<Running> {
  const { request } = starting;
  const child = launch(starting, "ignore");
  // Registered before the first await: a short program may already have ended by then.
  const exit = drainChild(child, request.onOutput);
  const pid = await started(child, request);
  const kill = (options?: KillOptions): Promise<void> => endRun({ ...starting, pid, exit }, options);
  const reasonOf = boundMemory({ pid, exit, kill }, memoryBytes);
  return { pid, exit: exit.then((end) => ({ ...end, reason: reasonOf() })), kill };
}

async function drainChild(child: ChildProcess, onOutput: SpawnRequest["onOutput"]): Promise<Exit> {
  const { stdout, stderr } = child;
  const exited = new Promise<Exit>((resolve) => {
    child.once("error", () => resolve({ code: null, signal: null }));
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  // Only a process that was never started has no pipes.
  return stdout === null || stderr === null ? exited : drain({ stdout, stderr, exited, onOutput });
}

async function talk(starting: ProcessStart<OpenRequest>, memoryBytes: number): Promise<Piped> {
  const { request } = starting;
  const child = launch(starting, "pipe");
  const exit = new Promise<Exit>((resolve) => {
    child.once("error", () => resolve({ code: null, signal: null }));
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  const { stdin, stdout, stderr } = child;
  // A broken pipe is a closed pipe: `exit` reports the end.
  for (const pipe of [stdin, stdout, stderr]) pipe?.on("error", () => undefined);
  const pid = await started(child, request);
  if (stdin === null || stdout === null || stderr === null) throw new Error("a process without pipes");
  const kill = (options?: KillOptions): Promise<void> => endRun({ ...starting, pid, exit }, options);
  const reasonOf = boundMemory({ pid, exit, kill }, memoryBytes);
  return {
    pid,
    stdin,
    stdout,
    stderr,
    exit: exit.then((end) => ({ ...end, reason: reasonOf() })),
    signal: (name) => child.kill(name),
    kill,
  };
}

function launch(starting: ProcessStart<OpenRequest>, input: "ignore" | "pipe"): ChildProcess {
  const { request, command, environment, groups } = starting;
  const [program, ...words] = command;
  const child = spawnQuietly(() =>
    spawn(program, words, {
      cwd: request.cwd,
      env: { ...environment },
      detached: true,
      stdio: [input, "pipe", "pipe"],
    }),
  );
  const { pid } = child;
  if (pid !== undefined) {
    groups.add(pid);
    child.once("exit", () => groups.leaderEnded(pid));
  }
  return child;
}

/** Its pid, once it runs; a Failure when it could not be started. */
async function started(child: ChildProcess, request: OpenRequest): Promise<number> {
  const problem = await new Promise<Error | undefined>((resolve) => {
    child.once("spawn", () => resolve(undefined));
    child.once("error", resolve);
  });
  if (problem !== undefined || child.pid === undefined) throw await startFailure(request, problem);
  return child.pid;
}

/** Node itself throws for arguments that no program can get (a NUL in them, too long). */
function spawnQuietly(work: () => ChildProcess): ChildProcess {
  try {
    return work();
  } catch (error) {
    throw new Failure("tool_failed", `The program could not be started: ${errorText(error)}.`);
  }
}

async function startFailure(request: OpenRequest, error: Error | undefined): Promise<Failure> {
  const folder = await stat(request.cwd).catch(() => undefined);
  if (folder?.isDirectory() !== true)
    return new Failure("tool_failed", `The working folder ${request.cwd} does not exist.`);
  return new Failure("tool_failed", `${request.argv[0]} could not be started: ${errorText(error)}.`);
}

interface RunningProcess {
  readonly pid: number;
  readonly run: string;
  readonly mark: bigint | undefined;
  readonly groups: Groups;
  readonly exit: Promise<unknown>;
}

async function endRun({ pid, run, mark, groups, exit }: RunningProcess, options: KillOptions = {}): Promise<void> {
  const find = async (): Promise<readonly ProcessEntry[]> => {
    const entries = await listProcesses();
    const isMember = groups.membership(entries, pid);
    const isMarked = (entry: ProcessEntry): boolean => mark !== undefined && entry.mark === mark;
    return withDescendants(entries, (entry) => entry.startedWith(RUN, run) || isMember(entry) || isMarked(entry));
  };
  await endProcesses({
    find,
    groups: () => groups.withLeader().filter((group) => group === pid),
    graceMs: options.graceMs ?? LIMITS.killGraceMs,
  });
  // A process that cannot be killed (it hangs in the kernel) is not waited for.
  await Promise.race([exit, pause(LIMITS.outputDrainMs, undefined, { ref: false })]);
}
