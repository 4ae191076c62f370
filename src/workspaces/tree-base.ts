import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { contentState, readBeneath, stateOf, type FileStamp, type FileState } from "./manifest.ts";
import type { Snapshots } from "./snapshots.ts";
import { readApplied, writeApplied, type AppliedFiles } from "./tree-record.ts";
import type { OpenTree } from "./trees.ts";
import { committedFile, worktreeStamps } from "./worktrees.ts";

/** A file of the base: how it looks untouched, or the exact state that the source has got of it. */
type BaseFile = { readonly stamp: FileStamp } | { readonly state: FileState };

/**
 * What a session's changes are counted from: the files that its tree began with, and in their place those that the source has got
 * from it since.
 */
export class TreeBase {
  readonly #tree: OpenTree;
  readonly #snapshots: Snapshots;
  readonly files: ReadonlyMap<string, BaseFile>;
  #applied: AppliedFiles;

  private constructor(parts: {
    tree: OpenTree;
    snapshots: Snapshots;
    files: ReadonlyMap<string, BaseFile>;
    applied: AppliedFiles;
  }) {
    this.#tree = parts.tree;
    this.#snapshots = parts.snapshots;
    this.files = parts.files;
    this.#applied = parts.applied;
  }

  static async open(tree: OpenTree, snapshots: Snapshots): Promise<TreeBase> {
    const { record, folder } = tree;
    const stamps = record.mode === "snapshot" ? await snapshots.stamps(record.base) : await worktreeStamps(folder);
    const files = new Map<string, BaseFile>([...stamps].map(([path, stamp]) => [path, { stamp }]));
    const applied = await readApplied(folder);
    for (const [path, state] of Object.entries(applied)) {
      if (state === null) files.delete(path);
      else files.set(path, { state });
    }
    return new TreeBase({ tree, snapshots, files, applied });
  }

  /** Undefined: the base has no such file. */
  async state(path: string): Promise<FileState | undefined> {
    const file = this.files.get(path);
    if (file === undefined) return undefined;
    if ("state" in file) return file.state;
    const { record } = this.#tree;
    if (record.mode === "snapshot") return stateOf(this.#snapshots.tree(record.base), path);
    return contentState(file.stamp, await this.read(path));
  }

  /** The content of a file of the base, or the target of a link. */
  async read(path: string): Promise<Buffer> {
    const file = this.files.get(path);
    if (file === undefined) return Buffer.alloc(0);
    const { record, folder } = this.#tree;
    if ("state" in file) return readFile(join(folder, "applied", file.state.hash));
    if (record.mode === "snapshot") return readBeneath(this.#snapshots.tree(record.base), path);
    return record.mode !== "worktree" ? Buffer.alloc(0) : committedFile(record, path, file.stamp);
  }

  /** The source has got this content: it is kept, since the source goes on changing. */
  async keep(state: FileState, content: Buffer): Promise<void> {
    const path = join(this.#tree.folder, "applied", state.hash);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, content, { mode: 0o600 });
  }

  /** From now on changes are counted from these. */
  async advance(applied: AppliedFiles): Promise<void> {
    this.#applied = { ...this.#applied, ...applied };
    await writeApplied(this.#tree.folder, this.#applied);
  }
}
