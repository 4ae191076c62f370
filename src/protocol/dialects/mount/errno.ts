import { Failure, type FailureCode } from "../../failure.ts";

/** A file system's errors, by their names in `errno.h`. */
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
  "ESTALE",
  "ETIMEDOUT",
] as const;
export type FileErrno = (typeof FILE_ERRNOS)[number];

/** A refusal of a file whose errno is more precise than its code. */
export class FileFailure extends Failure {
  readonly errno: FileErrno;

  constructor(errno: FileErrno, code: FailureCode, message: string, details?: unknown) {
    super(code, message, details);
    this.name = "FileFailure";
    this.errno = errno;
  }
}

/** The errno of a refusal. */
export function errnoOf(failure: Failure): FileErrno {
  if (failure instanceof FileFailure) return failure.errno;
  return failure.code === "store_failed" && isRetryable(failure) ? "EAGAIN" : ERRNOS[failure.code];
}

/** The store refused for now and has taken nothing. What it keeps for later must not be sent again: that would do it twice. */
function isRetryable({ details }: Failure): boolean {
  const { retry_after_s, stored_later } = (details ?? {}) as Readonly<Record<string, unknown>>;
  return retry_after_s !== undefined && stored_later !== true;
}

const ERRNOS: Readonly<Record<FailureCode, FileErrno>> = {
  unauthenticated: "EACCES",
  forbidden: "EACCES",
  not_approvable: "EACCES",
  model_not_allowed: "EACCES",
  provider_not_allowed: "EACCES",
  model_unpriced: "EACCES",
  not_found: "ENOENT",
  workspace_missing: "ENOENT",
  invalid_request: "EINVAL",
  cursor_invalid: "EINVAL",
  protocol_mismatch: "EINVAL",
  idempotency_required: "EINVAL",
  max_cost_required: "EINVAL",
  wire_unsupported: "EINVAL",
  unsupported: "ENOTSUP",
  conflict: "EBUSY",
  already_answered: "EBUSY",
  input_changed: "EBUSY",
  idempotency_mismatch: "EEXIST",
  session_closed: "EPIPE",
  timed_out: "ETIMEDOUT",
  payload_too_large: "EFBIG",
  budget_exceeded: "EDQUOT",
  limit_reached: "EDQUOT",
  queue_full: "ENOSPC",
  store_full: "ENOSPC",
  rate_limited: "EAGAIN",
  shutting_down: "EAGAIN",
  aborted: "EIO",
  rejected_and_stopped: "EIO",
  max_turns: "EIO",
  max_tokens: "EIO",
  refusal: "EIO",
  context_exceeded: "EIO",
  model_error: "EIO",
  model_unavailable: "EIO",
  model_unauthenticated: "EIO",
  model_stream_cut: "EIO",
  engine_failed: "EIO",
  restart_limit: "EIO",
  tool_failed: "EIO",
  connection_failed: "EIO",
  store_failed: "EIO",
  internal: "EIO",
};
