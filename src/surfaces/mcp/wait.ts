import { Failure, LIMITS, type JournalEvent } from "../../protocol/index.ts";
import { readText, sessionPath, type ClaudeTree } from "./claude-tree.ts";

export const WAIT_STATES = ["idle", "complete", "failed", "pending_approval"] as const;
type WaitState = (typeof WAIT_STATES)[number];

export interface WaitRequest {
  readonly session_id: string;
  readonly until: readonly WaitState[];
  readonly timeout_ms: number;
}

export interface WaitOptions {
  readonly signal: AbortSignal;
  /** Called for what happens meanwhile. */
  readonly onEvent: (event: JournalEvent) => void;
}

interface SessionStatus {
  readonly status: string;
  readonly [more: string]: unknown;
}

/** Waits until a session is idle or needs somebody. Ends early, with `timed_out`, when the time is over; throws when the caller gave up. */
export async function waitFor(tree: ClaudeTree, request: WaitRequest, waiting: WaitOptions): Promise<object> {
  const stop = new AbortController();
  const give = (): void => stop.abort();
  waiting.signal.addEventListener("abort", give, { once: true });
  if (waiting.signal.aborted) give();
  const patience = new Patience(request.timeout_ms, give);
  try {
    const { session_id } = request;
    const found = await untilOver(tree, request, { ...waiting, signal: stop.signal, patience });
    if (waiting.signal.aborted) throw new Failure("aborted", "the wait was cancelled; the session goes on");
    if (found === undefined) return { ...(await readStatus(tree, session_id)), timed_out: true };
    return { ...(await withDetails(tree, session_id, found)), timed_out: false };
  } finally {
    give();
    patience.end();
    waiting.signal.removeEventListener("abort", give);
  }
}

/**
 * The session's state once it is over. Its status may be ahead of the disk, and then its answer is not there yet: it counts when the journal
 * says the same. Undefined: it is not over, and the signal was aborted.
 */
async function untilOver(
  tree: ClaudeTree,
  { session_id, until }: WaitRequest,
  { signal, onEvent, patience }: WaitOptions & { readonly patience: Patience },
): Promise<SessionStatus | undefined> {
  const { begun, frames } = await tree.follow(session_id, signal);
  let status: string = begun.status;
  for await (const frame of frames) {
    if (!("seq" in frame)) continue;
    if (frame.seq > begun.seq) onEvent(frame);
    if (frame.type === "session.updated") ({ status } = frame);
    if (frame.seq < begun.seq) continue;
    if (isOver(status, until)) {
      const found = await readStatus(tree, session_id);
      // If it has moved on since, those events will arrive too.
      if (found.status === status) return found;
    }
    if (frame.seq === begun.seq) patience.caughtUp();
  }
  if (signal.aborted) return undefined;
  // The journal ended by itself, so the session has ended.
  return readStatus(tree, session_id);
}

/** How long a wait lasts. The time to learn the session's state at all does not count, up to a bound. */
class Patience {
  readonly #give: () => void;
  readonly #timers: readonly NodeJS.Timeout[];
  #over = false;
  #knows = false;

  constructor(ms: number, give: () => void) {
    this.#give = give;
    const isOver = (): void => {
      this.#over = true;
      if (this.#knows) give();
    };
    this.#timers = [setTimeout(isOver, ms), setTimeout(give, ms + LIMITS.mcpCatchUpMs)];
  }

  caughtUp(): void {
    this.#knows = true;
    if (this.#over) this.#give();
  }

  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}

export async function readStatus(tree: ClaudeTree, session_id: string): Promise<SessionStatus> {
  return JSON.parse(await readText(tree, sessionPath(session_id, "status"))) as SessionStatus;
}

/** A session that has ended, or that only a prompt or a person can move, is no longer waited for. */
function isOver(status: string, until: readonly WaitState[]): boolean {
  switch (status) {
    case "complete":
    case "failed":
      return true;
    case "idle":
    case "ready":
    case "paused":
      return until.includes("idle");
    case "pending_approval":
      return until.includes("pending_approval");
    default:
      return false;
  }
}

async function withDetails(tree: ClaudeTree, session_id: string, found: SessionStatus): Promise<object> {
  if (found.status === "pending_approval") {
    const pending_tools = JSON.parse(await readText(tree, sessionPath(session_id, "tools/pending"))) as unknown;
    return { ...found, pending_tools };
  }
  if (!isOver(found.status, ["idle"])) return found;
  try {
    return { ...found, response: await readText(tree, sessionPath(session_id, "response")) };
  } catch (error) {
    // There is none before the first turn has ended, and none of a failed turn.
    if (error instanceof Failure) return found;
    throw error;
  }
}
