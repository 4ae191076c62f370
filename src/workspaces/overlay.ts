import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { relative, sep } from "node:path";
import { LIMITS } from "../protocol/index.ts";

/** Mounts `tree` in this folder: what is below, with `upper` over it. False: this machine or user cannot. */
export function mountOverlay(folder: string, below: string): Promise<boolean> {
  // Relative paths: no name of a folder above can be taken for an option.
  const options = `lowerdir=${relative(folder, below)},upperdir=upper,workdir=work`;
  return run("mount", ["-t", "overlay", "-o", options, "sallyport", "tree"], folder);
}

/** Resolves when nothing is mounted there, as far as this user can tell. */
export async function unmount(target: string): Promise<void> {
  // Lazily where something still has it open: it is gone from the folder at once.
  if (!(await run("umount", [target], "/"))) await run("umount", ["--lazy", target], "/");
}

/** What is mounted below a folder, the innermost first. */
export async function mountsBelow(folder: string): Promise<readonly string[]> {
  const text = await readFile("/proc/self/mountinfo", "utf8").catch(() => "");
  const points = text.split("\n").map((line) => unescape(line.split(" ")[4] ?? ""));
  return points.filter((point) => point.startsWith(`${folder}${sep}`)).toReversed();
}

/** A blank is `\040` there. */
function unescape(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_whole, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

function run(program: string, words: readonly string[], cwd: string): Promise<boolean> {
  const env = { PATH: process.env["PATH"], LC_ALL: "C" };
  return new Promise((resolve) => {
    execFile(program, words, { cwd, env, timeout: LIMITS.gitTimeoutMs }, (error) => resolve(error === null));
  });
}
