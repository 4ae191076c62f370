import { randomUUID } from "node:crypto";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { Failure, LIMITS } from "../../protocol/index.ts";
import { ControlGroups, type ControlGroup } from "../control-groups.ts";
import type { MissingSandbox, SandboxDriver, SandboxRequest } from "../driver.ts";
import { ended } from "../ended.ts";
import { HELPER_FILES, helperCommand, portsCommand } from "../remote/program.ts";
import { openRemoteSandbox } from "../remote/sandbox.ts";
import type { OpenRequest, Piped, Sandbox } from "../sandbox.ts";
import { systemArguments } from "./arguments.ts";
import { DirectPrograms, TELL_RUNNING, TELL_RUNNING_WITH_PORTS } from "./direct.ts";
import {
  BWRAP,
  dropped,
  filesIn,
  HOME,
  launch,
  PRLIMIT,
  SEARCH_PATH,
  SETPRIV,
  writeFiles,
  type SandboxFiles,
} from "./launch.ts";
import { seccompFilter } from "./seccomp.ts";
import { sandboxUser } from "./user.ts";

/** Enough to tell homes apart. */
const MARKER_CHARS = 12;
const INSTALL = "apt-get install bubblewrap (Debian, Ubuntu), dnf install bubblewrap (Fedora)";

/**
 * A sandbox of Linux namespaces: own processes, network, mounts, users. It sees the system's programs, its workspace and what it was
 * given, and nothing else of this machine.
 */
export function bubblewrapDriver(options: BubblewrapOptions = {}): SandboxDriver {
  let tried: Promise<MissingSandbox | undefined> | undefined;
  const groups = groupsFor("bwrap", options);
  return {
    kind: "bubblewrap",
    get capabilities() {
      return {
        ownNetwork: true,
        ownProcesses: true,
        ownFiles: true,
        systemCalls: "filtered",
        limitsMemory: true,
        limitsProcesses: true,
        limitsProcessorTime: groups() !== undefined,
      } as const;
    },
    async missing() {
      tried ??= tryOut();
      const missing = await tried;
      // A busy machine may have been too slow for it.
      if (missing !== undefined) tried = undefined;
      return missing;
    },
    open: (request) => openGrouped(request, groups(), (group) => openIn(group, request)),
    // Everything inside ends with the server that started it. What is left is empty.
    sweep: async () => (await groups()?.sweep()) ?? 0,
  };
}

export interface BubblewrapOptions {
  /** Names the home. Absent: this process alone. */
  readonly marker?: string | undefined;
  /** False: limits are those of processes, also where the kernel would hold groups to them. Absent: groups where there can be some. */
  readonly controlGroups?: boolean | undefined;
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
  // No more than a sandbox shows: other mounts of this machine come and go.
  const words = ["--unshare-all", ...systemArguments(), "--", "/bin/true"];
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

function environmentOf(request: SandboxRequest): Readonly<Record<string, string>> {
  const path = SEARCH_PATH.join(":");
  return { HOME, PATH: path, TERM: "dumb", USER: "agent", LOGNAME: "agent", ...request.environment };
}

function programsOf(request: SandboxRequest, files: SandboxFiles): DirectPrograms {
  const { group } = files;
  return new DirectPrograms(
    ({ argv, cwd, env, ports }) =>
      launch(request, files, {
        argv:
          ports === true
            ? [...TELL_RUNNING_WITH_PORTS, ...portsCommand(request.forwards), ...argv]
            : [...TELL_RUNNING, ...argv],
        cwd,
        readable: ports === true ? HELPER_FILES : [],
        environment: { ...environmentOf(request), ...env },
        isCleared: false,
      }),
    {
      memoryBytes: request.memoryBytes ?? LIMITS.sandboxMemoryBytes,
      killedForMemory: group === undefined ? undefined : () => group.killedForMemory,
    },
  );
}

/** One program of a sandbox that is open in another process, which it may outlive. */
export function openBubblewrapProgram(request: SandboxRequest, program: OpenRequest): Promise<Piped> {
  // The control group ends with the server's sandbox.
  return programsOf(request, { ...filesIn(request.folder), group: undefined }).open(program);
}

/** Looks once, when they are needed. `kind`: whose they are. */
export function groupsFor(kind: string, options: BubblewrapOptions): () => ControlGroups | undefined {
  const prefix = `${kind}-${(options.marker ?? `of-${process.pid}`).slice(0, MARKER_CHARS)}-`;
  let found: { readonly groups: ControlGroups | undefined } | undefined;
  return () => (found ??= { groups: options.controlGroups === false ? undefined : ControlGroups.find(prefix) }).groups;
}

/** Opens a sandbox in groups of its own, where there can be some. */
export async function openGrouped(
  { memoryBytes = LIMITS.sandboxMemoryBytes, cpus }: SandboxRequest,
  groups: ControlGroups | undefined,
  work: (group: ControlGroup | undefined) => Promise<Sandbox>,
): Promise<Sandbox> {
  if (groups === undefined && cpus !== undefined)
    throw new Failure(
      "unsupported",
      "processor time cannot be bounded here: this server can make no control group. Start it as root or by systemd with Delegate=yes, or leave sandbox_cpus out.",
    );
  const group = groups?.make(randomUUID(), { memoryBytes, cpus });
  try {
    return await work(group);
  } catch (error) {
    await group?.remove();
    throw error;
  }
}

async function openIn(group: ControlGroup | undefined, request: SandboxRequest): Promise<Sandbox> {
  const files = { ...writeFiles(request.folder), group };
  const streamsPath = join(request.folder, "streams");
  const environment = environmentOf(request);
  const { forwards, memoryBytes = LIMITS.sandboxMemoryBytes } = request;
  const killedForMemory = group === undefined ? undefined : () => group.killedForMemory;
  const commands = await openRemoteSandbox({
    kind: "bubblewrap",
    searchPath: SEARCH_PATH,
    environment,
    streamsPath,
    owner: sandboxUser(),
    memoryBytes,
    killedForMemory,
    launch: () =>
      launch(request, files, {
        argv: helperCommand({ streamsPath, forwards, memoryBytes }),
        cwd: request.workspace,
        readable: HELPER_FILES,
        // Its first process keeps this environment where programs inside can read it.
        environment: { PATH: SEARCH_PATH.join(":") },
        isCleared: true,
      }),
    destroy: () => Promise.resolve(),
  });
  const programs = programsOf(request, files);
  return {
    ...commands,
    get busy() {
      return commands.busy || programs.busy;
    },
    open: (wanted) => (wanted.beside === true ? commands.open(wanted) : programs.open(wanted)),
    async close() {
      await Promise.all([programs.close(), commands.close()]);
      await group?.remove();
    },
  };
}
