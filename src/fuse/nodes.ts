import { FuseError } from "./errno.ts";
import { ROOT_NODE } from "./wire.ts";

interface Node {
  readonly id: number;
  readonly path: string;
  readonly parent: number;
  readonly name: string;
  /** How often the kernel was told about it, minus what it forgot. */
  lookups: number;
}

/** A name that the kernel may drop from its cache. */
export interface StaleName {
  readonly parent: number;
  readonly name: string;
}

/** The path of each kernel node number. Numbers are never reused. */
export class NodeTable {
  readonly #byId = new Map<number, Node>();
  readonly #byPath = new Map<string, Node>();
  readonly #limit: number;
  #last = ROOT_NODE;

  /** `limit`: nodes known at once. */
  constructor(limit: number) {
    this.#limit = limit;
    const root: Node = { id: ROOT_NODE, path: "/", parent: ROOT_NODE, name: "", lookups: 1 };
    this.#byId.set(ROOT_NODE, root);
    this.#byPath.set("/", root);
  }

  get size(): number {
    return this.#byId.size;
  }

  /** Above half of the limit the kernel should be asked to forget. */
  get crowded(): boolean {
    return this.#byId.size > this.#limit / 2;
  }

  /** The path of a node; ESTALE for one that was forgotten. */
  path(id: number): string {
    const node = this.#byId.get(id);
    if (node === undefined) throw new FuseError("ESTALE");
    return node.path;
  }

  child(parent: number, name: string): string {
    const path = this.path(parent);
    return path === "/" ? `/${name}` : `${path}/${name}`;
  }

  /** Tells the kernel about this name once more. */
  look(parent: number, name: string): number {
    const path = this.child(parent, name);
    const known = this.#byPath.get(path);
    if (known !== undefined) {
      known.lookups += 1;
      return known.id;
    }
    if (this.#byId.size >= this.#limit) throw new FuseError("ENFILE");
    this.#last += 1;
    const node: Node = { id: this.#last, path, parent, name, lookups: 1 };
    this.#byId.set(node.id, node);
    this.#byPath.set(path, node);
    return node.id;
  }

  forget(id: number, lookups: number): void {
    const node = this.#byId.get(id);
    if (node === undefined || id === ROOT_NODE) return;
    node.lookups -= lookups;
    if (node.lookups > 0) return;
    this.#byId.delete(id);
    this.#byPath.delete(node.path);
  }

  /** The least recently used names; each is returned again only after all others. */
  oldest(count: number): StaleName[] {
    const oldest = [...this.#byId.values()].filter(({ id }) => id !== ROOT_NODE).slice(0, count);
    for (const node of oldest) {
      this.#byId.delete(node.id);
      this.#byId.set(node.id, node);
    }
    return oldest.map(({ parent, name }) => ({ parent, name }));
  }
}
