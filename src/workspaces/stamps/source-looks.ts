import { readdir } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { LIMITS } from "../../protocol/index.ts";
import { findRepository, foldersOf, refuseAlternates, refuseLinks, type Repository } from "../repository.ts";
import {
  nameIn,
  placeOf,
  stateInRepository,
  stateOfFolder,
  statusOf,
  trackedFiles,
  type FolderStatus,
  type SourceState,
} from "./source-state.ts";
import { StampThreads, type PathStamps } from "./threads.ts";

/** What a look found, as long as all that it comes from is unchanged. */
interface KnownState {
  readonly stamps: PathStamps;
  readonly repository: Repository;
  readonly state: SourceState;
}

interface SourceLooksOptions {
  /** The server's own folders, of which nothing is seen. */
  readonly hidden: readonly string[];
  /** The clock that file systems have. Absent: this machine's. */
  readonly clock?: (() => number) | undefined;
}

/** What git puts in place of bytes that are no text. Nothing can be looked at by such a name. */
const UNREADABLE = "\u{FFFD}";

/**
 * Looks at what folders hold now. A look is remembered. As long as the time of the last change of each file and folder that it comes
 * from proves it still true, the next one compares these times and asks git nothing.
 */
export class SourceLooks {
  readonly #hidden: readonly string[];
  readonly #clock: () => number;
  readonly #threads = new StampThreads();
  readonly #states = new Map<string, KnownState>();
  /** Of folders of git in which no link leads out. */
  readonly #links = new Map<string, { readonly stamps: PathStamps; readonly folders: ReadonlySet<string> }>();

  constructor({ hidden, clock = Date.now }: SourceLooksOptions) {
    this.#hidden = hidden;
    this.#clock = clock;
  }

