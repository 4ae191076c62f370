import { Failure, isOutOfFiles, isOutOfSpace, outOfFilesFailure, outOfSpaceFailure } from "../protocol/index.ts";

/** The failure that a caller is told for an error. A refusal is returned unchanged; for anything else the log must say more. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (isOutOfFiles(error)) return outOfFilesFailure();
  if (isOutOfSpace(error)) return outOfSpaceFailure();
  return new Failure("internal", "something went wrong here; the server's log says what");
}
