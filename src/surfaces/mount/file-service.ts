import type { FileEntry, FileStat, MountFrame } from "../../protocol/index.ts";
import type { Caller } from "../../sessions/index.ts";

export interface WatchFileOptions {
  /** The id of the last known frame; empty: everything. */
  readonly after: string;
  readonly signal: AbortSignal;
}

export interface FollowOptions {
  /** Bytes that the reader has already. */
  readonly offset: number;
  /** Ends when the session waits for a prompt; else when it has ended. */
  readonly untilIdle: boolean;
  readonly signal: AbortSignal;
}

export interface StatOptions {
  /** False: `size` is 0 and nothing is read, for callers that only want rights and kind. */
  readonly sized: boolean;
}

export interface ReadFileOptions {
  /** What is read is shown to nobody, or only in part: questions in it do not count as shown. */
  readonly peek?: boolean;
  /** Bytes that the reader has already. Absent: none. */
  readonly offset?: number;
}

export interface WriteOptions {
  /** The ids of the questions last shown to the writer, the oldest first. Absent: what this caller read. */
  readonly shown?: readonly string[];
}

/** Files that stand for live objects. Paths do not include the mount: `sessions/<id>/status`. Each verb checks the caller's right; every error is a Failure. */
export interface FileService {
  stat(caller: Caller, path: string, options: StatOptions): Promise<FileStat>;
  list(caller: Caller, path: string): Promise<readonly FileEntry[]>;
  read(caller: Caller, path: string, options?: ReadFileOptions): Promise<Uint8Array>;
  write(caller: Caller, path: string, bytes: Uint8Array, options?: WriteOptions): Promise<void>;
  /** Write, then read on the same handle. */
  call(caller: Caller, path: string, bytes: Uint8Array, options?: WriteOptions): Promise<Uint8Array>;
  /** The bytes of a growing text from an offset on, as they come. Resolves when it is sure that the caller may. */
  follow(caller: Caller, path: string, options: FollowOptions): Promise<AsyncIterable<Uint8Array>>;
  /** The same as document 003's chunks. */
  watch(caller: Caller, path: string, options: WatchFileOptions): Promise<AsyncIterable<readonly MountFrame[]>>;
}
