import { lstatSync } from "node:fs";

/** Numbers of 32 bits in one stamp: mode, device (2), inode (2), size (2), time of the last change (seconds: 2, nanoseconds). All 0: nothing is there. */
export const STAMP_WORDS = 10;
export const DEVICE_AT = 1;
export const SECONDS_AT = 7;
export const NANOSECONDS_AT = 9;

export interface PathLook {
  /** Writes the stamp of one path, which ends with a NUL. False: nobody can tell what is there. */
  at(this: void, path: Buffer, stamp: Uint32Array): boolean;
  /** Looks at names in a folder, which is found only once for all of them. Absent: it would save nothing. */
  readonly folders?: FolderLook | undefined;
}

interface FolderLook {
  /** Undefined: it cannot be opened, and its paths have to be looked at one by one. */
  open(this: void, folder: Buffer): number | undefined;
  at(this: void, folder: number, name: Buffer, stamp: Uint32Array): boolean;
  close(this: void, folder: number): void;
}

const AT_FDCWD = -100;
/** Only a place in the tree, which no program that is started meanwhile gets. */
const O_PATH_CLOEXEC = 0o12_000_000;
const AT_SYMLINK_NOFOLLOW_NO_AUTOMOUNT = 0x1_00 | 0x8_00;
const STATX_BASIC_STATS = 0x7_ff;
const ENOENT = 2;
const ENOTDIR = 20;

/** `struct statx`: the numbers of 32 bits that belong to a stamp, in its order, behind the mode. */
const STATX_BYTES = 256;
const STATX_MODE_AT = 7;
const STATX_COPIED = [34, 35, 8, 9, 10, 11, 24, 25, 26] as const;

const LOW_HALF = 0xff_ff_ff_ffn;
const SECOND = 1_000_000_000n;

/** The system's own call takes half the time of Node's, which is for servers without the optional package koffi. */
export async function openLook(): Promise<PathLook> {
  const koffi = await import("koffi").catch(() => undefined);
  if (koffi === undefined) return { at: lookByNode };
  const { default: native } = koffi;
  const statx = native.load(null).func("int statx(int, const void *, int, unsigned int, void *)") as NativeCall;
  const found = Buffer.alloc(STATX_BYTES);
  const words = new Uint32Array(found.buffer, found.byteOffset, STATX_BYTES / Uint32Array.BYTES_PER_ELEMENT);
  const at: FolderLook["at"] = (folder, name, stamp) => {
    if (statx(folder, name, AT_SYMLINK_NOFOLLOW_NO_AUTOMOUNT, STATX_BASIC_STATS, found) !== 0) {
      stamp.fill(0);
      const code = native.errno();
      return code === ENOENT || code === ENOTDIR;
    }
    // The upper half of this number is no part of the mode.
    stamp[0] = (words[STATX_MODE_AT] ?? 0) & 0xff_ff;
    for (let index = 0; index < STATX_COPIED.length; index += 1)
      stamp[index + 1] = words[STATX_COPIED[index] ?? 0] ?? 0;
    return true;
  };
  const open = native.load(null).func("int open(const void *, int)") as NativeCall;
  const close = native.load(null).func("int close(int)") as NativeCall;
  return {
    at: (path, stamp) => at(AT_FDCWD, path, stamp),
    folders: {
      open: (folder) => {
        const opened = open(folder, O_PATH_CLOEXEC);
        return opened < 0 ? undefined : opened;
      },
      at,
      close: (folder) => void close(folder),
    },
  };
}

type NativeCall = (...words: unknown[]) => number;

function lookByNode(path: Buffer, stamp: Uint32Array): boolean {
  stamp.fill(0);
  try {
    const found = lstatSync(path.subarray(0, -1), { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return true;
    const { dev, ino, mode, size, ctimeNs } = found;
    stamp[0] = Number(mode);
    const wide = [dev, ino, size, ctimeNs / SECOND].flatMap((value) => [value & LOW_HALF, value >> 32n]);
    for (const [at, half] of [...wide, ctimeNs % SECOND].entries()) stamp[at + 1] = Number(half);
    return true;
  } catch {
    return false;
  }
}
