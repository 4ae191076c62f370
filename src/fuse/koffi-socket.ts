import { MountTrouble } from "./trouble.ts";

/** A pair of connected sockets over which another process can pass us an open file. The caller closes the descriptors. */
export interface FilePassage {
  readonly ours: number;
  readonly theirs: number;
  /** The descriptor that was sent; undefined when none arrived. Does not wait. */
  receive(): number | undefined;
}

const AF_UNIX = 1;
const SOCK_STREAM_CLOEXEC = 1 | 0o2_000_000;
const MSG_DONTWAIT_CMSG_CLOEXEC = 0x40 | 0x40_00_00_00;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
/** Layouts of 64-bit Linux: iovec, msghdr, and cmsghdr with one descriptor behind it. */
const IOVEC_BYTES = 16;
const MSGHDR_BYTES = 56;
const CONTROL_BYTES = 24;

/** Node itself cannot receive a descriptor from another program; this needs the optional package koffi. */
export async function openFilePassage(): Promise<FilePassage> {
  const { default: koffi } = await import("koffi").catch(() => {
    throw new MountTrouble(
      "mounting as an ordinary user needs the package koffi: install it beside Sallyport (npm install koffi), mount as root, or use --plain",
    );
  });
  const system = koffi.load(null);
  const socketpair = system.func("int socketpair(int, int, int, void *)") as (...words: unknown[]) => number;
  const recvmsg = system.func("long recvmsg(int, void *, int)") as (...words: unknown[]) => number;
  const pair = Buffer.alloc(8);
  if (socketpair(AF_UNIX, SOCK_STREAM_CLOEXEC, 0, pair) !== 0)
    throw new MountTrouble(`no pair of sockets could be made (errno ${koffi.errno()})`);
  const ours = pair.readInt32LE(0);
  return {
    ours,
    theirs: pair.readInt32LE(4),
    receive: () => {
      const data = Buffer.alloc(1);
      const control = Buffer.alloc(CONTROL_BYTES);
      const vector = Buffer.alloc(IOVEC_BYTES);
      vector.writeBigUInt64LE(koffi.address(data), 0);
      vector.writeBigUInt64LE(BigInt(data.length), 8);
      const message = Buffer.alloc(MSGHDR_BYTES);
      message.writeBigUInt64LE(koffi.address(vector), 16);
      message.writeBigUInt64LE(1n, 24);
      message.writeBigUInt64LE(koffi.address(control), 32);
      message.writeBigUInt64LE(BigInt(control.length), 40);
      if (recvmsg(ours, message, MSG_DONTWAIT_CMSG_CLOEXEC) < 0) return undefined;
      if (control.readInt32LE(8) !== SOL_SOCKET || control.readInt32LE(12) !== SCM_RIGHTS) return undefined;
      return control.readInt32LE(16);
    },
  };
}
