import { lstat, readlink } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { leadsAnywhere } from "../../gate/index.ts";
import { LIMITS } from "../../protocol/index.ts";
import { resolvePath } from "../files/paths.ts";

/** What a command's path is on the disk. A path that cannot be followed counts as outside of everything. */
export async function lookUp(
  workspace: string,
  path: string,
): Promise<{ readonly real: string; readonly exists: boolean }> {
  if (path.length > LIMITS.pathChars || path.includes("\0")) return { real: resolve(workspace, path), exists: false };
  try {
    const real = await resolvePath(workspace, path);
    const late = real === resolve(workspace, path) ? undefined : await processPath(resolve(workspace), path);
    if (late !== undefined) return { real: late, exists: true };
    return { real, exists: await isThere(real) };
  } catch {
    return { real: "/", exists: true };
  }
}

/**
 * Where a path first enters a per-process place, such as `/proc/self/cwd`, with the rest after it; undefined: nowhere. A link may
 * lead there, and the server must not follow it for the command.
 */
async function processPath(workspace: string, path: string): Promise<string | undefined> {
  const rest = (isAbsolute(path) ? path : `${workspace}/${path}`).split("/").toReversed();
  let at = "/";
  for (let steps = 0; steps < LIMITS.pathChars; steps++) {
    const name = rest.pop();
    if (name === undefined) return undefined;
    const next = resolve(at, name);
    if (leadsAnywhere(next)) return resolve(next, ...rest.toReversed());
    const link = await readlink(next).catch(() => undefined);
    if (link === undefined) at = next;
    else {
      if (isAbsolute(link)) at = "/";
      rest.push(...link.split("/").toReversed());
    }
  }
  return "/proc/self";
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}
