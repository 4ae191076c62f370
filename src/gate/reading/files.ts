import type { FoundPath } from "../shell/paths.ts";

export interface FolderEntry {
  readonly name: string;
  readonly isLink: boolean;
}

/**
 * What a proof must know of the disk, at the moment when it is made: the files that the command will find, wherever it runs. Paths are
 * absolute. Nothing rejects.
 */
export interface ReadableFiles {
  /** Where a path leads, as written, including `..`. */
  look(path: string): Promise<FoundPath>;
  /** Links are followed. `other`: a device, a pipe, a socket. Undefined: there is nothing. */
  kindOf(path: string): Promise<"file" | "folder" | "other" | undefined>;
  /** Undefined: it is no folder, cannot be read, or holds too many. */
  entries(folder: string): Promise<readonly FolderEntry[] | undefined>;
  /** Every path below a folder, links not followed. Undefined: too many, or one cannot be read. */
  below(folder: string): Promise<readonly string[] | undefined>;
  /** A whole file. Undefined: it is no plain file, too large, or cannot be read. */
  bytes(path: string): Promise<Uint8Array | undefined>;
  /** Whether a file of this real path is a secret by its name, decides what programs run, or belongs to the server. */
  isWithheld(real: string): boolean;
  /** Whether a folder of this real path has files of the server below it. */
  holdsHidden(real: string): boolean;
}
