import { normalize } from "node:path/posix";
import { couldBe } from "../globs.ts";

/**
 * Paths that differ for each process: `/proc/self/cwd` is the server's folder to the server and the command's to the
 * command. Where they lead is known only at run time.
 */

const OPEN_FILES = ["fd", "stdin", "stdout", "stderr"];

/** Whether an absolute path, or a shell pattern, leads through such a place. */
export function leadsAnywhere(path: string): boolean {
  const [, root = "", place, below] = normalize(path).replace(/^\/+/, "/").split("/");
  if (place === undefined) return false;
  if (couldBe(root, "proc")) return isProcess(place);
  if (!couldBe(root, "dev") || !OPEN_FILES.some((name) => couldBe(place, name))) return false;
  // `/dev/stdin` itself is what the line opened; a path below it, or below `/dev/fd/3`, may lie in a folder.
  return below !== undefined;
}

/** A path to a descriptor that the command already has open. */
export function isOpenFile(path: string): boolean {
  return /^\/(dev\/(fd\/\d+|stdin)|proc\/(self|thread-self|\d+)(\/task\/\d+)?\/fd\/\d+)\/?$/.test(
    normalize(path).replace(/^\/+/, "/"),
  );
}

function isProcess(place: string): boolean {
  if (/^(self|thread-self|\d+)$/.test(place)) return true;
  return /[^\w.-]/.test(place);
}
