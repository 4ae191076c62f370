import { LIMITS } from "../../protocol/index.ts";

/** A started run: its thread, and the journal event to read on from. */
export interface BridgeRun {
  readonly session_id: string;
  /** Exclusive. */
  readonly after: number;
}

interface Member {
  /** Shows a run to the client, if it may see it. */
  follow(run: BridgeRun): void;
}

/** What all clients of `/bridge` share: each is told about every run that one of them starts. */
export class Bridge {
  readonly #members = new Set<Member>();
  /** Threads that ran here since the server started, the newest last. */
  readonly #recent = new Set<string>();

  get recent(): readonly string[] {
    return [...this.#recent];
  }

  join(member: Member, closed: AbortSignal): void {
    if (closed.aborted) return;
    this.#members.add(member);
    closed.addEventListener("abort", () => this.#members.delete(member), { once: true });
  }

  announce(run: BridgeRun): void {
    this.#recent.delete(run.session_id);
    this.#recent.add(run.session_id);
    const [oldest] = this.#recent;
    if (oldest !== undefined && this.#recent.size > LIMITS.bridgeReplayThreads) this.#recent.delete(oldest);
    for (const member of this.#members) member.follow(run);
  }
}
