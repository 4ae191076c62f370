import { existsSync, lstatSync, readlinkSync } from "node:fs";

/** A file or folder of this machine, and its path inside. */
export interface Shown {
  readonly from: string;
  readonly as: string;
}

/** What a sandbox shows of this machine. All paths are absolute and real. */
export interface BubblewrapView {
  readonly workspace: Shown;
  readonly readable: readonly Shown[];
  /** Folders beside the workspace that can be written. */
  readonly writable: readonly Shown[];
  /** Folders that are empty inside, wherever they are. */
  readonly hidden: readonly string[];
  /** The file that is /etc/passwd inside. */
  readonly people: string;
  /** HOME of everything inside: empty at the start, gone at the end. */
  readonly home: string;
  /** Bytes of each folder that lives in memory. */
  readonly memoryFolderBytes: number;
}

/** Folders of the system that programs come from. Where they are links, they are the same links inside. */
const SYSTEM_FOLDERS = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"] as const;

/** What programs need of /etc, and nothing that names this machine's people or secrets. */
const SYSTEM_SETTINGS = [
  "/etc/alternatives",
  "/etc/ca-certificates",
  "/etc/ca-certificates.conf",
  "/etc/crypto-policies",
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/localtime",
  "/etc/mime.types",
  "/etc/pki",
  "/etc/protocols",
  "/etc/services",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
] as const;

/** What every program of the system needs. */
export function systemArguments(): readonly string[] {
  return ["--ro-bind", "/usr", "/usr", ...SYSTEM_FOLDERS.flatMap(sameFolder)];
}

const USER = 1_000;

interface ProgramStart {
  /** The file descriptor of the filter for system calls. */
  readonly seccomp: number;
  readonly cwd: string;
  /** Whether the program gets what bubblewrap itself was given. */
  readonly environment: "none" | "bubblewrap's";
}

/** The words between `bwrap` and the program. */
export function bubblewrapArguments(
  view: BubblewrapView,
  { seccomp, cwd, environment }: ProgramStart,
): readonly string[] {
  const size = String(view.memoryFolderBytes);
  const memory = (path: string): readonly string[] => ["--size", size, "--tmpfs", path];
  return [
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
    ...(environment === "none" ? ["--clearenv"] : []),
    "--seccomp",
    String(seccomp),
    "--hostname",
    "sandbox",
    "--uid",
    String(USER),
    "--gid",
    String(USER),
    ...systemArguments(),
    ...SYSTEM_SETTINGS.flatMap((path) => ["--ro-bind-try", path, path]),
    "--ro-bind",
    view.people,
    "/etc/passwd",
    "--proc",
    "/proc",
    // Settings of the kernel: bubblewrap leaves them writable for a server that runs as root.
    "--ro-bind",
    "/proc/sys",
    "/proc/sys",
    "--dev",
    "/dev",
    // What is made in /dev would fill the machine's memory too: it has no size of its own.
    ...["/dev/shm", "/tmp", view.home].flatMap(memory),
    "--remount-ro",
    "/dev",
    "--symlink",
    "/tmp",
    "/var/tmp",
    ...outermostFirst([
      ...view.readable.map(({ from, as }): Placed => ({ as, words: ["--ro-bind", from, as] })),
      ...[view.workspace, ...view.writable].map(({ from, as }): Placed => ({ as, words: ["--bind", from, as] })),
      ...view.hidden.map((as): Placed => ({ as, words: memory(as) })),
    ]),
    // What was not given cannot be made: a folder at the root would fill the machine's memory.
    "--remount-ro",
    "/",
    "--chdir",
    cwd,
    "--",
  ];
}

interface Placed {
  readonly as: string;
  readonly words: readonly string[];
}

/** A folder covers what was placed below it before, so those above come first: nothing hidden is seen through a folder around it. */
function outermostFirst(placed: readonly Placed[]): readonly string[] {
  const depth = ({ as }: Placed): number => as.split("/").length;
  return placed.toSorted((one, other) => depth(one) - depth(other)).flatMap(({ words }) => words);
}

/** The one user there is inside. */
export function passwdFile(home: string): string {
  return `agent:x:${USER}:${USER}:agent:${home}:/bin/bash\n`;
}

function sameFolder(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  return lstatSync(path).isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}
