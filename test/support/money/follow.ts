import type { SallyportClient } from "../../../src/client/index.ts";
import {
  BUDGET_TOOL,
  isTerminal,
  type Approval,
  type JournalEvent,
  type Shortage,
} from "../../../src/protocol/index.ts";

type Terminal = Extract<JournalEvent, { type: "turn.completed" | "turn.failed" }>;

/** A session's journal, read as it grows. Each event is found once: `next…` looks behind what was found before. */
export class Follow {
  readonly #events: JournalEvent[] = [];
  readonly #stop = new AbortController();
  readonly #waiting = new Set<() => void>();
  readonly #reading: Promise<void>;
  #found = 0;
  #ended: Error | undefined;

  constructor(client: SallyportClient, session_id: string, after = 0) {
    this.#reading = this.#read(client, session_id, after);
  }

  get events(): readonly JournalEvent[] {
    return this.#events;
  }

  /** The next event of which `match` says yes. */
  async next<Found extends JournalEvent>(match: (event: JournalEvent) => event is Found): Promise<Found> {
    for (;;) {
      while (this.#found < this.#events.length) {
        const event = this.#events[this.#found];
        this.#found += 1;
        if (event !== undefined && match(event)) return event;
      }
      if (this.#ended !== undefined) throw this.#ended;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** The next question for money. A turn that ends before it is a failure. */
  async question(): Promise<Approval & { readonly shortage: Shortage }> {
    const event = await this.next(isQuestionOrEnd);
    if (event.type !== "approval.requested")
      throw new Error(`the turn ended without a question: ${JSON.stringify(event)}`);
    const { preview } = event.approval;
    if (preview.type !== "budget") throw new Error(`not a question for money: ${event.approval.tool}`);
    return { ...event.approval, shortage: preview.shortage };
  }

  async resolution(): Promise<Extract<JournalEvent, { type: "approval.resolved" }>> {
    return this.next((event) => event.type === "approval.resolved");
  }

  /** The end of the turn; a question before it is a failure. */
  async end(): Promise<Terminal> {
    const event = await this.next(isQuestionOrEnd);
    if (event.type === "approval.requested") throw new Error(`it asks again: ${event.approval.reason}`);
    return event;
  }

  /** The end of the turn, whatever was asked before. */
  async anyEnd(): Promise<Terminal> {
    return this.next((event): event is Terminal => isTerminal(event));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#reading;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #read(client: SallyportClient, session_id: string, after: number): Promise<void> {
    try {
      for await (const frame of client.watch(session_id, { after, signal: this.#stop.signal })) {
        if (!("seq" in frame)) continue;
        this.#events.push(frame);
        this.#wake();
      }
      this.#ended = new Error(`the journal of ${session_id} ended`);
    } catch (error) {
      this.#ended = error instanceof Error ? error : new Error(String(error));
    }
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

function isQuestionOrEnd(
  event: JournalEvent,
): event is Extract<JournalEvent, { type: "approval.requested" }> | Terminal {
  return isTerminal(event) || (event.type === "approval.requested" && event.approval.tool === BUDGET_TOOL);
}
