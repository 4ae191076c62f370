import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Failure, LIMITS } from "../protocol/index.ts";
import { signal } from "./processes.ts";

/** What the kernel holds a sandbox to. */
export interface GroupLimits {
  /** Of everything in it together. */
  readonly memoryBytes: number;
  /** Processors' worth of time; absent: not bounded. */
  readonly cpus?: number | undefined;
}

type Controller = "memory" | "cpu" | "pids";
const CONTROLLERS: readonly Controller[] = ["memory", "cpu", "pids"];

/** Where groups are made: one folder for all three controllers, or one for each (the older kind). */
interface GroupPlace {
  readonly version: 1 | 2;
  readonly folders: Readonly<Record<Controller, string>>;
  /** What the server's own group is found by: where groups are mounted, and /proc/self. Absent of the older kind. */
  readonly own?: { readonly mount: string; readonly self: string };
}

/** The kernel counts processor time in windows of this length. */
export const PERIOD_US = 100_000;

/** Where a server moves itself in a group that was given to it: a group with processes cannot limit the groups below it. */
const SERVER_GROUP = "sallyport-server";

/** What starts a sandbox counts too: the programs before bubblewrap, bubblewrap itself, its first process. */
const OWN_PROCESSES = 8;

/** A shell enters all groups and becomes the program: nothing of the program ever runs outside of them. */
const ENTER = `n=$1; shift; while [ "$n" -gt 0 ]; do echo 0 > "$1" || exit 1; shift; n=$((n-1)); done; exec "$@"`;

/** The kernel's control groups, where this server can make some. */
export class ControlGroups {
  readonly #place: GroupPlace;
  readonly #prefix: string;

  private constructor(place: GroupPlace, prefix: string) {
    this.#place = place;
    this.#prefix = prefix;
  }

  /** Undefined: this server can make none here. `prefix`: begins the names of its groups, and of nobody else's. */
  static find(prefix: string, machine: MachineGroups = {}): ControlGroups | undefined {
    try {
      const place = unifiedPlace(machine) ?? separatePlace(machine);
      return place === undefined ? undefined : new ControlGroups(place, prefix);
    } catch {
      // Not given to this user, or mounted read-only.
      return undefined;
    }
  }

