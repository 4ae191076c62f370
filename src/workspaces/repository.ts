import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { lstat, readdir, readFile, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { Failure, LIMITS } from "../protocol/index.ts";

/** A repository whose files belong to each other, wherever a link or a file in it says that they are. */
export interface Repository {
  /** Where its files are checked out. Absolute, real. */
  readonly root: string;
  /** What belongs to this checkout alone: HEAD and the index. */
  readonly gitFolder: string;
  /** What all checkouts share: objects, branches. */
  readonly commonFolder: string;
}

/** Throws a Failure if a link among git's own files leads out of this folder. */
type LinkCheck = (commonFolder: string) => Promise<unknown>;

/**
 * The repository around a folder; undefined: there is none. Whoever writes in a folder can write its `.git` too, and make it lead to
 * the repository of somebody else: one that leads elsewhere is a Failure, unless that place knows of this folder.
 */
export async function findRepository(
  folder: string,
  checkLinks: LinkCheck = refuseLinks,
): Promise<Repository | undefined> {
  for (let root = folder; ; root = dirname(root)) {
    const entry = await lstat(join(root, ".git")).catch(() => undefined);
    if (entry !== undefined) {
      const repository = await checked(root, entry.isFile() ? await pointerAt(join(root, ".git")) : undefined);
      await checkLinks(repository.commonFolder);
      return repository;
    }
    if (dirname(root) === root) return undefined;
  }
}

async function checked(root: string, pointer: string | undefined): Promise<Repository> {
  const own = join(root, ".git");
  const gitFolder = await realpath(pointer === undefined ? own : resolve(root, pointer)).catch(() => undefined);
  if (gitFolder === undefined) throw strange(root, own);
  const common = (await textOf(join(gitFolder, "commondir"))).trim();
  const commonFolder = common === "" ? gitFolder : await realpath(resolve(gitFolder, common)).catch(() => "");
  const isOwn = gitFolder === own && commonFolder === own;
  if (!isOwn && !(await isKnownThere({ root, gitFolder, commonFolder }))) throw strange(root, own);
  return { root, gitFolder, commonFolder };
}

/** A worktree's or a submodule's place is inside the repository that it belongs to, which names it in turn. */
async function isKnownThere({ root, gitFolder, commonFolder }: Repository): Promise<boolean> {
  if (commonFolder === gitFolder) {
    // A submodule: below `modules` of the repository around it, with this folder as its files.
    const worktree = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(await textOf(join(gitFolder, "config")))?.[1];
    const isModule = gitFolder.includes(`${sep}.git${sep}modules${sep}`);
    return isModule && worktree !== undefined && resolve(gitFolder, worktree) === root;
  }
  if (gitFolder !== join(commonFolder, "worktrees", basename(gitFolder))) return false;
  return (await textOf(join(gitFolder, "gitdir"))).trim() === join(root, ".git");
}

function strange(root: string, path: string): Failure {
  return new Failure(
    "unsupported",
    `${path} leads to a repository that does not know ${root}. Nothing is read there; make it the folder's own, or use workspace_mode direct.`,
  );
}

function refusePath(path: string): never {
  throw new Failure(
    "unsupported",
    `${path} leads out of its repository. Nothing is read there; replace it, or use workspace_mode direct.`,
  );
}

/** A file by which git looks for objects in other repositories. */
export async function refuseAlternates(folder: string): Promise<void> {
  const path = join(folder, "objects/info/alternates");
  if ((await textOf(path)).trim() !== "") refusePath(path);
}

/**
 * Git follows links among its own files. Behind them could be another repository's objects and branches. Answers the folders that it
 * looked through, but the first one.
 */
export async function refuseLinks(folder: string): Promise<readonly string[]> {
  await refuseAlternates(folder);
  const open = [...(await foldersOf(folder))];
  const seen: string[] = [];
  while (seen.length < LIMITS.gitFolders) {
    const at = open.pop();
    if (at === undefined) return seen;
    seen.push(at);
    open.push(...(await foldersIn(at, () => true)));
  }
  throw new Failure(
    "limit_reached",
    `${folder} has more than ${LIMITS.gitFolders} folders: use workspace_mode direct.`,
  );
}

/** The folders in a repository's own folder in which git reads. A Failure if one of its files there is a link. */
export function foldersOf(folder: string): Promise<readonly string[]> {
  return foldersIn(folder, isRead);
}

async function foldersIn(folder: string, counts: (name: string) => boolean): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (!counts(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) refusePath(path);
    if (entry.isDirectory()) folders.push(path);
  }
  return folders;
}

