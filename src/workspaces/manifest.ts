import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readlink } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

/** What a file was when it was last looked at. */
export interface FileState {
  readonly kind: "file" | "link";
  /** Permission bits that git keeps: whether it can be executed. */
  readonly executable: boolean;
  readonly size: number;
  /** Milliseconds since the epoch: only to save a second look at what did not change. */
  readonly modified: number;
  /** SHA-256 of the content, or of a link's target. */
  readonly hash: string;
}

export type Manifest = ReadonlyMap<string, FileState>;

/** Undefined: there is no such file. `known` saves reading a file that is as old and as large as then. */
export async function stateOf(folder: string, path: string, known?: FileState): Promise<FileState | undefined> {
  const full = join(folder, path);
  const found = await lstat(full).catch(() => undefined);
  if (found === undefined) return undefined;
  const executable = (found.mode & 0o100) !== 0;
  if (found.isSymbolicLink()) {
    const target = await readlink(full);
    return { kind: "link", executable: false, size: target.length, modified: 0, hash: hashText(target) };
  }
  if (!found.isFile()) return undefined;
  const { size, mtimeMs: modified } = found;
  const isKnown = known?.kind === "file" && known.size === size && known.modified === modified;
  return { kind: "file", executable, size, modified, hash: isKnown ? known.hash : await hashFile(full) };
}

export function isSameFile(one: FileState | undefined, other: FileState | undefined): boolean {
  return one?.hash === other?.hash && one?.kind === other?.kind && one?.executable === other?.executable;
}

function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
