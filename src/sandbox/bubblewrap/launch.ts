import { spawn, type ChildProcess } from "node:child_process";
import { chownSync, closeSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure, LIMITS } from "../../protocol/index.ts";
import type { ControlGroup } from "../control-groups.ts";
import type { SandboxRequest } from "../driver.ts";
import { mountsOf } from "../folders.ts";
import { bubblewrapArguments, passwdFile, type BubblewrapView, type Shown } from "./arguments.ts";
import { RUNNING_FD } from "./direct.ts";
import { HandedOver } from "./mounts.ts";
import { seccompFilter } from "./seccomp.ts";
import { sandboxUser } from "./user.ts";

export const BWRAP = "/usr/bin/bwrap";
export const SETPRIV = "/usr/bin/setpriv";
export const PRLIMIT = "/usr/bin/prlimit";
export const SEARCH_PATH = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
export const HOME = "/home/agent";
/** The first descriptor behind the standard streams. */
const SECCOMP_FD = 3;

export function filesIn(folder: string): Omit<SandboxFiles, "group"> {
  return { people: join(folder, "passwd"), filterPath: join(folder, "seccomp") };
}

/** What every program of a sandbox needs in its folder. Synchronous: a turn waits for it, and the thread pool takes far longer. */
export function writeFiles(folder: string): Omit<SandboxFiles, "group"> {
  const filter = seccompFilter();
  if (filter === undefined) throw new Failure("unsupported", `bubblewrap does not work on ${process.arch} yet.`);
  const { filterPath, people } = filesIn(folder);
  // A program that outlived its server may still be in this folder.
  for (const path of [filterPath, people]) rmSync(path, { force: true });
  writeFileSync(filterPath, filter, { mode: 0o400 });
  writeFileSync(people, passwdFile(HOME), { mode: 0o444 });
  const user = sandboxUser();
  if (user !== undefined) for (const path of [folder, people]) chownSync(path, user.uid, user.gid);
  return { people, filterPath };
}

export interface SandboxFiles {
  readonly people: string;
  readonly filterPath: string;
  /** Holds all its programs to its limits; undefined: they are watched. */
  readonly group: ControlGroup | undefined;
}

export interface ProgramInside {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** What it needs of this machine beside what the session was given. */
  readonly readable: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Whether the program starts without it. */
  readonly isCleared: boolean;
  /** What runs outside, with the rest as its words; absent: nothing does. */
  readonly before?: readonly string[] | undefined;
}

/** How many were started: each has its own place for what is handed over. */
let launches = 0;

/** Starts a program in namespaces of its own. */
export async function launch(
  request: SandboxRequest,
  files: SandboxFiles,
  program: ProgramInside,
): Promise<ChildProcess> {
  files.group?.expectProgram();
  const user = sandboxUser();
  launches += 1;
  const handed = user === undefined ? undefined : await HandedOver.open(mountsOf(request.folder, launches), user);
  const release = (): void => handed?.release();
  try {
    const view = await viewFor(request, { people: files.people, readable: program.readable, handed });
    const child = start(view, { request, program, files });
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
  readonly files: SandboxFiles;
}

function start(view: BubblewrapView, { request, program, files }: BubblewrapStart): ChildProcess {
  const processes = request.processes ?? LIMITS.sandboxProcesses;
  const seccomp = openSync(files.filterPath, "r");
  try {
    const entry = files.group?.admit(processes);
    const [first = PRLIMIT, ...words] = [
      ...(program.before ?? []),
      ...(entry?.words ?? []),
      PRLIMIT,
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
      `--nproc=${processes}`,
      "--",
      ...program.argv,
    ];
    const child = spawn(first, words, {
      cwd: "/",
      env: { ...program.environment },
      // In its own process group: what a terminal sends to the server's must not end it.
      detached: true,
      stdio: ["pipe", "pipe", "pipe", seccomp, ...(program.isCleared ? [] : (["pipe"] as const))],
    });
    child.once("close", () => entry?.leave());
    return child;
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
export function dropped(): readonly string[] {
  const user = sandboxUser();
  if (user === undefined) return [];
  return [SETPRIV, `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", "--inh-caps=-all", "--"];
}