  make(name: string, limits: GroupLimits): ControlGroup {
    return ControlGroup.make(this.#place, `${this.#prefix}${name}`, limits);
  }

  /** Ends and deletes those that a dead server left. Answers how many. */
  async sweep(): Promise<number> {
    const { memory } = this.#place.folders;
    const left = readdirSync(memory).filter((name) => name.startsWith(this.#prefix));
    for (const name of left) await removeGroup(this.#place, name);
    return left.length;
  }
}

/** The place of one program in a sandbox's groups. */
export interface GroupEntry {
  /** Start the program there, before its own words. */
  readonly words: readonly string[];
  /** The program and all that it started are over. */
  readonly leave: () => void;
}

/** The limits of one sandbox, and the groups of its programs. */
export class ControlGroup {
  readonly #place: GroupPlace;
  readonly #name: string;
  /** Folders of the controllers that a program of the older kind enters beside that which counts processes. */
  readonly #entered: readonly string[];
  #programs = 0;
  /** The group of the program that is expected. */
  #next: string | undefined;

  private constructor(place: GroupPlace, name: string, entered: readonly string[]) {
    this.#place = place;
    this.#name = name;
    this.#entered = entered;
  }

  static make(place: GroupPlace, name: string, { memoryBytes, cpus }: GroupLimits): ControlGroup {
    const { folders, version } = place;
    // Of the older kind each controller has a group to enter: that for time is made where time is bounded.
    const entered = [folders.memory, ...(cpus === undefined ? [] : [folders.cpu])];
    const group = new ControlGroup(place, name, entered);
    for (const folder of new Set([...entered, folders.pids])) mkdirSync(join(folder, name));
    const bytes = String(memoryBytes);
    group.#set("memory", version === 2 ? "memory.max" : "memory.limit_in_bytes", bytes);
    // Where the kernel does not count it, there is nothing to swap to.
    const swap = version === 2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes";
    if (existsSync(group.#file("memory", swap))) group.#set("memory", swap, version === 2 ? "0" : bytes);
    if (cpus !== undefined) group.#limitTime(Math.round(cpus * PERIOD_US));
    if (version === 2) group.#set("memory", "cgroup.subtree_control", "+pids");
    group.expectProgram();
    return group;
  }

  /**
   * A program is about to be let in. A process that enters a group waits some 10 ms for the kernel, unless another has just entered one. So
   * the server enters the group that it is in, beside its other work: nothing changes by that, and the program does not wait. The program's
   * own group is made before: meanwhile no group can be made. Of the older kind nobody waits: see `admit`.
   */
  expectProgram(): void {
    this.#next ??= this.#makeNext();
    if (this.#place.own !== undefined) void enterOwnGroup(this.#place.own);
  }

  /** Lets a program in, which may have so many processes and threads. */
  admit(processes: number): GroupEntry {
    const { version } = this.#place;
    const own = this.#next ?? this.#makeNext();
    this.#next = undefined;
    writeFileSync(join(own, "pids.max"), String(processes + OWN_PROCESSES));
    // Of the older kind one thread can enter alone. The shell has no other, and the kernel then waits for nobody.
    const files =
      version === 2
        ? [join(own, "cgroup.procs")]
        : [...this.#entered.map((folder) => join(folder, this.#name)), own].map((folder) => join(folder, "tasks"));
    return {
      words: ["/bin/sh", "-c", ENTER, "sh", String(files.length), ...files],
      leave: () => void isRemoved(own),
    };
  }

  /** How many processes the kernel has ended here for want of memory. */
  get killedForMemory(): number {
    const file = this.#place.version === 2 ? "memory.events" : "memory.oom_control";
    return Number(/^oom_kill (\d+)$/m.exec(read(this.#file("memory", file)))?.[1] ?? 0);
  }

  /** Ends what is still in it, and deletes it. */
  async remove(): Promise<void> {
    await removeGroup(this.#place, this.#name);
  }

  #makeNext(): string {
    this.#programs += 1;
    const folder = join(this.#place.folders.pids, this.#name, `p${this.#programs}`);
    mkdirSync(folder);
    return folder;
  }

  #limitTime(quota: number): void {
    if (this.#place.version === 2) {
      this.#set("cpu", "cpu.max", `${quota} ${PERIOD_US}`);
      return;
    }
    this.#set("cpu", "cpu.cfs_period_us", String(PERIOD_US));
    this.#set("cpu", "cpu.cfs_quota_us", String(quota));
  }

  #file(controller: Controller, name: string): string {
    return join(this.#place.folders[controller], this.#name, name);
  }

  #set(controller: Controller, name: string, value: string): void {
    writeFileSync(this.#file(controller, name), value);
  }
}

/** Where this machine says what it has; absent: the kernel's own files. */
export interface MachineGroups {
  /** /proc/self */
  readonly self?: string | undefined;
  readonly isRoot?: boolean | undefined;
}

/** In the server's own group, if that was given to it: by systemd's Delegate=yes, or because it is the first of all. */
function unifiedPlace({
  self = "/proc/self",
  isRoot = process.getuid?.() === 0,
}: MachineGroups): GroupPlace | undefined {
  const own = /^0::(.*)$/m.exec(read(join(self, "cgroup")))?.[1];
  const mount = mountsOfGroups(self).find(({ type }) => type === "cgroup2")?.path;
  if (own === undefined || mount === undefined) return undefined;
  const folder = givenGroup(join(mount, own), mount, isRoot);
  if (folder === undefined || !hasControllers(folder)) return undefined;
  writeFileSync(join(folder, "cgroup.subtree_control"), CONTROLLERS.map((name) => `+${name}`).join(" "));
  return { version: 2, folders: { memory: folder, cpu: folder, pids: folder }, own: { mount, self } };
}

function hasControllers(folder: string): boolean {
  const there = read(join(folder, "cgroup.controllers")).trim().split(" ");
  return CONTROLLERS.every((name) => there.includes(name));
}

/** The group below which this server may make its own; undefined: there is none. */
function givenGroup(own: string, mount: string, isRoot: boolean): string | undefined {
  const above = dirname(own);
  if (own !== mount && (!isRoot || basename(own) === SERVER_GROUP) && isEmptyAndOurs(above)) return above;
  // Only the first group of a machine has no such file, and it may have processes beside groups.
  if (!existsSync(join(own, "cgroup.type"))) return own;
  accessSync(join(own, "cgroup.subtree_control"), constants.W_OK);
  if (!hasControllers(own)) return undefined;
  const inside = processesIn(own);
  // Others' processes are not ours to move.
  if (inside.some((pid) => pid !== process.pid && !isOurChild(pid))) return undefined;
  const server = join(own, SERVER_GROUP);
  if (!existsSync(server)) mkdirSync(server);
  for (const pid of inside) writeFileSync(join(server, "cgroup.procs"), String(pid));
  return own;
}

function isOurChild(pid: number): boolean {
  return new RegExp(`^PPid:\\s+${process.pid}$`, "m").test(read(`/proc/${pid}/status`));
}

function isEmptyAndOurs(folder: string): boolean {
  try {
    accessSync(join(folder, "cgroup.procs"), constants.W_OK);
    accessSync(join(folder, "cgroup.subtree_control"), constants.W_OK);
    return processesIn(folder).length === 0;
  } catch {
    return false;
  }
}

/** The older kind, for root alone: beside those of containers. */
function separatePlace({
  self = "/proc/self",
  isRoot = process.getuid?.() === 0,
}: MachineGroups): GroupPlace | undefined {
  if (!isRoot) return undefined;
  const mounts = mountsOfGroups(self);
  const folders = CONTROLLERS.map((name) => {
    const mount = mounts.find(({ type, options }) => type === "cgroup" && options.split(",").includes(name))?.path;
    if (mount === undefined) return undefined;
    const folder = join(mount, "sallyport");
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return folder;
  });
  const [memory, cpu, pids] = folders;
  if (memory === undefined || cpu === undefined || pids === undefined) return undefined;
  return { version: 1, folders: { memory, cpu, pids } };
}

/** Where the server's group is not to be seen, programs wait. */
async function enterOwnGroup({ mount, self }: NonNullable<GroupPlace["own"]>): Promise<void> {
  const own = /^0::(.*)$/m.exec(read(join(self, "cgroup")))?.[1];
  if (own === undefined) return;
  await writeFile(join(mount, own, "cgroup.procs"), String(process.pid), { flag: "r+" }).catch(() => undefined);
}

interface GroupMount {
  readonly path: string;
  readonly type: string;
  readonly options: string;
}

function mountsOfGroups(self: string): readonly GroupMount[] {
  const lines = read(join(self, "mountinfo")).split("\n");
  return lines.flatMap((line) => {
    const [place = "", kind = ""] = line.split(" - ");
    const [type = "", , options = ""] = kind.split(" ");
    const path = place.split(" ")[4];
    return path === undefined || !type.startsWith("cgroup") ? [] : [{ path, type, options }];
  });
}

function processesIn(folder: string): readonly number[] {
  return read(join(folder, "cgroup.procs"))
    .split("\n")
    .filter((line) => line !== "")
    .map(Number);
}

/** What was killed leaves its group a moment later. */
async function removeGroup({ folders }: GroupPlace, name: string): Promise<void> {
  const groups = [...new Set(Object.values(folders))].map((folder) => join(folder, name));
  for (let sweeps = 0; sweeps < LIMITS.killSweeps; sweeps += 1) {
    const left = groups.filter((group) => !isRemoved(group));
    if (left.length === 0) return;
    await pause(LIMITS.killPollMs);
  }
  throw new Failure("internal", `the control group ${name} could not be deleted: something in it does not end`);
}

/** A folder of control groups is deleted from below, and only without processes. */
function isRemoved(group: string): boolean {
  if (!existsSync(group)) return true;
  const below = readdirSync(group, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const folder of [...below.map((entry) => join(group, entry.name)), group]) {
    for (const pid of processesIn(folder)) signal(pid, "SIGKILL");
    try {
      rmdirSync(folder);
    } catch {
      return !existsSync(group);
    }
  }
  return true;
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
