import type { Dirent } from "node:fs";
import { opendir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Failure, LIMITS, type FileList, type FolderList } from "../../../protocol/index.ts";
import { isInside } from "../../../gate/index.ts";
import { resolvePath } from "../../../tools/index.ts";
import { authorize, authorizeFor, type Caller } from "../../access/access.ts";
import { bestFiles } from "../../workspace/file-match.ts";
import { WorkspaceFiles } from "../../workspace/workspace-files.ts";
import type { Registry } from "../../lifecycle/registry.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { WorkspacePlaces } from "../../settings/settings.ts";

/** Browsing where sessions work: folders for a new one, files of an existing one. Names only, never contents. */
export class FolderService {
  readonly #registry: Registry;
  readonly #places: WorkspacePlaces;
  readonly #files: WorkspaceFiles;

  constructor(parts: {
    readonly dependencies: Dependencies;
    readonly registry: Registry;
    readonly places: WorkspacePlaces;
  }) {
    this.#registry = parts.registry;
    this.#places = parts.places;
    this.#files = new WorkspaceFiles(parts.dependencies.clock, parts.places.hidden);
  }

  /** Absent path: the top-level folders. */
  async list(caller: Caller, path: string | undefined): Promise<FolderList> {
    authorize(caller, "workspace.choose");
    const roots = this.#rootsOf(caller);
    if (path === undefined) {
      const { defaultWorkspace } = this.#places;
      return {
        folders: roots.map((root) => ({ name: basename(root) || root, path: root })),
        truncated: false,
        ...(this.#isShown(roots, defaultWorkspace) ? { default_workspace: defaultWorkspace } : {}),
      };
    }
    const real = await resolvePath(this.#places.defaultWorkspace, path);
    if (!this.#isShown(roots, real)) {
      throw new Failure(
        "forbidden",
        `${path} is not below a folder that sessions may work in; leave path out to see those`,
      );
    }
    const { folders, truncated } = await this.#foldersIn(roots, real);
    const parent = roots.includes(real) ? undefined : dirname(real);
    return { path: real, ...(parent === undefined ? {} : { parent }), folders: [...folders], truncated };
  }

  /**
   * The root of the git repository that holds the default workspace. Undefined: there is none, this caller may not work there, or
   * Sallyport's own folder is in it, which is hardly a project then.
   */
  async repositoryRoot(caller: Caller): Promise<string | undefined> {
    const { defaultWorkspace, roots, hidden } = this.#places;
    const limits = caller.token.bounds.workspace_roots;
    const isFree = caller.role === "admin" || caller.role === "operator";
    let folder = defaultWorkspace;
    while (!(await isRepository(folder))) {
      const parent = dirname(folder);
      if (parent === folder) return undefined;
      folder = parent;
    }
    const may = (isFree || inside(roots, folder)) && (limits === undefined || inside(limits, folder));
    const isOurs = folder !== defaultWorkspace && hidden.some((own) => isInside(folder, own));
    return may && !isOurs ? folder : undefined;
  }

  /** The best-matching files, among those that git would not ignore. */
  async files(
    caller: Caller,
    id: string,
    { query, limit }: { readonly query: string; readonly limit: number },
  ): Promise<FileList> {
    authorize(caller, "workspace.read");
    const session = await this.#registry.get(id);
    authorizeFor(caller, "session.read", { state: session.state, what: `session ${id}` });
    const { files, truncated } = await this.#files.of(session.state.settings.workspace);
    const found = bestFiles(files, query, limit + 1);
    return { files: found.slice(0, limit), truncated: truncated || found.length > limit };
  }

  /** An agent may have its own folders instead of the default ones. */
  #rootsOf(caller: Caller): readonly string[] {
    const { roots, defaultWorkspace } = this.#places;
    const covered = roots.some((root) => isInside(root, defaultWorkspace));
    const all = caller.role === "agent" || covered ? roots : [...roots, defaultWorkspace];
    const most = caller.token.bounds.workspace_roots;
    const shown = most === undefined ? all : most.filter((root) => caller.role !== "agent" || inside(all, root));
    return [...new Set(shown)].filter((root) => !this.#isOwn(root));
  }

  #isOwn(real: string): boolean {
    return this.#places.hidden.some((folder) => isInside(folder, real));
  }

  #isShown(roots: readonly string[], real: string): boolean {
    return inside(roots, real) && !this.#isOwn(real);
  }

  async #foldersIn(
    roots: readonly string[],
    real: string,
  ): Promise<{ readonly folders: readonly { name: string; path: string }[]; readonly truncated: boolean }> {
    const { entries, truncated } = await entriesOf(real);
    const folders: { name: string; path: string }[] = [];
    for (const entry of entries) {
      if (folders.length > LIMITS.foldersListed) break;
      const path = join(real, entry.name);
      const target = entry.isSymbolicLink() ? await folderBehind(path) : path;
      if (target !== undefined && this.#isShown(roots, target)) folders.push({ name: entry.name, path });
    }
    return {
      folders: folders.slice(0, LIMITS.foldersListed),
      truncated: truncated || folders.length > LIMITS.foldersListed,
    };
  }
}

/** `.git` is a file in worktrees and submodules. */
async function isRepository(folder: string): Promise<boolean> {
  return stat(join(folder, ".git")).then(
    () => true,
    () => false,
  );
}

function inside(roots: readonly string[], real: string): boolean {
  return roots.some((root) => isInside(root, real));
}

/** Folders and links, by name. */
async function entriesOf(real: string): Promise<{ readonly entries: readonly Dirent[]; readonly truncated: boolean }> {
  const entries: Dirent[] = [];
  let seen = 0;
  try {
    for await (const entry of await opendir(real)) {
      seen += 1;
      if (seen > LIMITS.folderEntries) break;
      const wanted = entry.isDirectory() || entry.isSymbolicLink();
      if (wanted && !entry.name.startsWith(".") && entry.name !== "node_modules") entries.push(entry);
    }
  } catch {
    throw new Failure("not_found", `there is no folder ${real} that can be read`);
  }
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  return { entries, truncated: seen > LIMITS.folderEntries };
}

/** Where a link leads, if that is a folder. */
async function folderBehind(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isDirectory() ? await resolvePath(dirname(path), path) : undefined;
  } catch {
    return undefined;
  }
}
