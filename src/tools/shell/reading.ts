import { constants } from "node:fs";
import { open, opendir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import {
  isInside,
  isObeyed,
  proveReading,
  READING_PATH,
  type FolderEntry,
  type ProvenReading,
  type ReadableFiles,
} from "../../gate/index.ts";
import { LIMITS } from "../../protocol/index.ts";
import { nameFilter } from "../../workspaces/filter.ts";
import { isHidden } from "../files/paths.ts";
import type { ToolSession } from "../tool.ts";
import { lookUp } from "./look-up.ts";

const isSecret = nameFilter({ mode: "standard" });

/** Proves, by what is on the disk now, that a command only reads. A text: why that is not proven. */
export async function readsOnly(command: string, session: ToolSession): Promise<ProvenReading | string> {
  const { workspace } = session;
  return proveReading(command, { folder: { cwd: workspace, workspace }, files: readableFiles(session) });
}

/** For one proof: what was seen of a folder is kept. */
export function readableFiles(session: ToolSession): ReadableFiles {
  const { workspace, hidden } = session;
  const folders = new FolderReader();
  return {
    look: (path) => lookUp(workspace, path),
    kindOf,
    entries: (folder) => folders.entries(folder),
    below: (folder) => folders.below(folder),
    bytes: bytesOf,
    isWithheld: (path) => {
      const own = relative(workspace, path);
      return (own !== "" && isSecret(own) !== undefined) || isObeyed(path, workspace) || isHidden(session, path);
    },
    holdsHidden: (real) => hidden.some((folder) => isInside(real, folder)),
  };
}

/**
 * The environment in which such a command runs: programs of the system alone, and a git that obeys no settings but the repository's own,
 * which were looked at, runs no hook and writes nothing.
 */
export function readingEnvironment({ git }: ProvenReading, workspace: string): Readonly<Record<string, string>> {
  // The gate read the line as UTF-8; in some languages' own encodings a shell reads other characters.
  const shell = { PATH: READING_PATH.join(":"), BASH_ENV: "", ENV: "", PAGER: "cat", LC_ALL: "C.UTF-8" };
  // jq and others read settings there. git's own list of ignored files is there, too, and its settings are switched off below.
  if (!git) return { ...shell, HOME: "/nonexistent" };
  const settings = { "core.fsmonitor": "false", "core.hooksPath": "/dev/null", "core.attributesFile": "/dev/null" };
  const numbered = Object.entries(settings).flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...shell,
    // Named, so that git does not look for a repository in the folders above.
    GIT_DIR: join(workspace, ".git"),
    GIT_WORK_TREE: workspace,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    // Else `git status` writes the index, and runs the hook for that.
    GIT_OPTIONAL_LOCKS: "0",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_CONFIG_COUNT: String(Object.keys(settings).length),
    ...Object.fromEntries(numbered),
  };
}

async function kindOf(path: string): Promise<"file" | "folder" | "other" | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  if (found.isDirectory()) return "folder";
  return found.isFile() ? "file" : "other";
}

/** Looks into folders, each of them once, until there were too many entries. */
class FolderReader {
  readonly #known = new Map<string, readonly FolderEntry[] | undefined>();
  readonly #folders = new Set<string>();
  #left: number = LIMITS.readingEntries;

  async entries(folder: string): Promise<readonly FolderEntry[] | undefined> {
    if (!this.#known.has(folder)) this.#known.set(folder, await this.#read(folder));
    return this.#known.get(folder);
  }

  async below(folder: string): Promise<readonly string[] | undefined> {
    const found: string[] = [];
    const folders = [folder];
    for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
      const parent = next;
      const entries = await this.entries(parent);
      if (entries === undefined) return undefined;
      const paths = entries.map(({ name }) => join(parent, name));
      found.push(...paths);
      folders.push(...paths.filter((path) => this.#folders.has(path)));
    }
    return found;
  }

  async #read(folder: string): Promise<readonly FolderEntry[] | undefined> {
    const found: FolderEntry[] = [];
    try {
      for await (const entry of await opendir(folder)) {
        this.#left -= 1;
        if (this.#left < 0) return undefined;
        found.push({ name: entry.name, isLink: entry.isSymbolicLink() });
        if (entry.isDirectory()) this.#folders.add(join(folder, entry.name));
      }
    } catch {
      return undefined;
    }
    return found;
  }
}

/** Without following a link in the last place, and without waiting for a pipe. */
async function bytesOf(path: string): Promise<Uint8Array | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = await file.stat();
    if (!found.isFile() || found.size > LIMITS.readingBytes) return undefined;
    return await file.readFile();
  } catch {
    return undefined;
  }
}
