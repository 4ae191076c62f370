import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { LIMITS } from "../../protocol/index.ts";
import { filterOf, nameFilter, readBeneath } from "../../workspaces/index.ts";
import { decodeText, isBinary } from "../files/content.ts";
import { hiddenGlobs, ripgrepFile } from "../files/grep.ts";
import type { ToolSession } from "../tool.ts";
import { CodeIndex, type FoundPart } from "./code-index.ts";

/** A part of a file with its text. */
export interface CodePart extends FoundPart {
  readonly text: string;
}

export interface FoundParts {
  readonly parts: readonly CodePart[];
  /** Files that the index does not have: it is full, or they took too long. */
  readonly leftOut: number;
}

export interface PartSearch {
  readonly query: string;
  readonly most: number;
  /** How long files are read. The next search goes on. */
  readonly ms: number;
  readonly signal: AbortSignal;
}

type IndexedWorkspace = Pick<ToolSession, "workspace" | "sandbox" | "hidden">;

interface SharedIndex {
  readonly index: CodeIndex;
  /** Sessions read what has changed, and search, one after the other. */
  free: Promise<unknown>;
}

/** What looks like a secret by its name is never shown by a search. */
const withheld = nameFilter(filterOf("standard"));

/** The indexes of the folders that sessions work in: sessions in one folder share one. */
export class WorkspaceIndexes {
  /** Most recently used last. */
  readonly #indexes = new Map<string, SharedIndex>();

  /** The parts of a workspace's text files that fit a query best. Files are looked at again first, and what has changed is read. */
  async find(place: IndexedWorkspace, { query, most, ms, signal }: PartSearch): Promise<FoundParts> {
    const shared = this.#of(place.workspace);
    const searching = shared.free.then(async () => {
      const leftOut = await refresh(shared.index, place, { ms, signal });
      return { leftOut, best: signal.aborted ? [] : await shared.index.search(query, most) };
    });
    shared.free = searching.catch(() => undefined);
    const { leftOut, best } = await searching;
    const parts: CodePart[] = [];
    for (const found of best) {
      const text = await textOf(place.workspace, found.path);
      if (text !== undefined) parts.push({ ...found, text: linesOf(text, found) });
    }
    return { parts, leftOut };
  }

  #of(workspace: string): SharedIndex {
    const found = this.#indexes.get(workspace) ?? { index: new CodeIndex(), free: Promise.resolve() };
    this.#indexes.delete(workspace);
    this.#indexes.set(workspace, found);
    const [oldest] = this.#indexes.keys();
    if (this.#indexes.size > LIMITS.searchCodeIndexes && oldest !== undefined) this.#indexes.delete(oldest);
    return found;
  }
}

/** Reads what has changed, until it is late. Answers how many files were left out. */
async function refresh(
  index: CodeIndex,
  place: IndexedWorkspace,
  { ms, signal }: Pick<PartSearch, "ms" | "signal">,
): Promise<number> {
  const slow = AbortSignal.any([AbortSignal.timeout(LIMITS.searchCodeMs), signal]);
  const listed = await listFiles(place, slow);
  const paths = listed.filter((path) => withheld(path) === undefined).slice(0, LIMITS.searchCodeFiles);
  // A list that was cut says nothing about files that are gone.
  if (!slow.aborted) index.keepOnly(new Set(paths));
  const late = AbortSignal.any([AbortSignal.timeout(ms), signal]);
  let left = listed.length - paths.length;
  for (const path of paths) {
    if (late.aborted) left += 1;
    else if (!(await take(index, path, place.workspace))) left += 1;
  }
  return left;
}

/** False: it was left out for want of room. */
async function take(index: CodeIndex, path: string, workspace: string): Promise<boolean> {
  const found = await lstat(join(workspace, path)).catch(() => undefined);
  if (found?.isFile() !== true || found.size > LIMITS.searchCodeFileBytes) {
    index.delete(path);
    return true;
  }
  const stamp = `${found.mtimeMs} ${found.size} ${found.ino}`;
  if (index.has(path, stamp)) return true;
  const text = await textOf(workspace, path);
  if (text !== undefined) return index.put(path, stamp, text);
  index.delete(path);
  return true;
}

/** Undefined: it is no text of the workspace. No link is followed. */
async function textOf(workspace: string, path: string): Promise<string | undefined> {
  const bytes = await readBeneath(workspace, path).catch(() => undefined);
  return bytes === undefined || bytes.length > LIMITS.searchCodeFileBytes || isBinary(bytes)
    ? undefined
    : decodeText(bytes).text;
}

function linesOf(text: string, { from, to }: FoundPart): string {
  return text
    .split("\n")
    .slice(from - 1, to)
    .join("\n")
    .trimEnd();
}

/** What a repository does not ignore, listed where the session's programs run. */
async function listFiles(place: IndexedWorkspace, late: AbortSignal): Promise<readonly string[]> {
  const rgPath = await ripgrepFile();
  let rest = "";
  const found: string[] = [];
  const running = await place.sandbox.spawn({
    argv: [rgPath, "--files", "--null", "--no-config", "--no-require-git", "--sort=path", ...hiddenGlobs(place)],
    cwd: place.workspace,
    onOutput(chunk, stream) {
      if (stream === "stderr" || found.length > LIMITS.searchCodeFiles) return;
      const names = (rest + chunk.toString("utf8")).split("\0");
      rest = names.pop() ?? "";
      found.push(...names);
    },
  });
  const stop = (): void => void running.kill({ graceMs: 0 });
  late.addEventListener("abort", stop, { once: true });
  if (late.aborted) stop();
  await running.exit;
  late.removeEventListener("abort", stop);
  return found;
}
