import { constants } from "node:os";

export type ErrnoName = keyof typeof constants.errno;

/** The error of a system call at the mount. */
export class FuseError extends Error {
  readonly errno: ErrnoName;

  constructor(errno: ErrnoName, message: string = errno) {
    super(message);
    this.name = "FuseError";
    this.errno = errno;
  }
}

/** The kernel's number for an error; anything but a FuseError is an input/output error. */
export function numberOf(error: unknown): number {
  return constants.errno[error instanceof FuseError ? error.errno : "EIO"];
}
