import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import { join, relative } from "node:path";
import { z } from "zod";
import { git, mustGit } from "../git.ts";
import { inParallel } from "../in-parallel.ts";
import { listFiles } from "../list-files.ts";
import { stateOf } from "../manifest.ts";
import { findRepository, type Repository } from "../repository.ts";

/** What a folder's files are at a moment. */
export interface SourceState {
  /** The same for two moments between which nothing changed. */
  readonly key: string;
  /** Absent: it is no repository. */
  readonly repository?: RepositoryState | undefined;
}

const RepositoryPlace = z.object({
  /** Absolute, real. */
  root: z.string(),
  /** The folder within the repository, with a slash at its end; empty: its root. */
  prefix: z.string(),
  /** Absent: it has no commit yet. */
  head: z.string().optional(),
});
type RepositoryPlace = Readonly<z.infer<typeof RepositoryPlace>>;

export const RepositoryState = RepositoryPlace.extend({
  /** Something is not committed. */
  dirty: z.boolean(),
});
export type RepositoryState = Readonly<z.infer<typeof RepositoryState>>;

/** What `git status` says of a folder. Each entry is a line of it, as it is. */
export interface FolderStatus {
  readonly head?: string | undefined;
  /** What is not as in the last commit. */
  readonly changed: readonly string[];
  readonly untracked: readonly string[];
  /** Names within the repository. A folder's ends with a slash, and what is in it is not listed. */
  readonly ignored: readonly string[];
}

export async function statusOf(folder: string, repository: Repository): Promise<FolderStatus> {
  const words = ["status", "--porcelain=v2", "--branch", "-z", "--no-renames", "--ignore-submodules=all"];
  const listing = ["--untracked-files=all", "--ignored=matching"];
  // A repository can say that times are not to be looked at. Then a file that was written could look like before.
  const settings = { "core.trustctime": "true", "core.checkStat": "default" };
  const status = await mustGit(folder, [...words, ...listing, "--", "."], { repository, settings });
  const lines = status.split("\0").filter((line) => line !== "");
  const head = lines.find((line) => line.startsWith("# branch.oid "))?.slice("# branch.oid ".length);
  return {
    head: head === "(initial)" ? undefined : head,
    changed: lines.filter((line) => !/^[#?!] /.test(line)),
    untracked: lines.filter((line) => line.startsWith("? ")),
    ignored: lines.filter((line) => line.startsWith("! ")).map((line) => line.slice(2)),
  };
}

/** Names of files within the repository. */
interface TrackedFiles {
  readonly names: readonly string[];
  /** Those that git was told not to look at (assume-unchanged, skip-worktree). */
  readonly overlooked: readonly string[];
}

export async function trackedFiles(folder: string, repository: Repository): Promise<TrackedFiles> {
  const listed = await mustGit(folder, ["ls-files", "-v", "-z", "--full-name", "--", "."], { repository });
  // Each has a letter and a blank before it.
  const lines = listed.split("\0").filter((line) => line !== "");
  return {
    names: lines.map((line) => line.slice(2)),
    overlooked: lines.filter((line) => /^[a-zS] /.test(line)).map((line) => line.slice(2)),
  };
}

/** The state of a folder in a repository. The content of each file that is not as in the last commit is looked at. */
export async function stateInRepository({
  place,
  entries,
  overlooked,
}: {
  readonly place: RepositoryPlace;
  /** Lines of `git status`. */
  readonly entries: readonly string[];
  readonly overlooked: readonly string[];
}): Promise<SourceState> {
  const { root, prefix, head } = place;
  const hash = createHash("sha256").update(JSON.stringify([root, prefix, head ?? ""]));
  const looked = [
    ...entries.map((entry) => ({ entry, name: nameIn(entry) })),
    ...overlooked.map((name) => ({ entry: `overlooked ${name}`, name })),
  ];
  const states = await inParallel(looked, async ({ entry, name }) => ({
    entry,
    now: name === undefined ? undefined : await stateOf(root, name),
  }));
  for (const known of states) hash.update(JSON.stringify(known));
  return { key: hash.digest("hex"), repository: { ...place, dirty: entries.length > 0 } };
}

/** Where the repository of a folder is, and its last commit; undefined: it is in none. */
export async function repositoryOf(folder: string): Promise<RepositoryPlace | undefined> {
  const repository = await findRepository(folder);
  if (repository === undefined) return undefined;
  const head = await git(folder, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { repository });
  return placeOf(folder, repository, head?.trim());
}

export function placeOf(folder: string, { root }: Repository, head: string | undefined): RepositoryPlace {
  const prefix = folder === root ? "" : `${relative(root, folder)}/`;
  return { root, prefix, ...(head === undefined ? {} : { head }) };
}

/** The path in a line of `git status --porcelain=v2`; undefined: it is of another kind. */
export function nameIn(entry: string): string | undefined {
  if (entry.startsWith("? ")) return entry.slice(2);
  const fields = entry.startsWith("1 ") ? 8 : entry.startsWith("u ") ? 10 : undefined;
  return fields === undefined ? undefined : entry.split(" ").slice(fields).join(" ");
}

/** Of a folder in no repository: by names, sizes and times, also the one that no program can set. */
export async function stateOfFolder(folder: string, hidden: readonly string[]): Promise<SourceState> {
  const files = await listFiles(folder, hidden);
  const stamps = await inParallel(files, async (path) => {
    const found = await lstat(join(folder, path)).catch(() => undefined);
    return found === undefined ? undefined : [found.ino, found.mode, found.size, found.mtimeMs, found.ctimeMs];
  });
  const key = createHash("sha256")
    .update(JSON.stringify([folder, files, stamps]))
    .digest("hex");
  return { key };
}
