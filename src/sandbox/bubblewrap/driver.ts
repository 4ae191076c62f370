import { spawn, type ChildProcess } from "node:child_process";
import { accessSync, closeSync, constants, openSync } from "node:fs";
import { chown, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure, LIMITS } from "../../protocol/index.ts";
import type { MissingSandbox, SandboxDriver, SandboxRequest } from "../driver.ts";
import { ended } from "../ended.ts";
import { HELPER_FILES, helperCommand } from "../remote/program.ts";
import { openRemoteSandbox } from "../remote/sandbox.ts";
import type { Sandbox } from "../sandbox.ts";
import { mountsOf } from "../folders.ts";
import { bubblewrapArguments, passwdFile, type BubblewrapView, type Shown } from "./arguments.ts";
import { DirectPrograms, RUNNING_FD, TELL_RUNNING } from "./direct.ts";
import { HandedOver } from "./mounts.ts";
import { seccompFilter } from "./seccomp.ts";
import { sandboxUser } from "./user.ts";

const BWRAP = "/usr/bin/bwrap";
const SETPRIV = "/usr/bin/setpriv";
const PRLIMIT = "/usr/bin/prlimit";
const SEARCH_PATH = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
const HOME = "/home/agent";
/** The first descriptor behind the standard streams. */
const SECCOMP_FD = 3;
const INSTALL = "apt-get install bubblewrap (Debian, Ubuntu), dnf install bubblewrap (Fedora)";

/**
 * A sandbox of Linux namespaces: own processes, network, mounts, users. It sees the system's programs, its workspace and what it was
 * given, and nothing else of this machine.
 */
export function bubblewrapDriver(): SandboxDriver {
  let tried: Promise<MissingSandbox | undefined> | undefined;
  return {
    kind: "bubblewrap",
    capabilities: {
      ownNetwork: true,
      ownProcesses: true,
      ownFiles: true,
      systemCalls: "filtered",
      limitsMemory: true,
      limitsProcesses: true,
    },
    missing: () => {
      tried ??= tryOut();
      return tried;
    },
    open,
    // Everything inside ends with the server that started it.
    sweep: () => Promise.resolve(0),
  };
}

async function tryOut(): Promise<MissingSandbox | undefined> {
  if (process.platform !== "linux") return { reason: "it needs Linux", remedy: "use the sandbox container" };
  for (const program of [BWRAP, SETPRIV, PRLIMIT]) {
    try {
      accessSync(program, constants.X_OK);
    } catch {
      return { reason: `${program} is missing`, remedy: program === BWRAP ? INSTALL : "apt-get install util-linux" };
    }
  }
  if (seccompFilter() === undefined)
    return { reason: `there is no filter for system calls on ${process.arch}`, remedy: "use the sandbox container" };
  const words = ["--unshare-all", "--ro-bind", "/", "/", "--", "/bin/true"];
  const [program = BWRAP, ...rest] = [...dropped(), BWRAP, ...words];
  const end = await ended(program, rest);
  if (end.code === 0) return undefined;
  const said = end.stderr.trim() === "" ? "it does not start" : end.stderr.trim();
  return {
    reason: said,
    remedy:
      "allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, or kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu",
  };
}

async function writeFiles(folder: string): Promise<SandboxFiles> {
  const filter = seccompFilter();
  if (filter === undefined) throw new Failure("unsupported", `bubblewrap does not work on ${process.arch} yet.`);
  const filterPath = join(folder, "seccomp");
  const people = join(folder, "passwd");
  await writeFile(filterPath, filter, { mode: 0o400 });
  await writeFile(people, passwdFile(HOME), { mode: 0o444 });
  const user = sandboxUser();
  if (user !== undefined) for (const path of [folder, people]) await chown(path, user.uid, user.gid);
  return { people, filterPath };
}

async function open(request: SandboxRequest): Promise<Sandbox> {
  const files = await writeFiles(request.folder);
  const streamsPath = join(request.folder, "streams");
  const path = SEARCH_PATH.join(":");
  const environment = {
    HOME,
    PATH: path,
    TERM: "dumb",
    USER: "agent",
    LOGNAME: "agent",
    ...request.environment,
  };
  const { forwards, memoryBytes = LIMITS.sandboxMemoryBytes } = request;
  const commands = await openRemoteSandbox({
    kind: "bubblewrap",
    searchPath: SEARCH_PATH,
    environment,
    streamsPath,
    owner: sandboxUser(),
    memoryBytes,
    launch: () =>
      launch(request, files, {
        argv: helperCommand({ streamsPath, forwards, memoryBytes }),
        cwd: request.workspace,
        readable: HELPER_FILES,
        // Its first process keeps this environment where programs inside can read it.
        environment: { PATH: path },
        isCleared: true,
      }),
    destroy: () => Promise.resolve(),
  });
  const programs = new DirectPrograms(
    ({ argv, cwd, env }) =>
      launch(request, files, {
        argv: [...TELL_RUNNING, ...argv],
        cwd,
        readable: [],
        environment: { ...environment, ...env },
        isCleared: false,
      }),
    memoryBytes,
  );
  return {
    ...commands,
    get busy() {
      return commands.busy || programs.busy;
    },
    open: (wanted) => programs.open(wanted),
    async close() {
      await Promise.all([programs.close(), commands.close()]);
    },
  };
}

