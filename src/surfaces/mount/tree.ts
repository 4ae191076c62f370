import type { z } from "zod";
import type { Capability } from "../../gate/index.ts";
import { Failure, FileFailure, type MountFrame } from "../../protocol/index.ts";
import type { Caller } from "../../sessions/index.ts";
import type { FollowOptions, WatchFileOptions } from "./file-service.ts";

/** One place in the tree that a caller requests. */
export interface FilePlace {
  readonly caller: Caller;
  /** Below the mount, as requested. */
  readonly path: string;
  /** The value of `:id`, `:provider` or `:worker`. */
  readonly name: string;
  /** Only the length or a part is wanted: the caller is shown nothing, or not all of it. */
  readonly measure?: true;
  /** Of a text that grows: bytes that the reader has already. Absent: none. */
  readonly offset?: number;
  /** With a write: the questions that the writer was shown last. Absent: what the caller read. */
  readonly shown?: readonly string[];
}

/** How long a text is so far. */
export interface Measured {
  readonly size: number;
  /** A reader at its end would wait for more. */
  readonly growing: boolean;
}

type Read = (place: FilePlace) => Promise<unknown>;
/** The result of writing a text; a file that is called returns it. */
type WriteFile = (place: FilePlace, text: string) => Promise<unknown>;

/** A file of document 003's layout. */
export interface FileNode {
  /** `sessions/:id/status`. */
  readonly path: string;
  readonly summary: string;
  /** `json`: values are written as JSON; `text`: they are texts already. */
  readonly content: "json" | "text";
  readonly read?: {
    readonly needs: Capability;
    readonly run: Read;
    /** What it holds. Absent: a text. */
    readonly answer?: z.ZodType;
  };
  readonly write?: {
    readonly needs: Capability;
    readonly run: WriteFile;
    /** The schema of what is written, if it is JSON. */
    readonly json?: z.ZodType;
    /** What may be written as text, in words. */
    readonly text?: string;
    /** The schema of a call's answer. Absent: it is not called, or returns its content. */
    readonly answer?: z.ZodType;
    /** The answer is read on the handle that was written to, and is something new. */
    readonly call?: true;
  };
  /** Of a text that only grows, such as `output`. It is read from the place's offset on. */
  readonly grows?: GrowingText;
}

interface GrowingText {
  readonly measure: (place: FilePlace) => Promise<Measured>;
  readonly follow: (place: FilePlace, options: FollowOptions) => Promise<AsyncIterable<Uint8Array>>;
  readonly watch: (place: FilePlace, options: WatchFileOptions) => Promise<AsyncIterable<readonly MountFrame[]>>;
}

export type TreeEntry =
  | { readonly is: "file"; readonly node: FileNode; readonly name: string }
  | {
      readonly is: "folder";
      readonly children: readonly TreeChild[];
      readonly name: string;
      readonly dynamic?: Dynamic;
    };

/** Folders whose names are not known in advance. */
export type Dynamic = "sessions" | "jobs" | "providers" | "workers";

interface TreeChild {
  readonly name: string;
  readonly is_dir: boolean;
}

/** The layout as a tree of names, made once from the table of files. */
export class FileTree {
  readonly #root: TreeBranch = { children: new Map() };

  constructor(nodes: readonly FileNode[]) {
    for (const node of nodes) {
      let branch = this.#root;
      for (const part of node.path.split("/")) {
        const next = branch.children.get(part) ?? { children: new Map() };
        branch.children.set(part, next);
        branch = next;
      }
      branch.node = node;
    }
  }

  /** The entry at a path. A Failure with ENOENT or ENOTDIR. */
  find(path: string): TreeEntry {
    let branch = this.#root;
    let name = "";
    let parent = "";
    for (const part of path === "" ? [] : path.split("/")) {
      if (branch.node !== undefined)
        throw new FileFailure("ENOTDIR", "invalid_request", `${branch.node.path} is a file: it holds nothing`);
      const fixed = part.startsWith(":") ? undefined : branch.children.get(part);
      const open = fixed === undefined ? [...branch.children].find(([known]) => known.startsWith(":")) : undefined;
      const next = fixed ?? open?.[1];
      if (next === undefined) throw new Failure("not_found", `there is no ${path}`);
      if (open !== undefined) name = part;
      parent = part;
      branch = next;
    }
    if (branch.node !== undefined) return { is: "file", node: branch.node, name };
    const children = [...branch.children].flatMap(([child, { node }]) =>
      child.startsWith(":") ? [] : [{ name: child, is_dir: node === undefined }],
    );
    const dynamic = [...branch.children.keys()].some((child) => child.startsWith(":"))
      ? { dynamic: parent as Dynamic }
      : {};
    return { is: "folder", children, name, ...dynamic };
  }
}

interface TreeBranch {
  readonly children: Map<string, TreeBranch>;
  node?: FileNode;
}
