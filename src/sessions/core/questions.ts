import { type Approval, type JournalEvent } from "../../protocol/index.ts";
import type { Clock } from "../dependencies.ts";
import type { QuestionedCall } from "./state.ts";
import { atWallTime } from "../lifecycle/wall-time.ts";

export type GivenAnswer = NonNullable<QuestionedCall["answer"]>;

/** True when the time for an answer is over by the clock on the wall, whatever a timer says. */
export function isOverdue({ status, expires_at }: Approval, now: number): boolean {
  return status === "pending" && expires_at !== undefined && Date.parse(expires_at) <= now;
}

/** The questions of one session that wait for a person: whole, with their clocks and with whoever waits for the answer. */
export class Questions {
  readonly #pending = new Map<string, Approval>();
  readonly #waiters = new Map<string, (answer: GivenAnswer) => void>();
  readonly #timers = new Map<string, () => void>();
  /** Resolves when every call that came before is allowed, refused or asked about. */
  #order: Promise<void> = Promise.resolve();
  readonly #clock: Clock;
  readonly #expired: (approval_id: string) => void;

  constructor(clock: Clock, expired: (approval_id: string) => void) {
    this.#clock = clock;
    this.#expired = expired;
  }

  /** A place in the order in which calls came: questions are asked in it, however long each preview takes. */
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

  /** When the first of them was asked, milliseconds since the epoch; absent: none waits. */
  get oldest(): number | undefined {
    const asked = [...this.#pending.values()].map(({ created_at }) => Date.parse(created_at));
    return asked.length === 0 ? undefined : Math.min(...asked);
  }

  /** The rows that an event changes. */
  rowsOf(event: JournalEvent): readonly Approval[] {
    if (event.type === "approval.requested") {
      this.add(event.approval);
      return [event.approval];
    }
    if (event.type !== "approval.resolved") return [];
    const approval = this.#pending.get(event.approval_id);
    if (approval === undefined) return [];
    this.#pending.delete(approval.id);
    this.#timers.get(approval.id)?.();
    this.#timers.delete(approval.id);
    const { outcome, by, feedback, scope, updated_input, interrupt } = event;
    return [
      {
        ...approval,
        status: outcome,
        resolved_at: event.at,
        resolved_by: by,
        ...(feedback === undefined ? {} : { feedback }),
        ...(scope === undefined ? {} : { scope }),
        ...(updated_input === undefined ? {} : { updated_input }),
        ...(interrupt === undefined ? {} : { interrupt }),
      },
    ];
  }

  add(approval: Approval): void {
    this.#pending.set(approval.id, approval);
    if (approval.expires_at === undefined) return;
    const at = Date.parse(approval.expires_at);
    const atMostMs = Math.max(0, at - this.#clock.now());
    const callback = (): void => this.#expired(approval.id);
    this.#timers.set(approval.id, atWallTime(this.#clock, { at, atMostMs, callback }));
  }

  wait(approval_id: string): Promise<GivenAnswer> {
    return new Promise((resolve) => {
      this.#waiters.set(approval_id, resolve);
    });
  }

  /** An answer is on the disk: whoever waits for it goes on. */
  settle(approval_id: string, answer: GivenAnswer): void {
    const waiter = this.#waiters.get(approval_id);
    this.#waiters.delete(approval_id);
    waiter?.(answer);
  }

  stopClocks(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }
}
