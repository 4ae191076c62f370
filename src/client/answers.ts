import type { Status } from "../protocol/index.ts";

/** What `/health` says. */
export interface ServerHealth {
  status: string;
  version: string;
  protocol: string;
  demo: boolean;
  default_provider: string;
  /** `stalled`: nothing can be written at the moment; `low_space`: new sessions and prompts are refused. */
  store: "ok" | "low_space" | "stalled";
  /** Sessions found on damaged pages of the database since the server's start. */
  damaged_sessions: number;
  /** `set_back`: at the server's start it was far behind the time that the last run had seen. */
  clock: "ok" | "set_back";
}

/** Whether a session has ended: nothing more comes of it. */
export function isOver(status: Status): boolean {
  return status === "complete" || status === "failed";
}
