import { constants } from "node:os";

export type ErrnoName = keyof typeof constants.errno;

/** What a system call of the person at the mount fails with. */
export class FuseError extends Error {
  readonly errno: ErrnoName;

  constructor(errno: ErrnoName, message: string = errno) {
    super(message);
    this.name = "FuseError";
    this.errno = errno;
  }
}

/** The number that the kernel knows an error by; anything that is not a FuseError is an input/output error. */
export function numberOf(error: unknown): number {
  return constants.errno[error instanceof FuseError ? error.errno : "EIO"];
}