  async state(folder: string): Promise<SourceState> {
    const known = this.#states.get(folder);
    // Its paths are compared while the repository is looked for.
    const asked = known === undefined ? Promise.resolve(false) : this.#threads.isUnchanged(known.stamps);
    const repository = await findRepository(folder, (common) => this.#checkLinks(common));
    if (repository === undefined) return stateOfFolder(folder, this.#hidden);
    const isSame = await asked;
    if (known !== undefined && isSame && isSameRepository(known.repository, repository)) return known.state;
    return this.#look(folder, repository);
  }

  async close(): Promise<void> {
    await this.#threads.close();
  }

  async #look(folder: string, repository: Repository): Promise<SourceState> {
    const since = this.#clock();
    const [status, { names, overlooked }] = await Promise.all([
      statusOf(folder, repository),
      trackedFiles(folder, repository),
    ]);
    const { head, changed, untracked } = status;
    const state = await stateInRepository({
      place: placeOf(folder, repository, head),
      entries: [...changed, ...untracked].filter(
        (entry) => !this.#isHidden(join(repository.root, nameIn(entry) ?? "")),
      ),
      overlooked: overlooked.filter((name) => !this.#isHidden(join(repository.root, name))),
    });
    const paths = await this.#originsOf(folder, repository, { status, tracked: names });
    const witnesses = [repository.gitFolder, repository.commonFolder];
    const stamps = paths && (await this.#threads.take({ paths, witnesses, since }));
    this.#remember(this.#states, folder, stamps && { stamps, repository, state });
    return state;
  }

  /** What a state comes from: files, their folders, and what says which of them count and what the last commit is. Undefined: too much. */
  async #originsOf(
    folder: string,
    { root, gitFolder, commonFolder }: Repository,
    { status, tracked }: { readonly status: FolderStatus; readonly tracked: readonly string[] },
  ): Promise<readonly string[] | undefined> {
    const names = [...tracked, ...status.untracked.map((entry) => nameIn(entry) ?? "")];
    if (names.length > LIMITS.stampedPaths || names.some((name) => name.includes(UNREADABLE))) return undefined;
    const excludes = join(commonFolder, "info/exclude");
    const paths = new Set([
      ...["HEAD", "index"].map((name) => join(gitFolder, name)),
      ...["config", "packed-refs", "refs", "reftable"].map((name) => join(commonFolder, name)),
      dirname(excludes),
      excludes,
    ]);
    for (let above = folder; above !== root;) {
      above = dirname(above);
      paths.add(above).add(join(above, ".gitignore"));
    }
    const ignored = new Set(status.ignored.map((name) => join(root, name)));
    const isLeft = (path: string): boolean => ignored.has(`${path}${sep}`) || this.#isHidden(path);
    const isFull =
      (await addFolders(folder, paths, { isLeft, files: (name) => name === ".gitignore" })) &&
      (await addFolders(join(commonFolder, "refs"), paths, { isLeft: () => false, files: () => true })) &&
      (await addFolders(join(gitFolder, "refs"), paths, { isLeft: () => false, files: () => true })) &&
      (await addFolders(join(commonFolder, "reftable"), paths, { isLeft: () => false, files: () => true }));
    if (!isFull) return undefined;
    for (const name of names) {
      const path = join(root, name);
      if (this.#isHidden(path)) continue;
      paths.add(path);
      // Tracked files can be in a folder that is ignored otherwise.
      for (let above = dirname(path); !paths.has(above); above = dirname(above)) paths.add(above);
    }
    return [...paths];
  }

  async #checkLinks(commonFolder: string): Promise<void> {
    const known = this.#links.get(commonFolder);
    if (known !== undefined) {
      // Its own folder is read each time: every command of git changes something in it.
      const folders = await foldersOf(commonFolder);
      if (folders.every((path) => known.folders.has(path)) && (await this.#threads.isUnchanged(known.stamps)))
        return refuseAlternates(commonFolder);
    }
    const since = this.#clock();
    const paths = await refuseLinks(commonFolder);
    const stamps = await this.#threads.take({ paths, since });
    this.#remember(this.#links, commonFolder, stamps && { stamps, folders: new Set(paths) });
  }

  #isHidden(path: string): boolean {
    return this.#hidden.some((own) => `${path}${sep}`.startsWith(`${own}${sep}`));
  }

  /** The one that was remembered first is forgotten first. */
  #remember<Value extends { readonly stamps: PathStamps }>(
    memory: Map<string, Value>,
    key: string,
    value: Value | undefined,
  ): void {
    this.#forget(memory, key);
    if (value === undefined) return;
    memory.set(key, value);
    while (memory.size > LIMITS.rememberedLooks || countIn(memory) > LIMITS.stampedPaths)
      this.#forget(memory, memory.keys().next().value ?? key);
  }

  #forget<Value extends { readonly stamps: PathStamps }>(memory: Map<string, Value>, key: string): void {
    const value = memory.get(key);
    if (value === undefined) return;
    this.#threads.forget(value.stamps);
    memory.delete(key);
  }
}

function countIn(memory: ReadonlyMap<string, { readonly stamps: PathStamps }>): number {
  return [...memory.values()].reduce((sum, { stamps }) => sum + stamps.count, 0);
}

function isSameRepository(one: Repository, other: Repository): boolean {
  return one.root === other.root && one.gitFolder === other.gitFolder && one.commonFolder === other.commonFolder;
}

interface AddedFolders {
  /** Folders that are not gone into. */
  readonly isLeft: (path: string) => boolean;
  /** Names of files that are added too. */
  readonly files: (name: string) => boolean;
}

/** Adds a folder and all folders in it to the paths. False: there are too many. */
async function addFolders(folder: string, paths: Set<string>, { isLeft, files }: AddedFolders): Promise<boolean> {
  const open = [folder];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (paths.add(at).size > LIMITS.stampedPaths) return false;
    for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [])) {
      const path = join(at, entry.name);
      if (!entry.isDirectory() && files(entry.name)) paths.add(path);
      if (entry.isDirectory() && entry.name !== ".git" && !isLeft(path)) open.push(path);
    }
  }
  return true;
}
