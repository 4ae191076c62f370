import type { ErrorCode } from "../../protocol/index.ts";

/**
 * Why the writer's thread does not take a database. It becomes a `Failure` on the other side: that class, and the
 * schemas that come with it, would double the time and the memory that the thread needs to start.
 */
export class StoreRefusal extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
