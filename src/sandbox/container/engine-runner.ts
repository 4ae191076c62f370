import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LIMITS } from "../../protocol/index.ts";
import { ended } from "../ended.ts";
import {
  HOME,
  MEMORY_FOLDER_BYTES,
  SEARCH_PATH,
  UNIFIED_GROUPS,
  USER,
  type ContainerMount,
  type ContainerPlan,
  type ContainerRunner,
} from "./plan.ts";
import { callFilter } from "./system-calls.ts";

export type ContainerEngine = "podman" | "docker" | "apple";

export interface EngineOptions {
  readonly engine: ContainerEngine;
  /** It must be on this machine: nothing is fetched. */
  readonly image: string;
  /** By which what a dead server left is found. */
  readonly home: string;
  /** The engine's words for another runtime than its own. */
  readonly runtime?: readonly string[] | undefined;
  /** Runs as root, so that the container can have users of its own. Docker decides for all its containers. */
  readonly isRoot: boolean;
}

const LABEL = "sallyport.home";
const IDS = 65_536;
const PROCESSES = 4_096;
const GIB = 1_073_741_824;

const PROGRAMS: Readonly<Record<ContainerEngine, string>> = { podman: "podman", docker: "docker", apple: "container" };

/**
 * Runs containers by an engine's command. It shows an image's programs, not this machine's. On macOS each engine has a virtual
 * machine between itself and this one.
 */
export function engineRunner(options: EngineOptions): ContainerRunner {
  const { engine, home } = options;
  const run = (...words: string[]): ReturnType<typeof ended> => ended(PROGRAMS[engine], words);
  return {
    name: options.runtime === undefined ? engine : `${engine} ${options.runtime.join(" ")}`,
    ...(process.platform === "darwin" ? { isMachine: true, node: "node" } : {}),
    problem: () => (engine === "podman" && !options.isRoot ? unlimited() : Promise.resolve(undefined)),
    async prepare(plan) {
      const filter = engine === "apple" ? undefined : callFilter("shared");
      const path = join(plan.folder, "seccomp.json");
      if (filter !== undefined) await writeFile(path, JSON.stringify(filter));
      return [PROGRAMS[engine], ...engineArguments(plan, { ...options, filter: filter && path })];
    },
    async end(id, client) {
      // The client's end is not the container's.
      await run("rm", "--force", ...(engine === "podman" ? ["--time", "0"] : []), id);
      await client;
    },
    async left() {
      const labelled = ["ps", "--all", "--filter", `label=${LABEL}=${home}`, "--format", "{{.Names}}"];
      const { code, stdout } = await run(...(engine === "apple" ? ["list", "--all", "--quiet"] : labelled));
      return code === 0 ? stdout.split("\n").filter((id) => id.startsWith(`${home}-`)) : [];
    },
  };
}

/** Podman of an ordinary user starts containers without their limits where the system has not given it the groups for them. */
async function unlimited(): Promise<string | undefined> {
  const { code, stdout, stderr } = await ended("podman", ["info", "--format", "{{.Host.CgroupControllers}}"]);
  if (code !== 0) return stderr.trim();
  const missing = ["memory", "pids"].filter((name) => !stdout.includes(name));
  return missing.length === 0 ? undefined : `it cannot limit ${missing.join(" and ")} for this user`;
}

