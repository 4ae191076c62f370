import type { Attributes, Listed } from "./answers.ts";

/** The calling thread, and whether it still waits. */
export interface FuseCaller {
  readonly uid: number;
  /** The calling thread, as this process sees it; 0: not visible from here. */
  readonly pid: number;
  /** Aborted when the system call was interrupted or the mount ends. */
  readonly signal: AbortSignal;
}

export interface OpenMode {
  readonly read: boolean;
  readonly write: boolean;
}

/** What is mounted. Every verb fails with a FuseError; anything else that is thrown becomes EIO. Paths begin with `/`. */
export interface FuseFiles {
  /** The exact size: what a reader would get now. */
  attributes(path: string, asking: FuseCaller): Promise<Attributes>;
  /** For a path step: kind and rights as in `attributes`; the size may be the last known one. */
  lookUp(path: string, asking: FuseCaller): Promise<Attributes>;
  list(path: string, asking: FuseCaller): Promise<readonly Listed[]>;
  open(path: string, mode: OpenMode, asking: FuseCaller): Promise<OpenFile>;
}

/** One open file, until it is released. */
export interface OpenFile {
  /** Not seekable: reads and writes continue where the last one of their kind ended, their offset is 0. */
  readonly stream: boolean;
  /** Length of content that was fixed at opening, as `fstat` shows it to the opener. Absent: not fixed. */
  readonly length?: number;
  /** The end for seeking. Absent: `length`, or else the size of the path. */
  size?(asking: FuseCaller): Promise<number>;
  /** Empty at the end. `patient`: it may wait for more; otherwise it returns what is there now. */
  read(
    place: { readonly offset: number; readonly size: number; readonly patient: boolean },
    asking: FuseCaller,
  ): Promise<Uint8Array>;
  /** Takes all bytes or fails. */
  write(place: { readonly offset: number; readonly data: Uint8Array }, asking: FuseCaller): Promise<void>;
  /** One of its descriptors was closed; a failure here is what `close` returns. */
  flush(asking: FuseCaller): Promise<void>;
  /** All programs that had it open have closed it; `release` follows. */
  closed?(): void;
  /** It is not used any more. */
  release(): void;
}
