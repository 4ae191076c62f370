import type { Attributes, Listed } from "./answers.ts";

/** Who asks, and whether they still wait. */
export interface FuseCaller {
  readonly uid: number;
  /** The thread that asks, as this process sees it; 0: it cannot be seen from here. */
  readonly pid: number;
  /** Aborted when the system call was interrupted or the mount ends. */
  readonly signal: AbortSignal;
}

export interface OpenMode {
  readonly read: boolean;
  readonly write: boolean;
}

/** What is mounted. Every verb fails with a FuseError; anything else that is thrown is told as EIO. Paths begin with `/`. */
export interface FuseFiles {
  /** For those who want to know: the size is what a reader would get now. */
  attributes(path: string, asking: FuseCaller): Promise<Attributes>;
  /** For a step of a path: kind and rights as `attributes` has them; the size may be the last one that was known. */
  lookUp(path: string, asking: FuseCaller): Promise<Attributes>;
  list(path: string, asking: FuseCaller): Promise<readonly Listed[]>;
  open(path: string, mode: OpenMode, asking: FuseCaller): Promise<OpenFile>;
}

/** One open file, until it is released. */
export interface OpenFile {
  /** Without places to seek to: reads and writes go on where the last one of their kind ended, their offset is 0. */
  readonly stream: boolean;
  /** Bytes of a content that was fixed when the file was opened: what whoever opened it sees in `fstat`. Absent: it is not fixed. */
  readonly length?: number;
  /** Where the end is that is sought from. Absent: `length`, or else the size of the path. */
  size?(asking: FuseCaller): Promise<number>;
  /** Empty at the end. `patient`: it may wait for more; otherwise what is there now. */
  read(
    place: { readonly offset: number; readonly size: number; readonly patient: boolean },
    asking: FuseCaller,
  ): Promise<Uint8Array>;
  /** Takes all bytes or fails. */
  write(place: { readonly offset: number; readonly data: Uint8Array }, asking: FuseCaller): Promise<void>;
  /** Somebody closed one of its descriptors; its failure is what `close` returns. */
  flush(asking: FuseCaller): Promise<void>;
  /** The programs that had it open have all closed it; `release` follows. */
  closed?(): void;
  /** It is not used any more. */
  release(): void;
}
