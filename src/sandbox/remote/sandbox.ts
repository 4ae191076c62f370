import type { ChildProcess } from "node:child_process";
import { chownSync } from "node:fs";
import type { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { Failure, LIMITS } from "../../protocol/index.ts";
import { drain, type Exit } from "../drain.ts";
import type { OpenRequest, Piped, Running, Sandbox, SpawnRequest } from "../sandbox.ts";
import { Helper, notStarted } from "./helper.ts";
import { StreamServer } from "./streams.ts";

export interface RemoteSandboxOptions {
  readonly kind: Sandbox["kind"];
  readonly searchPath: readonly string[];
  /** What every program gets; the server's own environment is never passed on. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where the server waits for the programs' streams, as a path of this machine. */
  readonly streamsPath: string;
  /** Who connects to the streams, if that is another user than the server's. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
  /** Starts the helper inside. Its pipes are ours. */
  readonly launch: () => Promise<ChildProcess>;
  /** Memory of everything inside together; the helper watches it. Absent: LIMITS.sandboxMemoryBytes. */
  readonly memoryBytes?: number | undefined;
  /** How many processes inside the kernel has ended for want of memory; absent: it ends none. */
  readonly killedForMemory?: (() => number) | undefined;
  /** The longest that the helper takes to answer, with its start; absent: LIMITS.sandboxAnswerMs. */
  readonly answerMs?: number | undefined;
  /** Ends whatever of the sandbox outlives its helper, or the command that started it. */
  readonly destroy: () => Promise<void>;
}

/** A sandbox behind a wall: a helper of ours inside starts the programs, and their streams come over a socket. */
export async function openRemoteSandbox(options: RemoteSandboxOptions): Promise<Sandbox> {
  const streams = await StreamServer.open(options.streamsPath);
  if (options.owner !== undefined) chownSync(options.streamsPath, options.owner.uid, options.owner.gid);
  const running = new Set<number>();
  let helper: Helper | undefined;
  let starting: Promise<Helper> | undefined;
  let closed = false;

  /** The one that runs, or a new one after it ended. */
  const ready = async (): Promise<Helper> => {
    if (helper?.isOver === false) return helper;
    starting ??= options
      .launch()
      .then((child) => {
        const { memoryBytes = LIMITS.sandboxMemoryBytes, killedForMemory } = options;
        // Whoever closes the sandbox tries again, and is told.
        const end = (): void => void options.destroy().catch(() => undefined);
        helper = new Helper(child, { memoryBytes, killedForMemory, end, answerMs: options.answerMs });
        return helper;
      })
      .finally(() => {
        starting = undefined;
      });
    return starting;
  };

  const start = async (request: OpenRequest, input: "ignore" | "pipe"): Promise<Started> => {
    if (closed) throw new Failure("session_closed", "The session is closed: nothing can be started in it any more.");
    const started = await startProcess({
      helper: await ready(),
      streams,
      environment: options.environment,
      request,
      input,
    });
    running.add(started.id);
    void started.ended.then(() => running.delete(started.id));
    return started;
  };

  return {
    kind: options.kind,
    searchPath: options.searchPath,
    get busy() {
      return running.size > 0;
    },
    spawn: async (request) => spawned(await start(request, "ignore"), request),
    open: async (request) => piped(await start(request, "pipe")),
    async close() {
      closed = true;
      streams.close();
      await starting?.catch(() => undefined);
      await helper?.close();
      await options.destroy();
    },
  };
}

interface StartRequest {
  readonly helper: Helper;
  readonly streams: StreamServer;
  readonly environment: Readonly<Record<string, string>>;
  readonly request: OpenRequest;
  readonly input: "ignore" | "pipe";
}

interface Started {
  readonly id: number;
  readonly pid: number;
  readonly stdin: Socket | undefined;
  readonly stdout: Socket;
  readonly stderr: Socket;
  /** The process is over. */
  readonly exited: Promise<Exit>;
  /** The process is over, and so is all that it started, as far as it was ended here. */
  readonly ended: Promise<unknown>;
  readonly helper: Helper;
}

async function startProcess({ helper, streams, environment, request, input }: StartRequest): Promise<Started> {
  const stdin = input === "pipe" ? streams.expect() : undefined;
  const stdout = streams.expect();
  const stderr = streams.expect();
  const expected = [stdout, stderr, ...(stdin === undefined ? [] : [stdin])];
  const tooLate = setTimeout(() => helper.giveUp(), helper.answerMs);
  try {
    const process = await helper.start({
      argv: request.argv,
      cwd: request.cwd,
      env: { ...environment, ...request.env },
      streams: {
        ...(stdin === undefined ? {} : { stdin: stdin.name }),
        stdout: stdout.name,
        stderr: stderr.name,
      },
    });
    const arrived = Promise.all([stdout.socket, stderr.socket, Promise.resolve(stdin?.socket)]);
    const sockets = await Promise.race([arrived, helper.gone]);
    if (sockets === undefined) throw notStarted(request.argv, helper.reason);
    return {
      ...process,
      stdout: sockets[0],
      stderr: sockets[1],
      stdin: sockets[2],
      ended: process.exited,
      helper,
    };
  } finally {
    clearTimeout(tooLate);
    for (const stream of expected) stream.forget();
  }
}

function spawned(started: Started, request: SpawnRequest): Running {
  const { pid, stdout, stderr, exited } = started;
  return {
    pid,
    exit: drain({ stdout, stderr, exited, onOutput: request.onOutput }),
    kill: (options) => started.helper.end(started.id, options?.graceMs ?? LIMITS.killGraceMs),
  };
}

function piped(started: Started): Piped {
  const { pid, stdin, stdout, stderr, exited, helper, id } = started;
  return {
    pid,
    stdin: stdin ?? new PassThrough(),
    stdout,
    stderr,
    exit: exited,
    signal: (name) => helper.signal(id, name),
    kill: (options) => helper.end(id, options?.graceMs ?? LIMITS.killGraceMs),
  };
}
