import { FUSE_MAJOR, OUT_HEADER_BYTES } from "./wire.ts";

/** The `stat` of a file or folder. */
export interface Attributes {
  readonly folder: boolean;
  /** Permission bits, such as 0o600. */
  readonly permissions: number;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export interface Listed {
  readonly name: string;
  readonly folder: boolean;
}

const FOLDER_TYPE = 0o040_000;
const FILE_TYPE = 0o100_000;
const BLOCK_BYTES = 4_096;
const SECTOR_BYTES = 512;
const ENTRY_HEAD_BYTES = 24;
const NOTICE_DROP_NAME = 3;

/** The header of an answer before its payload. `errno` 0: success. */
export function answerHead(unique: bigint, errno: number, payloadBytes: number): Buffer {
  const head = Buffer.alloc(OUT_HEADER_BYTES);
  head.writeUInt32LE(OUT_HEADER_BYTES + payloadBytes, 0);
  head.writeInt32LE(-errno, 4);
  head.writeBigUInt64LE(unique, 8);
  return head;
}

/** Asks the kernel to drop a cached name; it then forgets the node, unless it is in use. */
export function forgetNameNotice({ parent, name }: { readonly parent: number; readonly name: string }): Buffer {
  const bytes = Buffer.from(name, "utf8");
  const out = Buffer.alloc(OUT_HEADER_BYTES + 16 + bytes.length + 1);
  out.writeUInt32LE(out.length, 0);
  out.writeInt32LE(NOTICE_DROP_NAME, 4);
  out.writeBigUInt64LE(BigInt(parent), OUT_HEADER_BYTES);
  out.writeUInt32LE(bytes.length, OUT_HEADER_BYTES + 8);
  bytes.copy(out, OUT_HEADER_BYTES + 16);
  return out;
}

export function initAnswer(init: {
  readonly minor: number;
  readonly maxReadahead: number;
  readonly flags: number;
  readonly flags2: number;
  readonly maxBackground: number;
  readonly maxWrite: number;
}): Buffer {
  const out = Buffer.alloc(64);
  out.writeUInt32LE(FUSE_MAJOR, 0);
  out.writeUInt32LE(init.minor, 4);
  out.writeUInt32LE(init.maxReadahead, 8);
  out.writeUInt32LE(init.flags, 12);
  out.writeUInt16LE(init.maxBackground, 16);
  out.writeUInt16LE(Math.ceil((init.maxBackground * 3) / 4), 18);
  out.writeUInt32LE(init.maxWrite, 20);
  // Times have a resolution of one millisecond.
  out.writeUInt32LE(1_000_000, 24);
  out.writeUInt16LE(Math.ceil(init.maxWrite / BLOCK_BYTES), 28);
  out.writeUInt32LE(init.flags2, 32);
  return out;
}

/** The answer to LOOKUP: the kernel must not cache it, so both times are 0. */
export function entryAnswer(node: number, attributes: Attributes, owner: Owner): Buffer {
  const out = Buffer.alloc(40 + 88);
  out.writeBigUInt64LE(BigInt(node), 0);
  writeAttributes(out, 40, { node, attributes, owner });
  return out;
}

/** The answer to GETATTR and SETATTR. */
export function attributesAnswer(node: number, attributes: Attributes, owner: Owner): Buffer {
  const out = Buffer.alloc(16 + 88);
  writeAttributes(out, 16, { node, attributes, owner });
  return out;
}

function writeAttributes(
  out: Buffer,
  at: number,
  { node, attributes, owner }: { readonly node: number; readonly attributes: Attributes; readonly owner: Owner },
): void {
  const { folder, permissions, size, modified } = attributes;
  const seconds = BigInt(Math.floor(modified / 1_000));
  const nanoseconds = (modified % 1_000) * 1_000_000;
  out.writeBigUInt64LE(BigInt(node), at);
  out.writeBigUInt64LE(BigInt(size), at + 8);
  out.writeBigUInt64LE(BigInt(Math.ceil(size / SECTOR_BYTES)), at + 16);
  for (const time of [0, 1, 2]) {
    out.writeBigUInt64LE(seconds, at + 24 + time * 8);
    out.writeUInt32LE(nanoseconds, at + 48 + time * 4);
  }
  out.writeUInt32LE((folder ? FOLDER_TYPE : FILE_TYPE) | permissions, at + 60);
  out.writeUInt32LE(folder ? 2 : 1, at + 64);
  out.writeUInt32LE(owner.uid, at + 68);
  out.writeUInt32LE(owner.gid, at + 72);
  out.writeUInt32LE(BLOCK_BYTES, at + 80);
}

export function openAnswer(handle: number, flags: number): Buffer {
  const out = Buffer.alloc(16);
  out.writeBigUInt64LE(BigInt(handle), 0);
  out.writeUInt32LE(flags, 8);
  return out;
}

export function writeAnswer(size: number): Buffer {
  const out = Buffer.alloc(8);
  out.writeUInt32LE(size, 0);
  return out;
}

/** No blocks at all, so that no program counts on free space; names of up to 255 bytes. */
export function statfsAnswer(files: number): Buffer {
  const out = Buffer.alloc(80);
  out.writeBigUInt64LE(BigInt(files), 24);
  out.writeUInt32LE(BLOCK_BYTES, 40);
  out.writeUInt32LE(255, 44);
  out.writeUInt32LE(BLOCK_BYTES, 48);
  return out;
}

/**
 * As many entries from `offset` on as fit into `size` bytes. An entry's own offset is the position of the next one. The
 * kernel asks again for what did not fit, and reads an empty answer as the end.
 */
export function folderAnswer(entries: readonly Listed[], offset: number, size: number): Buffer {
  const parts: Buffer[] = [];
  let used = 0;
  for (let index = offset; index < entries.length; index += 1) {
    const entry = entries[index];
    if (entry === undefined) break;
    const name = Buffer.from(entry.name, "utf8");
    const bytes = Math.ceil((ENTRY_HEAD_BYTES + name.length) / 8) * 8;
    if (used + bytes > size) break;
    const part = Buffer.alloc(bytes);
    // Node numbers are assigned at LOOKUP; this one only must not be 0.
    part.writeBigUInt64LE(BigInt(index + 2), 0);
    part.writeBigUInt64LE(BigInt(index + 1), 8);
    part.writeUInt32LE(name.length, 16);
    part.writeUInt32LE((entry.folder ? FOLDER_TYPE : FILE_TYPE) >> 12, 20);
    name.copy(part, ENTRY_HEAD_BYTES);
    parts.push(part);
    used += bytes;
  }
  return Buffer.concat(parts);
}