const SHARED = ["HEAD", "objects", "refs", "packed-refs", "info", "logs", "worktrees", "shallow"] as const;

function isRead(name: string): boolean {
  return name === "config" || name === "index" || SHARED.some((shared) => shared === name);
}

/**
 * Git's variables for a repository, without its settings: they name programs to run (filters, monitors, hooks, helpers) and files to
 * include under conditions that cannot all be foreseen. Git gets a folder of ours in which all is the repository's but `config`.
 */
export async function withRepository<Answer>(
  repository: Repository,
  work: (variables: Readonly<Record<string, string>>) => Promise<Answer>,
): Promise<Answer> {
  const { root, gitFolder, commonFolder } = repository;
  const settings = plainSettings(await textOf(join(commonFolder, "config")));
  // A dozen small steps, which take a tenth of the time if none is waited for.
  const folder = mkdtempSync(join(tmpdir(), "sallyport-git-"));
  try {
    for (const name of SHARED) symlinkSync(join(commonFolder, name), join(folder, name));
    writeFileSync(join(folder, "config"), settings);
    return await work({ GIT_DIR: gitFolder, GIT_COMMON_DIR: folder, GIT_WORK_TREE: root });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Settings that say how files are stored, and nothing else. */
const PLAIN: Readonly<Record<string, readonly string[]>> = {
  core: [
    "repositoryformatversion",
    "filemode",
    "ignorecase",
    "symlinks",
    "precomposeunicode",
    "autocrlf",
    "eol",
    "safecrlf",
    "logallrefupdates",
    "checkstat",
    "trustctime",
  ],
  extensions: ["objectformat", "refstorage", "noop"],
};

function plainSettings(text: string): string {
  let section = "";
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const head = /^\s*\[([^\]]*)\]/.exec(line)?.[1];
    if (head !== undefined) section = head.trim().toLowerCase();
    const [, key = "", value = ""] = /^\s*([a-zA-Z]+)\s*=\s*([a-zA-Z0-9]+)\s*$/.exec(line) ?? [];
    if (PLAIN[section]?.includes(key.toLowerCase()) === true) lines.push(`[${section}]\n${key} = ${value}\n`);
  }
  return lines.join("");
}

/** A new worktree's `.git` names the folder of ours in which git ran. It must name the repository's. */
export async function mendPointer(tree: string, { commonFolder }: Repository): Promise<void> {
  const path = join(tree, ".git");
  const name = basename(await pointerAt(path));
  await writeFile(path, `gitdir: ${join(commonFolder, "worktrees", name)}\n`);
}

async function pointerAt(path: string): Promise<string> {
  const named = /^gitdir: (.+?)\s*$/.exec(await textOf(path))?.[1];
  if (named === undefined)
    throw new Failure("unsupported", `${path} is no repository, nor does it say where one is; delete it`);
  return named;
}

/** Of a file, not of what a link leads to; empty: there is none, or it is longer than any of git's own. */
async function textOf(path: string): Promise<string> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isFile() !== true || found.size > LIMITS.gitSettingsBytes) return "";
  return readFile(path, "utf8").catch(() => "");
}

/** Whether a name that git lists is one below the folder that was asked about. An index that was made by hand can hold others. */
export function isInside(name: string): boolean {
  const parts = name.split("/");
  return (
    !isAbsolute(name) &&
    parts.every((part) => part !== "" && part !== "." && part !== ".." && part.toLowerCase() !== ".git") &&
    !relative("/", join("/", name)).startsWith("..")
  );
}
