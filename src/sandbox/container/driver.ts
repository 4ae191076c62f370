import { spawn, type ChildProcess } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { chown, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Failure, LIMITS, type SandboxKind } from "../../protocol/index.ts";
import { HandedOver } from "../bubblewrap/mounts.ts";
import { sandboxUser } from "../bubblewrap/user.ts";
import type { MissingSandbox, SandboxCapabilities, SandboxDriver, SandboxRequest } from "../driver.ts";
import { removeFolder } from "../remove-folder.ts";
import { HELPER_FILES, helperCommand } from "../remote/program.ts";
import { openRemoteSandbox } from "../remote/sandbox.ts";
import type { Sandbox } from "../sandbox.ts";
import { NOBODY } from "./bundle.ts";
import { multiplexerEnds, type MultiplexerEnds } from "./multiplexer-ends.ts";
import { containerMounts, firstProcess, HOME, SEARCH_PATH, type ContainerPlan, type ContainerRunner } from "./plan.ts";

export interface RunnerDriverOptions {
  readonly kind: SandboxKind;
  readonly systemCalls: SandboxCapabilities["systemCalls"];
  /** Of this home alone: for bundles and the state of runtimes. Other users must be able to pass through the folders above it. */
  readonly folder: string;
  /** What runs in place of a vendor's program of this machine. Absent: that program. */
  readonly command?: string | undefined;
  /** The first that works is taken. */
  readonly runners: readonly ContainerRunner[];
  /** Why there is no runner, or none that works. */
  readonly remedy: string;
  /** Of one container. Absent: LIMITS.containerProcesses. */
  readonly processes?: number | undefined;
  /** Whether programs in document 003's /workspace can be run. */
  readonly executableScratch?: boolean | undefined;
  /** What every container shows, beside what its session asks for. */
  readonly readable?: readonly string[] | undefined;
  /** What every program inside gets. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/** What programs get in every container. */
const ENVIRONMENT = { HOME, PATH: SEARCH_PATH.join(":"), TERM: "dumb", USER: "agent", LOGNAME: "agent" } as const;

/** Sockets are shared. */
const NO_MULTIPLEXER: MultiplexerEnds = { inside: (command) => command, outside: (command) => command };

type Trial = { readonly runner: ContainerRunner } | { readonly missing: MissingSandbox };

/** Runs each session in a container, by the first of several programs that works here. */
export function runnerDriver(options: RunnerDriverOptions): SandboxDriver {
  let tried: Promise<Trial> | undefined;
  const trial = (): Promise<Trial> => (tried ??= firstThatWorks(options));
  return {
    kind: options.kind,
    capabilities: {
      ownNetwork: true,
      ownProcesses: true,
      ownFiles: true,
      systemCalls: options.systemCalls,
      limitsMemory: true,
      limitsProcesses: true,
      limitsProcessorTime: true,
    },
    async missing() {
      const found = await trial();
      return "missing" in found ? found.missing : undefined;
    },
    async open(request) {
      const found = await trial();
      if ("missing" in found)
        throw new Failure("unsupported", `${found.missing.reason}. To get it: ${found.missing.remedy}.`);
      return openContainer(request, { ...options, runner: found.runner });
    },
    async sweep() {
      // Asking engines takes long, and most homes never had a container.
      if (!existsSync(join(options.folder, "open"))) return 0;
      let count = 0;
      for (const runner of options.runners)
        for (const id of await runner.left()) {
          await runner.end(id);
          count += 1;
        }
      await removeFolder(join(options.folder, "open"));
      return count;
    },
  };
}

async function firstThatWorks(options: RunnerDriverOptions): Promise<Trial> {
  const reasons: string[] = [];
  for (const runner of options.runners) {
    const reason = await tryOut(runner, options);
    if (reason === undefined) return { runner };
    // What a program complains about begins with the cause.
    const [cause = ""] = reason.replace(/^.*its sandbox ended: /s, "").split("\n");
    reasons.push(`${runner.name}: ${cause}`);
  }
  const reason = reasons.length === 0 ? `there is no ${options.kind} for ${process.platform}` : reasons.join("; ");
  return { missing: { reason, remedy: options.remedy } };
}

/** Writes a file as a session would. Answers what went wrong. */
async function tryOut(runner: ContainerRunner, options: RunnerDriverOptions): Promise<string | undefined> {
  const problem = await runner.problem?.();
  if (problem !== undefined) return problem;
  const trial = join(options.folder, "trial", randomUUID());
  const [workspace, folder] = [join(trial, "w"), join(trial, "s")];
  await mkdir(workspace, { recursive: true, mode: 0o711 });
  await mkdir(folder);
  let sandbox: Sandbox | undefined;
  try {
    const nothing = { readable: [], writable: [], hidden: [], forwards: [], environment: {} };
    sandbox = await openContainer({ sessionId: "trial", workspace, folder, ...nothing }, { ...options, runner });
    const argv = ["/bin/sh", "-c", "echo > tried"] as const;
    const running = await sandbox.spawn({ argv, cwd: workspace, onOutput: () => undefined });
    const { code, reason } = await running.exit;
    if (code !== 0) return reason ?? `a shell ended with ${code}`;
    return existsSync(join(workspace, "tried")) ? undefined : "what is written inside is not there outside";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await sandbox?.close();
    await rm(trial, { recursive: true, force: true });
  }
}

/** One that is running, or was. */
interface Launched {
  readonly id: string;
  readonly folder: string;
  readonly handed: HandedOver | undefined;
  readonly over: Promise<void>;
}

async function openContainer(
  request: SandboxRequest,
  options: RunnerDriverOptions & { readonly runner: ContainerRunner },
): Promise<Sandbox> {
  const { runner } = options;
  const streamsPath = join(request.folder, "streams");
  const user = sandboxUser();
  if (user !== undefined) await chown(request.folder, user.uid, user.gid);
  let isClosed = false;
  let launched: Launched | undefined;

  const end = async (): Promise<void> => {
    if (launched === undefined) return;
    const { id, folder, handed, over } = launched;
    launched = undefined;
    await runner.end(id, Promise.race([over, pause(LIMITS.containerEndMs, undefined, { ref: false })]));
    handed?.release();
    await removeFolder(folder);
  };
  const launch = async (): Promise<ChildProcess> => {
    await end();
    if (isClosed) throw closed();
    const started = await start(request, options);
    launched = started.launched;
    if (isClosed) {
      await end();
      throw closed();
    }
    // What never answers is ended, and so is everything that waits for it.
    const timer = setTimeout(() => void end(), LIMITS.containerStartMs);
    const stop = (): void => clearTimeout(timer);
    started.child.stdout?.once("data", stop);
    started.child.once("close", stop);
    return started.child;
  };
  const sandbox = await openRemoteSandbox({
    kind: options.kind,
    searchPath: SEARCH_PATH,
    environment: { ...ENVIRONMENT, ...options.environment, ...request.environment },
    streamsPath,
    owner: user,
    launch,
    memoryBytes: request.memoryBytes ?? LIMITS.containerMemoryBytes,
    destroy: end,
  });
  return {
    ...sandbox,
    get busy() {
      return sandbox.busy;
    },
    open: ({ argv: [program, ...words], ...rest }) => {
      const isVendors = request.programs?.includes(program) === true;
      return sandbox.open({ ...rest, argv: [isVendors ? (options.command ?? program) : program, ...words] });
    },
    async close() {
      isClosed = true;
      // First: killing the client would leave the container.
      await end();
      await sandbox.close();
    },
  };
}

async function start(
  request: SandboxRequest,
  options: RunnerDriverOptions & { readonly runner: ContainerRunner },
): Promise<{ readonly child: ChildProcess; readonly launched: Launched }> {
  const { runner } = options;
  const { memoryBytes = LIMITS.containerMemoryBytes } = request;
  const id = nameFor(options.folder);
  const folder = join(options.folder, "open", id);
  const user = await ownFolder(folder);
  const handed =
    sandboxUser() === undefined
      ? undefined
      : await HandedOver.open(join(folder, "mounts"), { ...user, keeper: NOBODY });
  try {
    const streamsPath = join(request.folder, "streams");
    // A program of another system does not run inside.
    const foreign = runner.node === undefined ? undefined : process.execPath;
    const sockets = [streamsPath, ...request.forwards.map(({ socket }) => socket)];
    const multiplexer = runner.isMachine === true ? multiplexerEnds(sockets) : NO_MULTIPLEXER;
    const plan: ContainerPlan = {
      id,
      folder,
      mounts: await containerMounts(request, {
        readable: [...(options.readable ?? []), ...HELPER_FILES.filter((path) => path !== foreign)],
        executableScratch: options.executableScratch ?? false,
        isMachine: runner.isMachine === true,
        from: async (path) => (await handed?.add(path)) ?? path,
      }),
      cwd: request.workspace,
      command: firstProcess(
        multiplexer
          .inside(helperCommand({ streamsPath, forwards: request.forwards, memoryBytes }))
          .map((word) => (word === foreign ? (runner.node ?? word) : word)),
      ),
      user,
      memoryBytes,
      processes: request.processes ?? options.processes ?? LIMITS.containerProcesses,
      cpus: request.cpus,
    };
    const [program = "", ...words] = multiplexer.outside(await runner.prepare(plan));
    // In its own process group: what a terminal sends to the server's must not end it.
    const child = spawn(program, words, { cwd: "/", env: { PATH: SEARCH_PATH.join(":") }, detached: true });
    const release = (): void => handed?.release();
    // It has its own mounts once something of it runs.
    child.stdout.once("data", release);
    child.once("close", release);
    const over = new Promise<void>((resolve) => {
      child.once("close", () => resolve());
      child.once("error", () => resolve());
    });
    return { child, launched: { id, folder, handed, over } };
  } catch (error) {
    handed?.release();
    await removeFolder(folder);
    throw error;
  }
}

function closed(): Failure {
  return new Failure("session_closed", "The session is closed: nothing can be started in it any more.");
}

/** Names tell homes apart: what a dead server left is found by them. */
export function homeName(folder: string): string {
  return `sallyport-${createHash("sha256").update(folder).digest("hex").slice(0, 12)}`;
}

function nameFor(folder: string): string {
  return `${homeName(folder)}-${randomUUID().slice(0, 13)}`;
}

/** Who a container is on the outside. The folder is made, and is his. */
async function ownFolder(folder: string): Promise<{ readonly uid: number; readonly gid: number }> {
  const user = sandboxUser();
  await mkdir(join(folder, ".."), { recursive: true, mode: 0o711 });
  await mkdir(folder, { mode: 0o700 });
  if (user === undefined) return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  await chown(folder, user.uid, user.gid);
  return user;
}