/** The words behind the engine's name. The flags of document 003 are these, with more of the same kind. */
export function engineArguments(
  plan: ContainerPlan,
  options: EngineOptions & { readonly filter?: string | undefined },
): readonly string[] {
  const { engine, home, image, runtime = usualRuntime(engine) } = options;
  const [first = "", ...rest] = plan.command;
  return [
    engine === "podman" ? [...runtime, "run"] : ["run", ...runtime],
    ["--rm", "--interactive", "--read-only"],
    ["--name", plan.id],
    ["--label", `${LABEL}=${home}`],
    ["--network", "none"],
    ["--cap-drop", "ALL"],
    ["--memory", memoryWords(plan.memoryBytes)],
    plan.cpus === undefined ? [] : ["--cpus", String(plan.cpus)],
    ["--ulimit", "core=0:0"],
    ["--ulimit", `fsize=${LIMITS.sandboxFileBytes}:${LIMITS.sandboxFileBytes}`],
    ["--ulimit", `nofile=${LIMITS.sandboxFiles}:${LIMITS.sandboxFiles}`],
    ownWords(plan, options),
    userWords(plan, options),
    ...plan.mounts.map((mount) => mountWords(mount, engine)),
    ["--workdir", plan.cwd],
    ["--env", `HOME=${HOME}`],
    ["--env", `PATH=${SEARCH_PATH.join(":")}`],
    ["--entrypoint", first],
    [image, ...rest],
  ].flat();
}

/** What the engines have different words for. */
function ownWords(
  { processes, memoryBytes }: ContainerPlan,
  { engine, filter }: { readonly engine: ContainerEngine; readonly filter?: string | undefined },
): readonly string[] {
  // Each is a machine with a kernel of its own, and no group of processes to limit but a user's.
  if (engine === "apple") return ["--ulimit", `nproc=${processes}:${processes}`];
  return [
    ["--pull", "never"],
    ["--security-opt", "no-new-privileges"],
    // The engines' own would let a program make user namespaces, and files that run as their owner.
    filter === undefined ? [] : ["--security-opt", `seccomp=${filter}`],
    ["--pids-limit", String(processes)],
    ["--memory-swap", memoryWords(memoryBytes)],
    ["--log-driver", "none"],
    ["--hostname", "sandbox"],
    // What the engines show of the machine there is nobody's business inside.
    ["/sys", "/run"].flatMap((path) => [
      "--tmpfs",
      `${path}:ro,noexec,nosuid,nodev,size=4k${engine === "podman" ? ",notmpcopyup" : ""}`,
    ]),
    // Podman would raise the last one to the system's own, and has no right to.
    engine === "podman" ? ["--read-only-tmpfs=false", "--no-hosts", "--ulimit", `nproc=${PROCESSES}:${PROCESSES}`] : [],
  ].flat();
}

function mountWords(mount: ContainerMount, engine: ContainerEngine): readonly string[] {
  if (mount.kind === "bind") return ["--volume", `${mount.from}:${mount.as}:${mount.writable ? "rw" : "ro"}`];
  if (engine === "apple") return ["--tmpfs", mount.as];
  const run = mount.executable ? "exec" : "noexec";
  // Podman would fill it with what the image has there.
  const copy = engine === "podman" ? ",notmpcopyup" : "";
  return ["--tmpfs", `${mount.as}:rw,${run},nosuid,nodev,mode=1777,size=${MEMORY_FOLDER_BYTES}${copy}`];
}

function userWords(
  { user: { uid, gid } }: ContainerPlan,
  { engine, isRoot }: Pick<EngineOptions, "engine" | "isRoot">,
): readonly string[] {
  if (engine === "apple") return ["--user", `${USER}:${USER}`];
  if (engine === "docker") return ["--user", `${uid}:${gid}`];
  if (!isRoot) return ["--userns", "keep-id", "--user", `${uid}:${gid}`];
  // One range: Podman cannot show an image with several.
  const [users, groups] = [`0:${uid - USER}:${IDS}`, `0:${gid - USER}:${IDS}`];
  return ["--uidmap", users, "--gidmap", groups, "--user", `${USER}:${USER}`];
}

/** Podman's own choice is crun, which does not work beside both kinds of control groups. */
function usualRuntime(engine: ContainerEngine): readonly string[] {
  return engine === "podman" && existsSync(UNIFIED_GROUPS) ? ["--runtime", "runc"] : [];
}

/** Document 003 writes `4g`. */
function memoryWords(bytes: number): string {
  return bytes % GIB === 0 ? `${bytes / GIB}g` : `${bytes}b`;
}
