import { constants } from "node:os";
import { describe, expect, it } from "vitest";
import { fuseErrorOf } from "../../src/cli/mount/troubles.ts";
import { numberOf } from "../../src/fuse/errno.ts";
import { ERROR_CODES, type FailureCode } from "../../src/protocol/failure.ts";
import { errnoOf, Failure, FILE_ERRNOS, FileFailure, type FileErrno } from "../../src/protocol/index.ts";
import { storeFailure, stalledFailure } from "../../src/store/failure.ts";

/** What a program at a mount should think of each refusal, judged by what it can do about it. */
const JUDGED: Readonly<Record<FileErrno, readonly FailureCode[]>> = {
  // may not: another token or another policy
  EACCES: [
    "unauthenticated",
    "forbidden",
    "not_approvable",
    "model_not_allowed",
    "provider_not_allowed",
    "model_unpriced",
  ],
  // nothing was done: the same once more, a little later
  EAGAIN: ["rate_limited", "shutting_down"],
  // somebody else was first, or it has changed: look again
  EBUSY: ["conflict", "already_answered", "input_changed"],
  // money or numbers are used up
  EDQUOT: ["budget_exceeded", "limit_reached"],
  EEXIST: ["idempotency_mismatch"],
  EFBIG: ["payload_too_large"],
  // what was written makes no sense
  EINVAL: [
    "invalid_request",
    "cursor_invalid",
    "protocol_mismatch",
    "idempotency_required",
    "max_cost_required",
    "wire_unsupported",
  ],
  // it was tried and went wrong
  EIO: [
    "aborted",
    "rejected_and_stopped",
    "max_turns",
    "max_tokens",
    "refusal",
    "context_exceeded",
    "model_error",
    "model_unavailable",
    "model_unauthenticated",
    "model_stream_cut",
    "engine_failed",
    "restart_limit",
    "tool_failed",
    "connection_failed",
    "store_failed",
    "internal",
  ],
  EISDIR: [],
  ENOENT: ["not_found", "workspace_missing"],
  ENOSPC: ["queue_full", "store_full"],
  ENOTDIR: [],
  ENOTSUP: ["unsupported"],
  EPIPE: ["session_closed"],
  ESTALE: [],
  ETIMEDOUT: ["timed_out"],
};

describe("what a refusal is to a file system", () => {
  it("each code of the protocol is judged once", () => {
    expect(Object.values(JUDGED).flat().toSorted()).toEqual([...ERROR_CODES].toSorted());
    expect(Object.keys(JUDGED).toSorted()).toEqual([...FILE_ERRNOS].toSorted());
  });

  it.each(Object.entries(JUDGED).flatMap(([errno, codes]) => codes.map((code) => [code, errno as FileErrno] as const)))(
    "%s is %s, for the kernel too",
    (code, errno) => {
      const failure = new Failure(code, "words");
      expect([errnoOf(failure), numberOf(fuseErrorOf(failure))]).toEqual([errno, constants.errno[errno]]);
    },
  );

  it("a store that refuses for now is EAGAIN; what it keeps for later, and what is broken, is EIO", () => {
    const stall = { cause: "locked", why: "SQLITE_BUSY", since: 0 } as const;
    expect([
      errnoOf(stalledFailure(stall, "refused")),
      errnoOf(stalledFailure(stall, "lost")),
      errnoOf(stalledFailure(stall, "waiting")),
      errnoOf(storeFailure("store_failed", "The store could not be read.", undefined)),
      errnoOf(new FileFailure("EFBIG", "invalid_request", "too long")),
    ]).toEqual(["EAGAIN", "EAGAIN", "EIO", "EIO", "EFBIG"]);
  });
});
