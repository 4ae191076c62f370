import { mkdirSync } from "node:fs";
import { chown, cp, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Failure, type Log, type RepoFilterMode } from "../protocol/index.ts";
import { copyExactly, copyTree } from "./bulk-copy.ts";
import { clearApplying, clearDiscarding } from "./apply-changes.ts";
import { mountOverlay, mountsBelow, unmount } from "./overlay.ts";
import { repositoryOf } from "./stamps/source-state.ts";
import { Snapshots, type SnapshotBase, type SnapshotOwner } from "./snapshots.ts";
import {
  basesNamedIn,
  readRecord,
  tryRecord,
  writeApplied,
  readApplied,
  writeRecord,
  type TreeRecord,
} from "./tree-record.ts";
import { addWorktree, forkWorktree, removeWorktree, workIn } from "./worktrees.ts";

const TREES = "workspaces";
const BASES = "snapshots";

export interface WantedTree {
  readonly mode: "worktree" | "snapshot";
  /** Absolute, real. */
  readonly source: string;
  /** Of a snapshot: a file is in it if all of them show it. */
  readonly filters: readonly RepoFilterMode[];
}

/** A session's own files, there until they are released. */
export interface OpenTree {
  /** The session's. */
  readonly id: string;
  /** Where their record is. */
  readonly folder: string;
  readonly record: TreeRecord;
  /** Where the session works. */
  readonly workspace: string;
}

interface UsedTree {
  readonly tree: OpenTree;
  readonly release: () => Promise<void>;
}

interface MadeWorkspace {
  /** Where the session works. Absolute, real. */
  readonly workspace: string;
  /** How many files of the source are not in it. */
  readonly withheld: number;
}

interface SessionTreesOptions {
  /** The server's own folder. Absolute, real. */
  readonly home: string;
  readonly now: () => number;
  readonly log: Log;
  /** False: snapshots are copied, also where they could be mounted. Absent: they are mounted where this server can. */
  readonly overlay?: boolean | undefined;
  /** To whom the files of snapshots belong, if not to the server: an overlay cannot show them under another owner. */
  readonly owner?: SnapshotOwner | undefined;
  /** How many bases of snapshots are kept. Absent: `snapshotBases`. */
  readonly bases?: number | undefined;
}

/** The trees of sessions that work in a worktree or a snapshot. */
export class SessionTrees {
  readonly snapshots: Snapshots;
  readonly #folder: string;
  readonly #log: Log;
  /** Whether snapshots can be mounted here; undefined: nobody has tried yet. */
  #mayMount: boolean | undefined;
  readonly #owner: SnapshotOwner | undefined;
  /** How many use each tree that is mounted or being mounted. */
  readonly #users = new Map<string, { count: number; readonly mounted: Promise<void> }>();
  /** Trees that end, by the promise of their end. */
  readonly #ending = new Map<string, Promise<void>>();
  /** Trees that are being made: their bases are not noted anywhere yet. */
  #making = 0;
  readonly #pending = new Set<Promise<unknown>>();
  #isClosed = false;
  #pruned: Promise<void> = Promise.resolve();
  /** Why there can be no further snapshot; absent: there can. */
  #full: Failure | undefined;

  constructor({ home, now, log, overlay, owner, bases }: SessionTreesOptions) {
    this.#mayMount = overlay === false ? false : undefined;
    this.#owner = owner;
    this.#folder = join(home, TREES);
    this.#log = log;
    this.snapshots = new Snapshots({ folder: join(home, BASES), hidden: [home], now, owner, most: bases });
  }

