import type { ErrorCode } from "../../protocol/index.ts";

/**
 * Why the writer's thread refuses a database. The main thread turns it into a `Failure`: that class, with its schemas,
 * would double the time and memory that the thread needs to start.
 */
export class StoreRefusal extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
