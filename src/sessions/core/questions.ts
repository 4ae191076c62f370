import { defined, SYSTEM, type Approval, type JournalEvent } from "../../protocol/index.ts";
import type { Clock } from "../dependencies.ts";
import type { GivenAnswer } from "./state.ts";
import { atWallTime } from "../lifecycle/wall-time.ts";

const WITHDRAWN: GivenAnswer = { outcome: "cancelled", by: SYSTEM };

/** Whether the time for an answer is over by the wall clock. A timer alone does not decide. */
export function isOverdue({ status, expires_at }: Approval, now: number): boolean {
  return status === "pending" && expires_at !== undefined && Date.parse(expires_at) <= now;
}

/** The questions of one session that wait for a person, with their timers and waiting callers. */
export class Questions {
  readonly #pending = new Map<string, Approval>();
  /** Answered, and not on the disk yet. */
  readonly #answered = new Set<string>();
  readonly #waiters = new Map<string, (answer: GivenAnswer) => void>();
  readonly #timers = new Map<string, () => void>();
  /** Resolves when every earlier call is allowed, refused or asked about. */
  #order: Promise<void> = Promise.resolve();
  readonly #clock: Clock;
  readonly #expired: (approval_id: string) => void;

  constructor(clock: Clock, expired: (approval_id: string) => void) {
    this.#clock = clock;
    this.#expired = expired;
  }

  /** A place in the order of calls: questions are asked in this order, however long each preview takes. */
  enter(): { readonly turn: Promise<void>; readonly pass: () => void } {
    const turn = this.#order;
    let pass = (): void => undefined;
    const passed = new Promise<void>((resolve) => {
      pass = resolve;
    });
    this.#order = turn.then(() => passed);
    return { turn, pass };
  }

  get(id: string): Approval | undefined {
    return this.#pending.get(id);
  }

  ids(): readonly string[] {
    return [...this.#pending.keys()];
  }

  /** When the first of them was asked, milliseconds since the epoch; absent: there are none. */
  get oldest(): number | undefined {
    const asked = [...this.#pending.values()].map(({ created_at }) => Date.parse(created_at));
    return asked.length === 0 ? undefined : Math.min(...asked);
  }

  /** The approval rows that an event changes. */
  rowsOf(event: JournalEvent): readonly Approval[] {
    if (event.type === "approval.requested") {
      this.add(event.approval);
      return [event.approval];
    }
    if (event.type !== "approval.resolved" && event.type !== "approval.extended") return [];
    const approval = this.#pending.get(event.approval_id);
    if (approval === undefined) return [];
    this.#pending.delete(approval.id);
    if (event.type === "approval.resolved") this.#answered.add(approval.id);
    this.#timers.get(approval.id)?.();
    this.#timers.delete(approval.id);
    if (event.type === "approval.extended") {
      const extended = { ...approval, expires_at: event.expires_at };
      this.add(extended);
      return [extended];
    }
    const { outcome, by, feedback, scope, granted_rule, updated_input, interrupt } = event;
    return [
      {
        ...approval,
        status: outcome,
        resolved_at: event.at,
        resolved_by: by,
        ...defined({ feedback, scope, granted_rule, updated_input, interrupt }),
      },
    ];
  }

  add(approval: Approval): void {
    this.#pending.set(approval.id, approval);
    if (approval.expires_at === undefined) return;
    const at = Date.parse(approval.expires_at);
    // If the clock was set back before a restart, the question still gets no more than its whole time.
    const atMostMs = Math.max(0, at - Math.max(this.#clock.now(), Date.parse(approval.created_at)));
    const callback = (): void => this.#expired(approval.id);
    this.#timers.set(approval.id, atWallTime(this.#clock, { at, atMostMs, callback }));
  }

  /** A question that was answered before anybody waited was withdrawn with its turn: while the turn is open, its answer is known there. */
  wait(approval_id: string): Promise<GivenAnswer> {
    if (!this.#pending.has(approval_id) && !this.#answered.has(approval_id)) return Promise.resolve(WITHDRAWN);
    return new Promise((resolve) => {
      this.#waiters.set(approval_id, resolve);
    });
  }

  /** An answer is on the disk: the waiting call continues. */
  settle(approval_id: string, answer: GivenAnswer): void {
    const waiter = this.#waiters.get(approval_id);
    this.#answered.delete(approval_id);
    this.#waiters.delete(approval_id);
    waiter?.(answer);
  }

  stopClocks(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }
}
