import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { chown, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Failure, LIMITS } from "../../protocol/index.ts";
import { openRemoteSandbox } from "../remote/sandbox.ts";
import type { Sandbox } from "../sandbox.ts";
import { bubblewrapArguments, passwdFile, type SandboxView } from "./arguments.ts";
import { seccompFilter } from "./seccomp.ts";

export interface BubblewrapOptions {
  readonly workspace: string;
  /** Beside the system's own programs: files and folders that can be read, absolute and real. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly hidden: readonly string[];
  /** A folder of this sandbox alone, with a short path: for its sockets. Made here, and deleted at the end. */
  readonly folder: string;
  /** Beside PATH and HOME. */
  readonly environment: Readonly<Record<string, string>>;
  /** Whom a server that runs as root becomes before anything else; absent: it stays who it is. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
}

const BWRAP = "/usr/bin/bwrap";
const SETPRIV = "/usr/bin/setpriv";
const PRLIMIT = "/usr/bin/prlimit";
const SEARCH_PATH = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
const HOME = "/home/agent";
/** The first descriptor behind the standard streams. */
const SECCOMP_FD = 3;
const HELPER = fileURLToPath(new URL("../remote/inside.js", import.meta.url));
/** The helper imports nothing from beyond this folder. */
const PROGRAM_FOLDER = fileURLToPath(new URL("../../", import.meta.url));

/**
 * A sandbox of Linux namespaces: own processes, network, mounts, users. It sees the system's programs, its workspace and what it was
 * given, and nothing else of this machine.
 */
export async function openBubblewrapSandbox(options: BubblewrapOptions): Promise<Sandbox> {
  const filter = seccompFilter();
  if (filter === undefined)
    throw new Failure("unsupported", `There is no filter for system calls on ${process.arch}: use a container.`);
  const { folder, user } = options;
  const streamsPath = join(folder, "streams");
  const filterPath = join(folder, "seccomp");
  const people = join(folder, "passwd");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(filterPath, filter, { mode: 0o400 });
  await writeFile(people, passwdFile(HOME), { mode: 0o444 });
  const view: SandboxView = {
    workspace: options.workspace,
    readable: [process.execPath, PROGRAM_FOLDER, folder, ...options.readable],
    writable: options.writable,
    hidden: options.hidden,
    people,
    home: HOME,
    memoryFolderBytes: LIMITS.sandboxTemporaryBytes,
  };
  const launch = (): ReturnType<typeof spawn> => {
    const seccomp = openSync(filterPath, "r");
    try {
      const [program = "", ...words] = [
        ...limited(),
        ...(user === undefined ? [] : asUser(user)),
        BWRAP,
        ...bubblewrapArguments(view, SECCOMP_FD),
        process.execPath,
        HELPER,
        streamsPath,
      ];
      // Its first process keeps this environment where programs inside can read it.
      return spawn(program, words, {
        cwd: "/",
        env: { PATH: SEARCH_PATH.join(":") },
        stdio: ["pipe", "pipe", "pipe", seccomp],
      });
    } finally {
      closeSync(seccomp);
    }
  };
  const sandbox = await openRemoteSandbox({
    kind: "bubblewrap",
    searchPath: SEARCH_PATH,
    environment: { HOME, PATH: SEARCH_PATH.join(":"), TERM: "dumb", ...options.environment },
    streamsPath,
    launch,
    destroy: () => rm(folder, { recursive: true, force: true }),
  });
  if (user !== undefined) for (const path of [folder, streamsPath]) await chown(path, user.uid, user.gid);
  return sandbox;
}

function asUser({ uid, gid }: { readonly uid: number; readonly gid: number }): readonly string[] {
  return [SETPRIV, `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--inh-caps=-all", "--"];
}

function limited(): readonly string[] {
  return [PRLIMIT, "--core=0", `--nofile=${LIMITS.sandboxFiles}`, `--fsize=${LIMITS.sandboxFileBytes}`, "--"];
}
