import type { FileEntry, FileStat, MountFrame } from "../../protocol/index.ts";
import type { Caller } from "../../sessions/index.ts";

export interface WatchOptions {
  /** The id of the last frame that is known; empty: everything. */
  readonly after: string;
  readonly signal: AbortSignal;
}

export interface StatOptions {
  /** False: `size` is 0 and nothing is read, for callers that ask only for rights and kind. */
  readonly sized: boolean;
}

/** Files that stand for something alive. Paths have no mount in front: `sessions/<id>/status`. Each verb checks the caller's right; what fails is a Failure. */
export interface FileService {
  stat(caller: Caller, path: string, options: StatOptions): Promise<FileStat>;
  list(caller: Caller, path: string): Promise<readonly FileEntry[]>;
  read(caller: Caller, path: string): Promise<Uint8Array>;
  write(caller: Caller, path: string, bytes: Uint8Array): Promise<void>;
  /** Write, then read on the same handle. */
  call(caller: Caller, path: string, bytes: Uint8Array): Promise<Uint8Array>;
  /** Resolves when it is sure that the caller may. */
  watch(caller: Caller, path: string, options: WatchOptions): Promise<AsyncIterable<readonly MountFrame[]>>;
}
