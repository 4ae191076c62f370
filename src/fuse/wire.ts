/** The kernel's FUSE protocol 7, as in include/uapi/linux/fuse.h: parses the requests that we answer. */

export const FUSE_MAJOR = 7;
/** The newest minor version whose fields are known here; the kernel adapts to it. */
export const FUSE_MINOR = 39;
/** The oldest version with all fields that are written here (64 bytes of INIT's answer). */
export const FUSE_OLDEST_MINOR = 23;
export const ROOT_NODE = 1;

const IN_HEADER_BYTES = 40;
export const OUT_HEADER_BYTES = 16;
/** The kernel refuses buffers smaller than this for a request. */
const SMALLEST_READ_BUFFER = 8_192;
const WRITE_HEAD_BYTES = IN_HEADER_BYTES + 40;

/** Opcodes by the names of fuse.h. */
export const OPCODE = {
  LOOKUP: 1,
  FORGET: 2,
  GETATTR: 3,
  SETATTR: 4,
  SYMLINK: 6,
  MKNOD: 8,
  MKDIR: 9,
  UNLINK: 10,
  RMDIR: 11,
  RENAME: 12,
  LINK: 13,
  OPEN: 14,
  READ: 15,
  WRITE: 16,
  STATFS: 17,
  RELEASE: 18,
  FSYNC: 20,
  FLUSH: 25,
  INIT: 26,
  OPENDIR: 27,
  READDIR: 28,
  RELEASEDIR: 29,
  FSYNCDIR: 30,
  ACCESS: 34,
  CREATE: 35,
  INTERRUPT: 36,
  DESTROY: 38,
  BATCH_FORGET: 42,
  RENAME2: 45,
} as const;

/** Flags of INIT, and of an opened file. */
export const INIT_FLAG = {
  atomicTruncate: 1 << 3,
  bigWrites: 1 << 5,
  parallelFolders: 1 << 18,
  maxPages: 1 << 22,
  /** There are flags beyond the 32nd. */
  extended: 1 << 30,
} as const;
/** Flags beyond the 32nd. `sharedMaps`: a file without a page cache can be mapped for reading. */
export const INIT_FLAG_2 = { sharedMaps: 1 << 4 } as const;
export const OPEN_FLAG = { directIo: 1 << 0, nonSeekable: 1 << 2, stream: 1 << 4 } as const;

/** The caller and the target of a request. */
export interface RequestHead {
  /** Returned unchanged. */
  readonly unique: bigint;
  readonly node: number;
  readonly uid: number;
  /** The calling thread; 0: not in our process namespace. */
  readonly pid: number;
  readonly opcode: number;
}

export type RequestBody =
  | {
      readonly is: "init";
      readonly major: number;
      readonly minor: number;
      readonly maxReadahead: number;
      readonly flags: number;
      /** 0 from a kernel that does not know them. */
      readonly flags2: number;
    }
  | { readonly is: "lookup"; readonly name: string }
  | { readonly is: "forget"; readonly forgets: readonly { readonly node: number; readonly lookups: number }[] }
  /** `handle`: absent if the file is requested by name. */
  | { readonly is: "attributes"; readonly handle?: number }
  /** `size`: absent if something other than the length changes. */
  | { readonly is: "change"; readonly size?: number }
  | { readonly is: "open"; readonly folder: boolean; readonly flags: number }
  | {
      readonly is: "read";
      readonly folder: boolean;
      readonly handle: number;
      readonly offset: number;
      readonly size: number;
      readonly flags: number;
    }
  | { readonly is: "write"; readonly handle: number; readonly offset: number; readonly data: Buffer }
  | { readonly is: "flush"; readonly handle: number }
  | { readonly is: "sync"; readonly handle: number }
  | { readonly is: "release"; readonly handle: number }
  | { readonly is: "statfs" }
  | { readonly is: "access"; readonly mask: number }
  | { readonly is: "interrupt"; readonly target: bigint }
  | { readonly is: "destroy" }
  /** Something is to be created, removed, renamed or linked. */
  | { readonly is: "alter" }
  /** An opcode that is not supported. */
  | { readonly is: "unknown" };

export interface FuseRequest {
  readonly head: RequestHead;
  readonly body: RequestBody;
}

/** Buffer size for one request, with the most that the kernel may write at once. */
export function requestBytes(maxWrite: number): number {
  return Math.max(SMALLEST_READ_BUFFER, WRITE_HEAD_BYTES + maxWrite);
}

