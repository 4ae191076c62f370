import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, readFile, readlink, realpath, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { Failure, LIMITS } from "../protocol/index.ts";
import { parseStored } from "./stored-json.ts";

/** What a file looks like from outside: enough to see that nobody touched it. */
const FileStamp = z.object({
  kind: z.enum(["file", "link"]),
  /** The one permission that git keeps. */
  executable: z.boolean(),
  size: z.number(),
  /** Milliseconds since the epoch. 0 of a link. */
  modified: z.number(),
});
export type FileStamp = Readonly<z.infer<typeof FileStamp>>;

export const FileState = z.object({
  kind: z.enum(["file", "link"]),
  executable: z.boolean(),
  size: z.number(),
  /** SHA-256 of the content, or of a link's target. Of a file beyond `changedFileBytes`, its size and time: nobody waits for more. */
  hash: z.string(),
});
export type FileState = Readonly<z.infer<typeof FileState>>;

/** The stamps of a tree as they are stored. */
const StoredStamps = z.array(z.tuple([z.string(), FileStamp]));

export type Stamps = ReadonlyMap<string, FileStamp>;

export async function readStamps(path: string): Promise<Stamps> {
  return new Map(parseStored(StoredStamps, { text: await readFile(path, "utf8"), path }));
}

/** Undefined: there is no file or link of this name. */
export async function stampOf(folder: string, path: string): Promise<FileStamp | undefined> {
  const found = await lstat(join(folder, path)).catch(() => undefined);
  if (found?.isSymbolicLink() === true) return { kind: "link", executable: false, size: found.size, modified: 0 };
  if (found?.isFile() !== true) return undefined;
  return { kind: "file", executable: (found.mode & 0o100) !== 0, size: found.size, modified: found.mtimeMs };
}

/** Of links the target is looked at in any case. */
export function isUntouched(one: FileStamp, other: FileStamp | undefined): boolean {
  return (
    one.kind === "file" &&
    other?.kind === "file" &&
    one.size === other.size &&
    one.modified === other.modified &&
    one.executable === other.executable
  );
}

/** The state of a file below a folder; undefined: there is none, or the way to it leads through a link. */
export async function stateOf(folder: string, path: string): Promise<FileState | undefined> {
  const stamp = await stampOf(folder, path);
  if (stamp === undefined || !(await isBeneath(folder, path))) return undefined;
  const { kind, executable } = stamp;
  if (kind === "link") return contentState(stamp, await linkTarget(folder, path));
  if (stamp.size > LIMITS.changedFileBytes)
    return { kind, executable, size: stamp.size, hash: `${stamp.size} bytes at ${stamp.modified}` };
  const file = await openBeneath(folder, path);
  try {
    const hash = createHash("sha256");
    let size = 0;
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      hash.update(chunk as Buffer);
      size += (chunk as Buffer).length;
    }
    return { kind, executable, size, hash: hash.digest("hex") };
  } finally {
    await file.close();
  }
}

export function contentState({ kind, executable }: Pick<FileStamp, "kind" | "executable">, content: Buffer): FileState {
  return { kind, executable, size: content.length, hash: createHash("sha256").update(content).digest("hex") };
}

export function isSameFile(one: FileState | undefined, other: FileState | undefined): boolean {
  return one?.hash === other?.hash && one?.kind === other?.kind && one?.executable === other?.executable;
}

/** The content of a file, or a link's target. A Failure if it is no longer a file below the folder. */
export async function readBeneath(folder: string, path: string): Promise<Buffer> {
  const stamp = await stampOf(folder, path);
  if (stamp === undefined || !(await isBeneath(folder, path))) throw goneFailure(path);
  if (stamp.kind === "link") return linkTarget(folder, path);
  const file = await openBeneath(folder, path);
  try {
    const { size } = await file.stat();
    if (size > LIMITS.changedFileBytes)
      throw new Failure("payload_too_large", `${path} has more than ${LIMITS.changedFileBytes} bytes`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function linkTarget(folder: string, path: string): Promise<Buffer> {
  return readlink(join(folder, path), { encoding: "buffer" });
}

/** Whether each folder on the way is a folder, no link. `folder` must be real. */
export async function isBeneath(folder: string, path: string): Promise<boolean> {
  const parent = dirname(join(folder, path));
  return (await realpath(parent).catch(() => undefined)) === parent;
}

/** Follows no link, also if somebody puts one there meanwhile. */
async function openBeneath(folder: string, path: string): Promise<FileHandle> {
  const full = join(folder, path);
  const file = await open(full, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const really = process.platform === "linux" ? await readlink(`/proc/self/fd/${file.fd}`) : full;
  if (really === full && (await file.stat()).isFile()) return file;
  await file.close();
  throw goneFailure(path);
}

function goneFailure(path: string): Failure {
  return new Failure("conflict", `${path} was replaced while it was read; look at the changes again`);
}
