import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { openFilePassage } from "./koffi-socket.ts";
import { MountTrouble } from "./trouble.ts";

export interface MountOptions {
  /** An absolute path without symlinks; an empty folder. */
  readonly folder: string;
  /** What `mount` calls it; the type is `fuse.<name>`. */
  readonly name: string;
  /** Other users of this machine may use it too. */
  readonly allowOther: boolean;
  readonly uid: number;
  readonly gid: number;
  /** Where programs are searched. */
  readonly path: string;
  /** How long mounting and unmounting may take. */
  readonly programMs: number;
}

export interface Mounted {
  /** The open /dev/fuse; the caller closes it after the loop has ended. */
  readonly fd: number;
  /** Detaches the folder for new accesses; open files stay usable until the device is closed. */
  unmount(): Promise<void>;
  /** The folder is no longer ours: something else may be mounted there, which the guard must not touch. */
  dismissGuard(): void;
}

const DEVICE = "/dev/fuse";
const ERROR_CHARS = 2_000;

/** Mounts a folder with FUSE: as root through `mount`, otherwise through the setuid program `fusermount3`. */
export async function mountFuse(options: MountOptions): Promise<Mounted> {
  if (process.platform !== "linux") throw new MountTrouble("mounts need Linux's FUSE; use --plain here");
  const fd = options.uid === 0 ? await mountAsRoot(options) : await mountAsUser(options);
  const guard = guardMount(options);
  return {
    fd,
    unmount: () => unmountFuse(options),
    dismissGuard: () => guard.stdin?.end("done\n"),
  };
}

/** Lazily, so that it works while files are open and when the serving process is dead. */
export async function unmountFuse(options: Pick<MountOptions, "folder" | "uid" | "path" | "programMs">): Promise<void> {
  const [program, ...words] = unmountCommand(options);
  const { code, errors } = await runProgram({ ...options, program, words });
  if (code !== 0)
    throw new MountTrouble(`${options.folder} could not be unmounted: ${errors.trim() || `${program} failed`}`);
}

/** What is mounted on exactly this folder: `alive`, `dead` (its server is gone), or something that is not ours. */
export async function mountAt(folder: string, name: string): Promise<"nothing" | "alive" | "dead" | "foreign"> {
  const lines = (await readFile("/proc/self/mountinfo", "utf8").catch(() => "")).split("\n");
  const here = lines.map(parseMountLine).findLast((mount) => mount?.folder === folder);
  if (here === undefined) return "nothing";
  if (here.type !== `fuse.${name}`) return "foreign";
  const failed = await stat(folder).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  );
  return failed === "ENOTCONN" || failed === "ECONNABORTED" ? "dead" : "alive";
}

/** A line of mountinfo: the folder is the fifth word, the type the first after the dash. */
export function parseMountLine(line: string): { readonly folder: string; readonly type: string } | undefined {
  const [before = "", after = ""] = line.split(" - ");
  const folder = before.split(" ")[4];
  const type = after.split(" ")[0];
  if (folder === undefined || type === undefined || type === "") return undefined;
  return {
    folder: folder.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8))),
    type,
  };
}

async function mountAsRoot(options: MountOptions): Promise<number> {
  const fd = openDevice();
  const { folder, name, allowOther, uid, gid } = options;
  const settings = [
    "fd=3",
    "rootmode=40000",
    `user_id=${uid}`,
    `group_id=${gid}`,
    "nosuid,nodev,noexec",
    ...(allowOther ? ["allow_other"] : []),
  ].join(",");
  const words = ["-i", "-t", `fuse.${name}`, "-o", settings, name, folder];
  const { code, errors } = await runProgram({ ...options, program: "mount", words, passed: fd });
  if (code === 0) return fd;
  closeSync(fd);
  throw new MountTrouble(
    `${folder} could not be mounted: ${errors.trim() || "mount failed"}; --plain works without FUSE`,
  );
}

async function mountAsUser(options: MountOptions): Promise<number> {
  const { folder, name, allowOther } = options;
  const passage = await openFilePassage();
  try {
    const settings = [
      `fsname=${name},subtype=${name}`,
      "nosuid,nodev,noexec",
      ...(allowOther ? ["allow_other"] : []),
    ].join(",");
    const { code, errors } = await runProgram({
      ...options,
      program: "fusermount3",
      words: ["-o", settings, "--", folder],
      passed: passage.theirs,
      environment: { _FUSE_COMMFD: "3" },
    });
    if (code !== 0)
      throw new MountTrouble(
        `${folder} could not be mounted: ${errors.trim() || "fusermount3 failed"}; --plain works without FUSE`,
      );
    const fd = passage.receive();
    if (fd === undefined) throw new MountTrouble("fusermount3 gave no open /dev/fuse; --plain works without FUSE");
    return fd;
  } finally {
    closeSync(passage.ours);
    closeSync(passage.theirs);
  }
}

function openDevice(): number {
  try {
    return openSync(DEVICE, "r+");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new MountTrouble(`${DEVICE} cannot be opened (${code}): load the kernel's fuse module, or use --plain`);
  }
}

function unmountCommand({ folder, uid }: Pick<MountOptions, "folder" | "uid">): [string, ...string[]] {
  return uid === 0 ? ["umount", "-i", "-l", folder] : ["fusermount3", "-u", "-z", "--", folder];
}

/** A shell that outlives us and unmounts if we die: a killed process leaves no dead mount. */
function guardMount(options: MountOptions): ChildProcess {
  const guard = spawn(
    "/bin/sh",
    ["-c", 'read -r word || exec "$@"', "sallyport-mount-guard", ...unmountCommand(options)],
    {
      env: { PATH: options.path },
      stdio: ["pipe", "ignore", "ignore"],
      // Not in the terminal's process group: its Ctrl-C is for us.
      detached: true,
      cwd: "/",
    },
  );
  // Without a guard the next mount cleans up.
  guard.on("error", () => undefined);
  guard.stdin.on("error", () => undefined);
  guard.unref();
  return guard;
}

interface Program {
  readonly program: string;
  readonly words: readonly string[];
  readonly path: string;
  readonly programMs: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** A descriptor that becomes the program's number 3. */
  readonly passed?: number;
}

function runProgram(run: Program): Promise<{ readonly code: number; readonly errors: string }> {
  const { promise, resolve, reject } = deferred<{ code: number; errors: string }>();
  const child = spawn(run.program, [...run.words], {
    env: { PATH: run.path, ...run.environment },
    stdio: ["ignore", "ignore", "pipe", ...(run.passed === undefined ? [] : [run.passed])],
    timeout: run.programMs,
    killSignal: "SIGKILL",
    cwd: "/",
  });
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(0, ERROR_CHARS);
  });
  child.once("error", (error: NodeJS.ErrnoException) => {
    reject(new MountTrouble(error.code === "ENOENT" ? missing(run.program) : `${run.program}: ${error.message}`));
  });
  child.once("close", (code) => resolve({ code: code ?? 1, errors }));
  return promise;
}

function missing(program: string): string {
  const from = program === "fusermount3" ? "install the package fuse3, mount as root," : "install util-linux,";
  return `the program ${program} is missing: ${from} or use --plain`;
}

function deferred<Value>(): {
  promise: Promise<Value>;
  resolve: (value: Value) => void;
  reject: (error: Error) => void;
} {
  let resolve: (value: Value) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<Value>((resolved, rejected) => {
    resolve = resolved;
    reject = rejected;
  });
  return { promise, resolve, reject };
}