/** Parses one request from the kernel. Its data is copied: the buffer can be reused at once. */
export function decodeRequest(bytes: Buffer): FuseRequest {
  if (bytes.length < IN_HEADER_BYTES) throw new RangeError(`a request of ${bytes.length} bytes has no head`);
  const length = bytes.readUInt32LE(0);
  if (length !== bytes.length) throw new RangeError(`a request of ${bytes.length} bytes says that it has ${length}`);
  const head: RequestHead = {
    opcode: bytes.readUInt32LE(4),
    unique: bytes.readBigUInt64LE(8),
    node: Number(bytes.readBigUInt64LE(16)),
    uid: bytes.readUInt32LE(24),
    pid: bytes.readUInt32LE(32),
  };
  return { head, body: decodeBody(head, bytes.subarray(IN_HEADER_BYTES)) };
}

function decodeBody({ opcode, node }: RequestHead, body: Buffer): RequestBody {
  switch (opcode) {
    case OPCODE.INIT:
      return {
        is: "init",
        major: body.readUInt32LE(0),
        minor: body.readUInt32LE(4),
        maxReadahead: body.readUInt32LE(8),
        flags: body.readUInt32LE(12),
        flags2: body.length >= INIT_FLAGS_2_AT + 4 ? body.readUInt32LE(INIT_FLAGS_2_AT) : 0,
      };
    case OPCODE.LOOKUP:
      return { is: "lookup", name: nameIn(body) };
    case OPCODE.FORGET:
      return { is: "forget", forgets: [{ node, lookups: long(body, 0) }] };
    case OPCODE.BATCH_FORGET:
      return { is: "forget", forgets: manyForgets(body) };
    case OPCODE.GETATTR:
      return { is: "attributes", ...((body.readUInt32LE(0) & GETATTR_HANDLE) === 0 ? {} : { handle: long(body, 8) }) };
    case OPCODE.SETATTR:
      return { is: "change", ...((body.readUInt32LE(0) & SETATTR_SIZE) === 0 ? {} : { size: long(body, 16) }) };
    case OPCODE.OPEN:
    case OPCODE.OPENDIR:
      return { is: "open", folder: opcode === OPCODE.OPENDIR, flags: body.readUInt32LE(0) };
    case OPCODE.READ:
    case OPCODE.READDIR:
      return {
        is: "read",
        folder: opcode === OPCODE.READDIR,
        handle: long(body, 0),
        offset: long(body, 8),
        size: body.readUInt32LE(16),
        flags: body.readUInt32LE(32),
      };
    case OPCODE.WRITE:
      return { is: "write", handle: long(body, 0), offset: long(body, 8), data: written(body) };
    default:
      return decodeSmall(opcode, body);
  }
}

function decodeSmall(opcode: number, body: Buffer): RequestBody {
  switch (opcode) {
    case OPCODE.FLUSH:
      return { is: "flush", handle: long(body, 0) };
    case OPCODE.FSYNC:
    case OPCODE.FSYNCDIR:
      return { is: "sync", handle: long(body, 0) };
    case OPCODE.RELEASE:
    case OPCODE.RELEASEDIR:
      return { is: "release", handle: long(body, 0) };
    case OPCODE.STATFS:
      return { is: "statfs" };
    case OPCODE.ACCESS:
      return { is: "access", mask: body.readUInt32LE(0) };
    case OPCODE.INTERRUPT:
      return { is: "interrupt", target: body.readBigUInt64LE(0) };
    case OPCODE.DESTROY:
      return { is: "destroy" };
    case OPCODE.SYMLINK:
    case OPCODE.MKNOD:
    case OPCODE.MKDIR:
    case OPCODE.UNLINK:
    case OPCODE.RMDIR:
    case OPCODE.RENAME:
    case OPCODE.LINK:
    case OPCODE.CREATE:
    case OPCODE.RENAME2:
      return { is: "alter" };
    default:
      return { is: "unknown" };
  }
}

const INIT_FLAGS_2_AT = 16;
const GETATTR_HANDLE = 1 << 0;
const SETATTR_SIZE = 1 << 3;
const FORGET_BYTES = 16;

function nameIn(body: Buffer): string {
  const end = body.indexOf(0);
  return body.toString("utf8", 0, end === -1 ? body.length : end);
}

function manyForgets(body: Buffer): { node: number; lookups: number }[] {
  const forgets: { node: number; lookups: number }[] = [];
  const end = 8 + body.readUInt32LE(0) * FORGET_BYTES;
  for (let at = 8; at < end; at += FORGET_BYTES) forgets.push({ node: long(body, at), lookups: long(body, at + 8) });
  return forgets;
}

function written(body: Buffer): Buffer {
  const size = body.readUInt32LE(16);
  const start = WRITE_HEAD_BYTES - IN_HEADER_BYTES;
  if (start + size > body.length) throw new RangeError(`a write of ${size} bytes came with ${body.length - start}`);
  return Buffer.from(body.subarray(start, start + size));
}

function long(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at));
}