interface SandboxFiles {
  readonly people: string;
  readonly filterPath: string;
}

interface ProgramInside {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** What it needs of this machine beside what the session was given. */
  readonly readable: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Whether the program starts without it. */
  readonly isCleared: boolean;
}

/** How many were started: each has its own place for what is handed over. */
let launches = 0;

async function launch(request: SandboxRequest, files: SandboxFiles, program: ProgramInside): Promise<ChildProcess> {
  const user = sandboxUser();
  launches += 1;
  const handed = user === undefined ? undefined : await HandedOver.open(mountsOf(request.folder, launches), user);
  const release = (): void => handed?.release();
  try {
    const view = await viewFor(request, { people: files.people, readable: program.readable, handed });
    const child = start(view, { request, program, filterPath: files.filterPath });
    // It has its own mounts once something of it runs.
    (program.isCleared ? child.stdout : child.stdio[RUNNING_FD])?.once("readable", release);
    child.once("close", release);
    child.once("error", release);
    return child;
  } catch (error) {
    release();
    throw error;
  }
}

interface BubblewrapStart {
  readonly request: SandboxRequest;
  readonly program: ProgramInside;
  readonly filterPath: string;
}

function start(view: BubblewrapView, { request, program, filterPath }: BubblewrapStart): ChildProcess {
  const seccomp = openSync(filterPath, "r");
  try {
    const words = [
      // 0 would still feed a program of this machine that collects dumps; 1 feeds none.
      "--core=1",
      `--nofile=${LIMITS.sandboxFiles}`,
      `--fsize=${LIMITS.sandboxFileBytes}`,
      "--",
      ...dropped(),
      BWRAP,
      ...bubblewrapArguments(view, {
        seccomp: SECCOMP_FD,
        cwd: program.cwd,
        environment: program.isCleared ? "none" : "bubblewrap's",
      }),
      // Inside, where only what is inside counts.
      PRLIMIT,
      `--nproc=${request.processes ?? LIMITS.sandboxProcesses}`,
      "--",
      ...program.argv,
    ];
    return spawn(PRLIMIT, words, {
      cwd: "/",
      env: { ...program.environment },
      // In its own process group: what a terminal sends to the server's must not end it.
      detached: true,
      stdio: ["pipe", "pipe", "pipe", seccomp, ...(program.isCleared ? [] : (["pipe"] as const))],
    });
  } finally {
    closeSync(seccomp);
  }
}

async function viewFor(
  { workspace, readable, writable, hidden, folder }: SandboxRequest,
  wanted: {
    readonly people: string;
    readonly readable: readonly string[];
    readonly handed: HandedOver | undefined;
  },
): Promise<BubblewrapView> {
  const { people, handed } = wanted;
  const show = async (path: string): Promise<Shown> => ({ from: (await handed?.add(path)) ?? path, as: path });
  const showAll = async (paths: readonly string[]): Promise<readonly Shown[]> => {
    const shown: Shown[] = [];
    for (const path of paths) shown.push(await show(path));
    return shown;
  };
  const seen = [workspace, ...readable, ...writable];
  return {
    workspace: await show(workspace),
    // Its folder is the sandbox's own already.
    readable: [...(await showAll([...wanted.readable, ...readable])), { from: folder, as: folder }],
    writable: await showAll(writable),
    // Making a folder where nothing is seen would tell its name.
    hidden: hidden.filter((path) => seen.some((place) => path.startsWith(`${place}/`))),
    people,
    home: HOME,
    memoryFolderBytes: LIMITS.sandboxTemporaryBytes,
  };
}

/** A server that runs as root gives that up before anything of a sandbox starts. */
function dropped(): readonly string[] {
  const user = sandboxUser();
  if (user === undefined) return [];
  return [SETPRIV, `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", "--inh-caps=-all", "--"];
}