  /** At start: unmounts what a dead server left, and deletes trees of sessions that were never stored. */
  async sweep(isStored: (id: string) => Promise<boolean>): Promise<void> {
    await this.#unmountAll();
    for (const id of await readdir(this.#folder).catch(() => [])) {
      if (await isStored(id)) await clearApplying(join(this.#folder, id));
      else await this.remove(id);
    }
    await this.#prune();
  }

  /** No tree is made or used any more, and nothing stays mounted. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#pending);
    await this.#unmountAll();
    await this.snapshots.close();
  }

  async #unmountAll(): Promise<void> {
    for (const point of await mountsBelow(this.#folder)) await unmount(point);
  }

  /** What begins before the end is waited for. */
  #track<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    if (this.#isClosed) return Promise.reject(new Failure("shutting_down", "the server is stopping"));
    const working = work().finally(() => this.#pending.delete(working));
    this.#pending.add(working);
    return working;
  }

  /** Makes the tree of a new session; `parent`: as that session's is now, if it is of the same kind. */
  make(id: string, wanted: WantedTree, parent?: string): Promise<MadeWorkspace> {
    return this.#track(() => this.#make(id, wanted, parent));
  }

  /** Makes an empty folder for a new session, and answers where it is. */
  makeEmpty(id: string): Promise<string> {
    return this.#track(async () => {
      const folder = join(this.#folder, id);
      const tree = join(folder, "tree");
      try {
        await mkdir(tree, { recursive: true, mode: 0o700 });
        if (this.#owner !== undefined) await chown(tree, this.#owner.uid, this.#owner.gid);
        await writeRecord(folder, { mode: "empty", source: tree, commits: {} });
        return tree;
      } catch (error) {
        await this.remove(id);
        throw error;
      }
    });
  }

  async #make(id: string, wanted: WantedTree, parent: string | undefined): Promise<MadeWorkspace> {
    await this.#pruned;
    if (wanted.mode === "snapshot" && this.#full !== undefined) throw this.#full;
    const folder = join(this.#folder, id);
    this.#making += 1;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const from = parent === undefined ? undefined : await this.#parent(parent, wanted);
      const made = from === undefined ? await this.#fresh(id, wanted) : await this.#fork(id, from);
      await writeRecord(folder, made.record);
      return { workspace: this.#workspace(id, made.record), withheld: made.withheld };
    } catch (error) {
      await this.remove(id);
      throw error;
    } finally {
      this.#making -= 1;
      if (this.#making === 0 && this.snapshots.hasGrown) await this.#prune();
    }
  }

  /** Whether a new tree like this one would be made of the same files now. */
  isCurrent(id: string, wanted: WantedTree): Promise<boolean> {
    return this.#track(async () => {
      const record = await tryRecord(join(this.#folder, id));
      if (record?.mode !== wanted.mode || record.source !== wanted.source) return false;
      if (record.mode === "worktree") return (await repositoryOf(wanted.source))?.head === record.repository.head;
      const base = await this.snapshots.take(wanted.source, wanted.filters);
      return record.mode === "snapshot" && record.base === base.key;
    });
  }

  /** The session's files. Call `release` when nothing of this use touches them any more. */
  use(id: string): Promise<UsedTree> {
    return this.#track(() => this.#use(id));
  }

  async #use(id: string): Promise<UsedTree> {
    const folder = join(this.#folder, id);
    const record = await readRecord(folder);
    for (let ended = this.#ending.get(id); ended !== undefined; ended = this.#ending.get(id)) await ended;
    const user = this.#users.get(id) ?? { count: 0, mounted: this.#mount(folder, record) };
    this.#users.set(id, user);
    user.count += 1;
    let isReleased = false;
    const release = async (): Promise<void> => {
      if (isReleased) return;
      isReleased = true;
      await this.#release(id, record);
    };
    try {
      await user.mounted;
    } catch (error) {
      await release();
      throw error;
    }
    return { tree: { id, folder, record, workspace: this.#workspace(id, record) }, release };
  }

  /** Deletes the session's files. A branch with commits stays. */
  async remove(id: string): Promise<void> {
    const folder = join(this.#folder, id);
    for (const point of await mountsBelow(folder)) await unmount(point);
    // A damaged record says not what else there is: the folder goes all the same.
    const record = await tryRecord(folder).catch(() => undefined);
    if (record?.mode === "worktree") await removeWorktree(folder, record);
    await rm(folder, { recursive: true, force: true });
    if (this.#full !== undefined) await this.#prune();
  }

  #workspace(id: string, record: TreeRecord): string {
    const tree = join(this.#folder, id, "tree");
    return record.mode === "worktree" ? workIn(tree, record) : tree;
  }

  async #mount(folder: string, record: TreeRecord): Promise<void> {
    const isMounted = record.mode === "snapshot" && record.overlay;
    if (isMounted && !(await mountOverlay(folder, this.snapshots.tree(record.base))))
      throw new Failure(
        "workspace_missing",
        "the files of this session are mounted over a snapshot, and this server may not mount now; start it as it was started before",
      );
    await clearDiscarding(folder);
  }

  async #release(id: string, record: TreeRecord): Promise<void> {
    const user = this.#users.get(id);
    if (user === undefined) return;
    user.count -= 1;
    if (user.count > 0) return;
    this.#users.delete(id);
    if (record.mode !== "snapshot" || !record.overlay) return;
    const ended = unmount(join(this.#folder, id, "tree")).finally(() => this.#ending.delete(id));
    this.#ending.set(id, ended);
    await ended;
  }

  async #fresh(id: string, { mode, source, filters }: WantedTree): Promise<MadeTree> {
    const folder = join(this.#folder, id);
    if (mode === "worktree") return { record: await addWorktree(folder, source, branchOf(id)), withheld: 0 };
    // While threads look at the source, there is nothing else to do.
    const [base] = await Promise.all([this.snapshots.take(source, filters), this.#makeFolders(folder)]);
    const overlay = await this.#mayLay(folder, base.key);
    if (!overlay) await copyTree(this.snapshots.tree(base.key), join(folder, "tree"));
    return { record: recordOf(base, { source, filters, overlay }), withheld: base.withheld };
  }

  async #makeFolders(folder: string): Promise<void> {
    // Waiting for each would take ten times as long.
    for (const name of ["tree", "upper", "work"]) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
    // The tree's own folder is as the upper one is.
    if (this.#owner !== undefined) await chown(join(folder, "upper"), this.#owner.uid, this.#owner.gid);
  }

  /** Whether the base can be mounted by whoever uses the tree. The first one shows it. */
  async #mayLay(folder: string, base: string): Promise<boolean> {
    if (this.#mayMount !== undefined) return this.#mayMount;
    this.#mayMount = await mountOverlay(folder, this.snapshots.tree(base));
    if (this.#mayMount) await unmount(join(folder, "tree"));
    return this.#mayMount;
  }

  /** Undefined: the new session's files are others. */
  async #parent(id: string, wanted: WantedTree): Promise<OpenTree | undefined> {
    const folder = join(this.#folder, id);
    const record = await tryRecord(folder);
    if (record?.mode !== wanted.mode || record.source !== wanted.source) return undefined;
    if (record.mode === "snapshot" && JSON.stringify(record.filters) !== JSON.stringify(wanted.filters))
      throw new Failure(
        "conflict",
        "a session that continues another one works on a copy of its files, so it has the same repo_filter; begin a new session for another one",
      );
    return { id, folder, record, workspace: this.#workspace(id, record) };
  }

  async #fork(id: string, parent: OpenTree): Promise<MadeTree> {
    const { folder: from, record } = parent;
    const folder = join(this.#folder, id);
    await writeApplied(folder, await readApplied(from));
    await cp(join(from, "applied"), join(folder, "applied"), { recursive: true }).catch(() => undefined);
    if (record.mode === "worktree")
      return { record: await forkWorktree(folder, branchOf(id), { folder: from, record }), withheld: 0 };
    if (record.mode !== "snapshot")
      throw new Failure("conflict", "the files of this session are continued by no other one");
    const withheld = (await this.snapshots.withheld(record.base)).length;
    if (record.overlay) {
      for (const name of ["tree", "work"]) await mkdir(join(folder, name), { mode: 0o700 });
      if (!(await copyExactly(join(from, "upper"), join(folder, "upper"))))
        throw new Failure("internal", "the files of the session could not be copied");
    } else await copyTree(join(from, "tree"), join(folder, "tree"));
    return { record: { ...record, commits: {} }, withheld };
  }

  /** Waits for nobody who makes a tree: what it took is noted first. */
  #prune(): Promise<void> {
    this.#pruned = this.snapshots
      .prune(() => this.#usedBases())
      .then(
        () => {
          this.#full = undefined;
        },
        (error: unknown) => {
          if (error instanceof Failure) this.#full = error;
          else this.#log.warn({ err: error }, "old snapshots could not be deleted");
        },
      );
    return this.#pruned;
  }

  async #usedBases(): Promise<ReadonlySet<string>> {
    const used = new Set<string>();
    for (const id of await readdir(this.#folder).catch(() => [])) {
      const named = await basesNamedIn(join(this.#folder, id));
      // Somebody may put the record back: until then each base may be the one.
      for (const base of named === "unknown" ? await this.snapshots.keys() : named) used.add(base);
    }
    return used;
  }
}

interface MadeTree {
  readonly record: TreeRecord;
  readonly withheld: number;
}

function recordOf(
  { key, repository }: SnapshotBase,
  rest: { readonly source: string; readonly filters: readonly RepoFilterMode[]; readonly overlay: boolean },
): TreeRecord {
  const { root, prefix, head } = repository ?? {};
  const known = root !== undefined && prefix !== undefined && head !== undefined;
  return {
    mode: "snapshot",
    base: key,
    ...rest,
    commits: {},
    ...(known ? { repository: { root, prefix, head } } : {}),
  };
}

/** The end of an id is random. */
function branchOf(id: string): string {
  return `sallyport/${id.slice(-8)}`;
}
