import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import { LIMITS } from "../../protocol/index.ts";
import { resolvePath } from "../files/paths.ts";

/** What a path of a command is on the disk. A path that cannot be followed counts as outside of everything. */
export async function lookUp(
  workspace: string,
  path: string,
): Promise<{ readonly real: string; readonly exists: boolean }> {
  if (path.length > LIMITS.pathChars || path.includes("\0")) return { real: resolve(workspace, path), exists: false };
  try {
    const real = await resolvePath(workspace, path);
    return { real, exists: await isThere(real) };
  } catch {
    return { real: "/", exists: true };
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}
