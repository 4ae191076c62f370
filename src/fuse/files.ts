import type { Attributes, Listed } from "./answers.ts";

/** Who asks, and whether they still wait. */
export interface Asking {
  readonly uid: number;
  /** Aborted when the system call was interrupted or the mount ends. */
  readonly signal: AbortSignal;
}

export interface OpenMode {
  readonly read: boolean;
  readonly write: boolean;
}

/** What is mounted. Every verb fails with a FuseError; anything else that is thrown is told as EIO. Paths begin with `/`. */
export interface FuseFiles {
  attributes(path: string, asking: Asking): Promise<Attributes>;
  list(path: string, asking: Asking): Promise<readonly Listed[]>;
  open(path: string, mode: OpenMode, asking: Asking): Promise<OpenFile>;
}

/** One open file, until it is released. */
export interface OpenFile {
  /** Without places to seek to: reads and writes go on where the last one of their kind ended, their offset is 0. */
  readonly stream: boolean;
  /** The length that `fstat` and seeking from the end see. Absent: that of the path. */
  size?(asking: Asking): Promise<number>;
  /** Empty at the end. `patient`: it may wait for more; otherwise what is there now. */
  read(
    place: { readonly offset: number; readonly size: number; readonly patient: boolean },
    asking: Asking,
  ): Promise<Uint8Array>;
  /** Takes all bytes or fails. */
  write(place: { readonly offset: number; readonly data: Uint8Array }, asking: Asking): Promise<void>;
  /** Somebody closed one of its descriptors; its failure is what `close` returns. */
  flush(asking: Asking): Promise<void>;
  /** The last descriptor is gone. */
  release(): void;
}
