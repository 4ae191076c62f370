import { readdir } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { LIMITS } from "../protocol/index.ts";
import { isUnchanged, takeStamps, type PathStamps } from "./path-stamps.ts";
import { findRepository, foldersOf, refuseAlternates, refuseLinks, type Repository } from "./repository.ts";
import {
  nameIn,
  overlookedFiles,
  placeOf,
  stateInRepository,
  stateOfFolder,
  statusOf,
  type FolderStatus,
  type SourceState,
} from "./source-state.ts";

/** Names that a look found, as long as all that they come from is unchanged. */
interface KnownNames {
  readonly stamps: PathStamps;
  readonly untracked: readonly string[];
  readonly overlooked: readonly string[];
}

interface SourceLooksOptions {
  /** The server's own folders, of which nothing is seen. */
  readonly hidden: readonly string[];
  /** The clock that file systems have. Absent: this machine's. */
  readonly clock?: (() => number) | undefined;
}

/**
 * Looks at what folders hold now. Of each file that git tracks the size and times are looked at every time. What takes longer is
 * remembered as long as the time of the last change of each folder and file that it comes from proves it still true: which names git
 * does not track, which files it overlooks, and that no link in `.git` leads out of it.
 */
export class SourceLooks {
  readonly #hidden: readonly string[];
  readonly #clock: () => number;
  readonly #names = new Map<string, KnownNames>();
  readonly #links = new Map<string, PathStamps>();

  constructor({ hidden, clock = Date.now }: SourceLooksOptions) {
    this.#hidden = hidden;
    this.#clock = clock;
  }

  async state(folder: string): Promise<SourceState> {
    const repository = await findRepository(folder, (common) => this.#checkLinks(common));
    if (repository === undefined) return stateOfFolder(folder, this.#hidden);
    const { head, entries, overlooked } =
      (await this.#shortLook(folder, repository)) ?? (await this.#fullLook(folder, repository));
    return stateInRepository({
      place: placeOf(folder, repository, head),
      entries: entries.filter((entry) => !this.#isHidden(join(repository.root, nameIn(entry) ?? ""))),
      overlooked: overlooked.filter((name) => !this.#isHidden(join(repository.root, name))),
    });
  }

  /** Undefined: what is known of this folder is not true any more, or nothing is. */
  async #shortLook(folder: string, repository: Repository): Promise<FoundStatus | undefined> {
    const known = this.#names.get(folder);
    if (known === undefined) return undefined;
    // The stamps are compared while git looks at the files.
    const asked = statusOf(folder, { repository, names: "known" });
    const [isSame, status] = await Promise.all([isUnchanged(known.stamps), asked]);
    return isSame ? lookOf(status, known) : undefined;
  }

  async #fullLook(folder: string, repository: Repository): Promise<FoundStatus> {
    const since = this.#clock();
    const [status, overlooked] = await Promise.all([
      statusOf(folder, { repository, names: "listed" }),
      overlookedFiles(folder, repository),
    ]);
    const paths = await this.#originsOf(folder, repository, status);
    const stamps = paths && (await takeStamps({ paths, since }));
    const { untracked } = status;
    remember(this.#names, folder, stamps && { stamps, untracked, overlooked });
    return lookOf(status, { untracked, overlooked });
  }

  /** What the names in a folder come from: its folders, and what says which names are tracked or ignored. Undefined: too much. */
  async #originsOf(
    folder: string,
    { root, gitFolder, commonFolder }: Repository,
    { ignored }: FolderStatus,
  ): Promise<readonly string[] | undefined> {
    const left = new Set(ignored.map((name) => join(root, name)));
    const excludes = join(commonFolder, "info/exclude");
    const paths = [join(gitFolder, "index"), dirname(excludes), excludes];
    for (let above = folder; above !== root;) {
      above = dirname(above);
      paths.push(above, join(above, ".gitignore"));
    }
    const open = [folder];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      paths.push(at);
      if (paths.length > LIMITS.stampedPaths) return undefined;
      for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [])) {
        const path = join(at, entry.name);
        if (entry.name === ".gitignore") paths.push(path);
        if (entry.isDirectory() && entry.name !== ".git" && !left.has(`${path}${sep}`) && !this.#isHidden(path))
          open.push(path);
      }
    }
    return paths;
  }

  async #checkLinks(commonFolder: string): Promise<void> {
    const known = this.#links.get(commonFolder);
    if (known !== undefined) {
      // Its own folder is read each time: every command of git changes something in it.
      const folders = await foldersOf(commonFolder);
      if (folders.every((path) => known.has(path)) && (await isUnchanged(known))) return refuseAlternates(commonFolder);
    }
    const since = this.#clock();
    const paths = await refuseLinks(commonFolder);
    remember(this.#links, commonFolder, await takeStamps({ paths, since }));
  }

  #isHidden(path: string): boolean {
    return this.#hidden.some((own) => `${path}${sep}`.startsWith(`${own}${sep}`));
  }
}

interface FoundStatus {
  readonly head?: string | undefined;
  readonly entries: readonly string[];
  readonly overlooked: readonly string[];
}

function lookOf(
  { head, changed }: FolderStatus,
  { untracked, overlooked }: Pick<KnownNames, "untracked" | "overlooked">,
): FoundStatus {
  return { head, entries: [...changed, ...untracked], overlooked };
}

/** The one that was remembered first is forgotten first. */
function remember<Value>(memory: Map<string, Value>, key: string, value: Value | undefined): void {
  memory.delete(key);
  if (value === undefined) return;
  memory.set(key, value);
  const oldest = memory.keys().next().value;
  if (memory.size > LIMITS.rememberedLooks && oldest !== undefined) memory.delete(oldest);
}
