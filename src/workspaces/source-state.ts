import { createHash } from "node:crypto";
import { join, relative, sep } from "node:path";
import { mustGit } from "./git.ts";
import { inParallel } from "./in-parallel.ts";
import { listFiles } from "./list-files.ts";
import { stampOf, stateOf } from "./manifest.ts";
import { findRepository } from "./repository.ts";

/** What a folder's files are at a moment. */
export interface SourceState {
  /** The same for two moments between which nothing changed. */
  readonly key: string;
  /** Absent: it is no repository. */
  readonly repository?: RepositoryState | undefined;
}

export interface RepositoryState {
  /** Absolute, real. */
  readonly root: string;
  /** The folder within the repository, with a slash at its end; empty: its root. */
  readonly prefix: string;
  /** Absent: it has no commit yet. */
  readonly head?: string | undefined;
  /** Something is not committed. */
  readonly dirty: boolean;
}

interface FoundRepository {
  readonly state: Omit<RepositoryState, "dirty">;
  /** What git says is not as in its last commit. */
  readonly entries: readonly string[];
}

export async function sourceState(folder: string, hidden: readonly string[]): Promise<SourceState> {
  const repository = await repositoryOf(folder);
  if (repository === undefined) return { key: await folderKey(folder, hidden) };
  const { state } = repository;
  const isOwn = (name: string): boolean =>
    hidden.some((own) => `${join(state.root, name)}${sep}`.startsWith(`${own}${sep}`));
  const entries = repository.entries.filter((entry) => !isOwn(nameIn(entry) ?? ""));
  const hash = createHash("sha256").update(JSON.stringify([state.root, state.prefix, state.head ?? ""]));
  const states = await inParallel(entries, async (entry) => {
    const name = nameIn(entry);
    return { entry, now: name === undefined ? undefined : await stateOf(state.root, name) };
  });
  for (const known of states) hash.update(JSON.stringify(known));
  return { key: hash.digest("hex"), repository: { ...state, dirty: entries.length > 0 } };
}

/** Undefined: it is no repository. */
async function repositoryOf(folder: string): Promise<FoundRepository | undefined> {
  const found = await findRepository(folder);
  if (found === undefined) return undefined;
  const words = ["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--no-renames"];
  const status = await mustGit(folder, [...words, "--ignore-submodules=all", "--", "."]);
  const { root } = found;
  const prefix = folder === root ? "" : `${relative(root, folder)}/`;
  const lines = status.split("\0").filter((line) => line !== "");
  const entries = lines.filter((line) => !line.startsWith("# "));
  const head = lines.find((line) => line.startsWith("# branch.oid "))?.slice("# branch.oid ".length);
  const isBorn = head !== undefined && head !== "(initial)";
  return { state: { root, prefix, ...(isBorn ? { head } : {}) }, entries };
}

/** The path in a line of `git status --porcelain=v2`; undefined: it is of another kind. */
function nameIn(entry: string): string | undefined {
  if (entry.startsWith("? ")) return entry.slice(2);
  const fields = entry.startsWith("1 ") ? 8 : entry.startsWith("u ") ? 10 : undefined;
  return fields === undefined ? undefined : entry.split(" ").slice(fields).join(" ");
}

/** By names, sizes and times. */
async function folderKey(folder: string, hidden: readonly string[]): Promise<string> {
  const files = await listFiles(folder, hidden);
  const stamps = await inParallel(files, (path) => stampOf(folder, path));
  return createHash("sha256")
    .update(JSON.stringify([folder, files, stamps]))
    .digest("hex");
}
