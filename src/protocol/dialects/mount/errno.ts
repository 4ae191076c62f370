import { Failure, type ErrorCode } from "../../failure.ts";

/** What a file system says when it refuses, in the names of `errno.h`. */
export const FILE_ERRNOS = [
  "EACCES",
  "EAGAIN",
  "EBUSY",
  "EDQUOT",
  "EEXIST",
  "EFBIG",
  "EINVAL",
  "EIO",
  "EISDIR",
  "ENOENT",
  "ENOSPC",
  "ENOTDIR",
  "ENOTSUP",
  "EPIPE",
  "ETIMEDOUT",
] as const;
export type FileErrno = (typeof FILE_ERRNOS)[number];

/** A refusal of a file whose errno says more than its code does. */
export class FileFailure extends Failure {
  readonly errno: FileErrno;

  constructor(errno: FileErrno, code: ErrorCode, message: string, details?: unknown) {
    super(code, message, details);
    this.name = "FileFailure";
    this.errno = errno;
  }
}

/** What a refusal is to a file system. */
export function errnoOf(failure: Failure): FileErrno {
  return failure instanceof FileFailure ? failure.errno : errnoOfCode(failure.code);
}

function errnoOfCode(code: ErrorCode): FileErrno {
  switch (code) {
    case "unauthenticated":
    case "forbidden":
    case "model_not_allowed":
    case "provider_not_allowed":
    case "model_unpriced":
      return "EACCES";
    case "not_found":
    case "workspace_missing":
      return "ENOENT";
    case "invalid_request":
    case "cursor_invalid":
    case "protocol_mismatch":
    case "idempotency_required":
    case "max_cost_required":
    case "wire_unsupported":
      return "EINVAL";
    case "unsupported":
      return "ENOTSUP";
    case "conflict":
    case "already_answered":
    case "input_changed":
      return "EBUSY";
    case "idempotency_mismatch":
      return "EEXIST";
    case "session_closed":
      return "EPIPE";
    case "timed_out":
      return "ETIMEDOUT";
    case "payload_too_large":
      return "EFBIG";
    case "budget_exceeded":
    case "limit_reached":
      return "EDQUOT";
    case "queue_full":
    case "store_full":
      return "ENOSPC";
    case "rate_limited":
    case "shutting_down":
      return "EAGAIN";
    case "aborted":
    case "rejected_and_stopped":
    case "max_turns":
    case "max_tokens":
    case "refusal":
    case "context_exceeded":
    case "model_error":
    case "model_unavailable":
    case "model_unauthenticated":
    case "model_stream_cut":
    case "engine_failed":
    case "restart_limit":
    case "tool_failed":
    case "connection_failed":
    case "store_failed":
    case "internal":
      return "EIO";
  }
}
