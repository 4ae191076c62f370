import { Failure, isOutOfFiles, isOutOfSpace, outOfFilesFailure, outOfSpaceFailure } from "../protocol/index.ts";

/** What a caller is told of an error. The same object where it is a refusal; else the log must say more. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (isOutOfFiles(error)) return outOfFilesFailure();
  if (isOutOfSpace(error)) return outOfSpaceFailure();
  return new Failure("internal", "something went wrong here; the server's log says what");
}
