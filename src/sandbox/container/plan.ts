import { LIMITS } from "../../protocol/index.ts";
import type { SandboxRequest } from "../driver.ts";

/** What a container shows inside. Later ones lie above earlier ones. */
export type ContainerMount =
  /** A file or folder of this machine. */
  | { readonly kind: "bind"; readonly from: string; readonly as: string; readonly writable: boolean }
  /** A folder that lives in memory: empty at the start, gone at the end. */
  | { readonly kind: "memory"; readonly as: string; readonly executable: boolean };

/** One container that is to be started. */
export interface ContainerPlan {
  readonly id: string;
  /** Of this container alone, and its user's: for what the runtime needs on the disk. */
  readonly folder: string;
  readonly mounts: readonly ContainerMount[];
  /** Absolute, and inside. */
  readonly cwd: string;
  readonly command: readonly string[];
  /** Who it is on the outside. */
  readonly user: { readonly uid: number; readonly gid: number };
  readonly memoryBytes: number;
  readonly processes: number;
  /** Processors' worth of time; undefined: not bounded. */
  readonly cpus: number | undefined;
}

/** A program that starts containers. */
export interface ContainerRunner {
  readonly name: string;
  /** Is a machine of its own, from which no socket of this one can be reached: connections go over its standard streams. */
  readonly isMachine?: boolean | undefined;
  /** Its own Node; absent: this server's is shown inside. */
  readonly node?: string | undefined;
  /** What keeps it from holding what it is told, although it starts; absent, and undefined: nothing does. */
  problem?(): Promise<string | undefined>;
  /** The command line that runs the container in the foreground. */
  prepare(plan: ContainerPlan): Promise<readonly string[]>;
  /** Ends everything inside for certain. `client` resolves when the command line above is over; absent: it is. */
  end(id: string, client?: Promise<unknown>): Promise<void>;
  /** The containers of this home that are there. */
  left(): Promise<readonly string[]>;
}

export const SEARCH_PATH = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
export const HOME = "/home/agent";
/** Inside, where the container has a user namespace. */
export const USER = 1_000;
/** Document 003's own places: a folder in memory, and the repository read-only. */
const SCRATCH = "/workspace";
const REPOSITORY = "/repo";

/** The newer control groups beside the older ones: crun takes either, but not both. */
export const UNIFIED_GROUPS = "/sys/fs/cgroup/unified";

/**
 * Reaps what its children leave behind, which Node does not do, and ends when the helper ends: then everything inside ends. A shell
 * gives what it starts in the background no input of its own, hence the third descriptor.
 */
const FIRST_PROCESS = 'exec 3<&0; "$@" <&3 3<&- & wait $!';

export function firstProcess(command: readonly string[]): readonly string[] {
  return ["/bin/sh", "-c", FIRST_PROCESS, "sh", ...command];
}

interface Places {
  /** Beside what was asked for. */
  readonly readable: readonly string[];
  /** Whether programs in the folder of document 003 can be run. */
  readonly executableScratch: boolean;
  /** See ContainerRunner. */
  readonly isMachine: boolean;
  /** Where the container's user finds a file of this machine. */
  readonly from: (path: string) => Promise<string>;
}

/** All paths inside are the same as outside. */
export async function containerMounts(request: SandboxRequest, places: Places): Promise<readonly ContainerMount[]> {
  const { workspace, writable, hidden, folder } = request;
  const readable = [...places.readable, ...request.readable];
  const shown = [workspace, ...readable, ...writable];
  const source = new Map<string, string>();
  for (const path of shown) if (!source.has(path)) source.set(path, await places.from(path));
  const bind = (path: string, as: string, write: "read" | "write"): ContainerMount => ({
    kind: "bind",
    from: source.get(path) ?? path,
    as,
    writable: write === "write",
  });
  const memory = (as: string, executable = true): ContainerMount => ({ kind: "memory", as, executable });
  const depth = ({ as }: ContainerMount): number => as.split("/").length;
  // A folder covers what was placed below it before: those above come first, so that nothing hidden is seen through a folder around it.
  return [
    memory("/tmp"),
    memory(HOME),
    ...(workspace === SCRATCH ? [] : [memory(SCRATCH, places.executableScratch)]),
    ...(workspace === REPOSITORY ? [] : [bind(workspace, REPOSITORY, "read")]),
    bind(workspace, workspace, "write"),
    // Making a folder where nothing is seen would tell its name.
    ...hidden.filter((path) => shown.some((place) => path.startsWith(`${place}/`))).map((path) => memory(path)),
    // Nor is it seen by the repository's other path.
    ...hidden
      .filter((path) => workspace !== REPOSITORY && path.startsWith(`${workspace}/`))
      .map((path) => memory(REPOSITORY + path.slice(workspace.length))),
    ...readable.map((path) => bind(path, path, "read")),
    places.isMachine ? memory(folder) : bind(folder, folder, "read"),
    ...writable.map((path) => bind(path, path, "write")),
  ].toSorted((one, other) => depth(one) - depth(other));
}

export const MEMORY_FOLDER_BYTES = LIMITS.sandboxTemporaryBytes;
