/** What a session is doing, or why it does nothing. */
export const STATUSES = [
  "creating",
  "ready",
  "queued",
  "working",
  "pending_approval",
  "paused",
  "idle",
  "complete",
  "failed",
] as const;
