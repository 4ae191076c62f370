import { execFile, spawn } from "node:child_process";
import { constants } from "node:fs";
import { cp } from "node:fs/promises";

/**
 * Copies files fast, as far as GNU tar can: whoever calls it looks what is there, and copies the rest. Times are cut to whole seconds,
 * which survive every way of copying, so that an untouched file is known by its time.
 */
export async function copyMany(from: string, to: string, files: readonly string[]): Promise<void> {
  const env = { PATH: process.env["PATH"], LC_ALL: "C" };
  const packing = ["--format=gnu", "--hard-dereference", "--mode=u+rw", "--ignore-failed-read", "--no-recursion"];
  const pack = spawn("tar", ["-C", from, ...packing, "--null", "-T", "-", "-cf", "-"], {
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const unpack = spawn("tar", ["-C", to, "--no-same-owner", "-xpf", "-"], { env, stdio: ["pipe", "ignore", "ignore"] });
  // One of them may end before the other, or not begin.
  for (const stream of [pack.stdin, pack.stdout, unpack.stdin]) stream.on("error", () => undefined);
  pack.stdout.pipe(unpack.stdin);
  pack.stdin.end(files.map((path) => `${path}\0`).join(""));
  await Promise.all([pack, unpack].map((program) => ended(program)));
}

function ended(program: ReturnType<typeof spawn>): Promise<void> {
  return new Promise((resolve) => {
    program.once("error", () => resolve());
    program.once("close", () => resolve());
  });
}

/** A whole tree, with times and links. The target may be there, empty. */
export async function copyTree(from: string, to: string): Promise<void> {
  if (await copyExactly(`${from}/.`, to)) return;
  const mode = constants.COPYFILE_FICLONE;
  await cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, force: true, mode });
}

/** With devices and attributes: they say what an overlay hides. False: there is no GNU cp, or it failed. */
export function copyExactly(from: string, to: string): Promise<boolean> {
  return new Promise((resolve) => {
    const env = { PATH: process.env["PATH"], LC_ALL: "C" };
    execFile("cp", ["-a", "--reflink=auto", "--", from, to], { env }, (error) => resolve(error === null));
  });
}

/** Links too, not what they lead to. */
export function giveTo({ uid, gid }: { readonly uid: number; readonly gid: number }, folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env["PATH"], LC_ALL: "C" };
    execFile("chown", ["-Rh", `${uid}:${gid}`, "--", folder], { env }, (error) =>
      error === null ? resolve() : reject(error),
    );
  });
}
