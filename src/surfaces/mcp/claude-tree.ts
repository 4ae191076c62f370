import type { FileEntry, FileStat, SessionView, StreamFrame } from "../../protocol/index.ts";

/** What happens in a session. */
export interface FollowedSession {
  /** How it stood when it began to be followed, and the event that had brought it there. That event may only be on its way to the disk. */
  readonly begun: Pick<SessionView, "seq" | "status">;
  /** Everything after that event, and some of what came shortly before it. */
  readonly frames: AsyncIterable<StreamFrame>;
}

/** The /claude tree as one caller has it, and what happens in its sessions. Paths are whole: `/claude/sessions/<id>/status`. What fails is a Failure. */
export interface ClaudeTree {
  stat(path: string): Promise<FileStat>;
  list(path: string): Promise<readonly FileEntry[]>;
  /** `peek`: not all of it is shown, so questions in it do not count as shown. */
  read(path: string, options?: { readonly peek?: boolean }): Promise<Uint8Array>;
  write(path: string, text: string): Promise<void>;
  /** Writes, and reads the answer on the same handle. */
  call(path: string, text: string): Promise<Uint8Array>;
  /** Once it has resolved, nothing that happens in the session can be missed. */
  follow(session_id: string, signal: AbortSignal): Promise<FollowedSession>;
}

export const ROOT = "/claude";

export async function readText(tree: ClaudeTree, path: string): Promise<string> {
  return new TextDecoder().decode(await tree.read(path));
}

export function sessionPath(session_id: string, file: string): string {
  return `${ROOT}/sessions/${session_id}/${file}`;
}
