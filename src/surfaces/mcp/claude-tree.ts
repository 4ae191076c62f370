import type { FileEntry, FileStat, SessionView, StreamFrame } from "../../protocol/index.ts";

/** What happens in a session. */
export interface FollowedSession {
  /** Its status when following began, and the event that led to it. That event may not be on the disk yet. */
  readonly begun: Pick<SessionView, "seq" | "status">;
  /** Everything after that event, and some of what came shortly before it. */
  readonly frames: AsyncIterable<StreamFrame>;
}

/**
 * The /claude tree as one caller sees it, and what happens in its sessions. Paths are complete: `/claude/sessions/<id>/status`. Every error is a
 * Failure.
 */
export interface ClaudeTree {
  stat(path: string): Promise<FileStat>;
  list(path: string): Promise<readonly FileEntry[]>;
  /** `peek`: not all of it is shown, so questions in it do not count as shown. */
  read(path: string, options?: { readonly peek?: boolean }): Promise<Uint8Array>;
  write(path: string, text: string): Promise<void>;
  /** Writes, and reads the answer on the same handle. */
  call(path: string, text: string): Promise<Uint8Array>;
  /** Once it has resolved, no event of the session can be missed. */
  follow(session_id: string, signal: AbortSignal): Promise<FollowedSession>;
}

export const ROOT = "/claude";

export async function readText(tree: ClaudeTree, path: string): Promise<string> {
  return new TextDecoder().decode(await tree.read(path));
}

export function sessionPath(session_id: string, file: string): string {
  return `${ROOT}/sessions/${session_id}/${file}`;
}
