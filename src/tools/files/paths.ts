import { lstat, readlink, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { isInside } from "../../gate/index.ts";
import { Failure, LIMITS } from "../../protocol/index.ts";
import { isRefusal, reasonOf, systemCode, type ToolRefusal } from "../refusal.ts";
import type { PathUse, ToolContext, ToolSession } from "../tool.ts";

/** A path that a call may use. */
export interface UsablePath {
  /** Absolute, as the caller meant it: used in messages and previews. */
  readonly shown: string;
  /** The real location, with all links resolved. All work is done here. */
  readonly real: string;
}

/**
 * The real path of `path`; relative ones start at the workspace. If it does not exist yet: the real path of its nearest
 * existing ancestor plus the rest, also through dangling links. A path no system can have is a Failure.
 */
export async function resolvePath(workspace: string, path: string): Promise<string> {
  const problem = malformed(path);
  if (problem !== undefined) throw new Failure("invalid_request", problem);
  const absolute = isAbsolute(path) ? path : join(workspace, path);
  try {
    return await realpath(absolute);
  } catch {
    return followLinks(absolute);
  }
}

function malformed(path: string): string | undefined {
  if (path === "") return "The path is empty. Give the path of a file or folder.";
  if (path.includes("\0")) return "The path contains a NUL character, which no path can have.";
  if (path.length > LIMITS.pathChars) return `The path is longer than ${LIMITS.pathChars} characters.`;
  return undefined;
}

async function followLinks(absolute: string): Promise<string> {
  const open = absolute.split(sep).toReversed();
  let current: string = sep;
  let links = 0;
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      current = dirname(current);
      continue;
    }
    const next = join(current, name);
    const target = await linkTarget(next);
    if (target === undefined) {
      current = next;
      continue;
    }
    links += 1;
    if (links > LIMITS.linksPerPath)
      throw new Failure("invalid_request", `${absolute} goes through more than ${LIMITS.linksPerPath} symbolic links.`);
    if (isAbsolute(target)) current = sep;
    open.push(...target.split(sep).toReversed());
  }
  return current;
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    // Not a link, missing, or below a file: then the name stands for itself.
    if (["EINVAL", "ENOENT", "ENOTDIR"].includes(systemCode(error))) return undefined;
    throw new Failure("invalid_request", `The path cannot be followed: ${reasonOf(error)}.`);
  }
}

/** True for what is the server's own: its store and tokens may lie in the workspace. A workspace below them is the session's own tree. */
export function isHidden({ hidden, workspace, outputFolder }: ToolSession, real: string): boolean {
  const isOwnTree = (folder: string): boolean => isInside(folder, workspace) && isInside(workspace, real);
  return hidden.some((folder) => isInside(folder, real) && !isOwnTree(folder)) && !isInside(outputFolder, real);
}

/** The path if the session may use it this way: inside the workspace, or for reading also in the session's extra folders. */
export async function resolveInside(
  session: ToolSession & Pick<ToolContext, "permission">,
  use: PathUse,
): Promise<UsablePath | ToolRefusal> {
  const { workspace } = session;
  try {
    const real = await resolvePath(workspace, use.path);
    const shown = resolve(workspace, use.path);
    const judged = session.permission?.judged.get(use.path);
    if (judged !== undefined && judged !== real)
      return { refused: `${shown} no longer leads to the place that was permitted. Try again.`, changed: true };
    if (isHidden(session, real)) return { refused: `${shown} belongs to Sallyport itself. Use another path.` };
    if (isInside(workspace, real)) return { shown, real };
    if (use.access === "read") {
      for (const folder of [session.outputFolder, ...session.extraRead])
        if (isInside(await resolvePath(workspace, folder), real)) return { shown, real };
    }
    const where = real === shown ? shown : `${shown} (really ${real})`;
    return { refused: `${where} is outside the workspace ${workspace}. Use a path inside it.` };
  } catch (error) {
    if (error instanceof Failure) return { refused: error.message };
    throw error;
  }
}

/** True when the path still leads to the same place as when it was resolved. */
export async function isStillThere(session: ToolSession, use: PathUse, place: UsablePath): Promise<boolean> {
  const again = await resolveInside(session, use);
  return !isRefusal(again) && again.real === place.real;
}

/** The folders above `path` that do not exist yet, outermost first. */
export async function missingFolders(path: string): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const there = await lstat(folder).catch(() => undefined);
    if (there !== undefined) break;
    missing.unshift(folder);
  }
  return missing;
}

/** Relative to the workspace if possible. */
export function nearName(workspace: string, path: string): string {
  return isInside(workspace, path) && path !== workspace ? relative(workspace, path) : path;
}
