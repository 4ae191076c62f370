import { Failure, firstAbort, LIMITS } from "../protocol/index.ts";
import type { DatabaseCaller } from "./database.ts";

/** Something that runs one statement at a time: a process, a connection. */
export interface Lane {
  /** True: it cannot be used again. */
  readonly isDead: boolean;
  close(): Promise<void>;
}

export interface LanesOptions<Kind extends Lane> {
  readonly open: (signal: AbortSignal) => Promise<Kind>;
  /** Calls back once after `ms`; call the returned function to cancel. */
  readonly after: (ms: number, callback: () => void) => () => void;
}

/** The principal of connection tests: not one of the tokens. */
export const TESTER = "";

interface LaneWaiter {
  readonly principal: string;
  go(): void;
  stop(error: Failure): void;
}

interface RestingLane<Kind extends Lane> {
  readonly lane: Kind;
  readonly keep: () => void;
}

/** A few lanes for all users of one database: opened when needed, closed when idle, never more than the limit, and never all for one principal. */
export class Lanes<Kind extends Lane> {
  readonly #options: LanesOptions<Kind>;
  readonly #resting: RestingLane<Kind>[] = [];
  readonly #waiting: LaneWaiter[] = [];
  /** What `close` waits for: running statements and closing lanes. */
  readonly #open = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();
  #taken = 0;
  /** The number of lanes that each principal holds. */
  readonly #held = new Map<string, number>();

  constructor(options: LanesOptions<Kind>) {
    this.#options = options;
  }

  async use<Answer>(
    { principal, signal: caller }: DatabaseCaller,
    work: (lane: Kind, signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    // The connection lives as long as the server, and a caller may ask often.
    const { signal, release } = firstAbort(caller, this.#stopping.signal);
    try {
      refuseAborted(signal);
      await this.#turn(principal, signal);
      const used = this.#run(signal, work).finally(() => this.#leave(principal));
      return await this.#track(used);
    } finally {
      release();
    }
  }

  /** Ends running statements, refuses waiting ones; resolves when nothing is left. */
  async close(): Promise<void> {
    this.#stopping.abort(new Failure("shutting_down", "the connection was closed; ask again"));
    while (this.#resting.length > 0) this.#rest(this.#resting.pop());
    while (this.#open.size > 0) await Promise.allSettled(this.#open);
  }

  async #run<Answer>(signal: AbortSignal, work: (lane: Kind, signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const lane = await this.#take(signal);
    try {
      refuseAborted(signal);
      return await work(lane, signal);
    } finally {
      this.#giveBack(lane);
    }
  }

  #take(signal: AbortSignal): Promise<Kind> {
    for (;;) {
      const known = this.#resting.pop();
      if (known === undefined) return this.#options.open(signal);
      known.keep();
      if (!known.lane.isDead) return Promise.resolve(known.lane);
      this.#end(known.lane);
    }
  }

  #giveBack(lane: Kind): void {
    if (lane.isDead || this.#stopping.signal.aborted) {
      this.#end(lane);
      return;
    }
    const keep = this.#options.after(LIMITS.connectionIdleMs, () => {
      const index = this.#resting.findIndex((resting) => resting.lane === lane);
      if (index >= 0) this.#rest(this.#resting.splice(index, 1)[0]);
    });
    this.#resting.push({ lane, keep });
  }

  #rest(resting: RestingLane<Kind> | undefined): void {
    if (resting === undefined) return;
    resting.keep();
    this.#end(resting.lane);
  }

  #end(lane: Kind): void {
    this.#track(lane.close().catch(() => undefined)).catch(() => undefined);
  }

  #track<Answer>(work: Promise<Answer>): Promise<Answer> {
    const done = work.finally(() => this.#open.delete(done));
    this.#open.add(done);
    // The owner gets the failure; here it is only waited for.
    done.catch(() => undefined);
    return done;
  }

  /** Resolves when this caller has a lane. */
  #turn(principal: string, signal: AbortSignal): Promise<void> {
    if (this.#mayGo(principal)) {
      this.#hold(principal);
      return Promise.resolve();
    }
    this.#refuseFull(principal);
    return new Promise((resolve, reject) => {
      const give = (): void => waiter.stop(abortedBy(signal));
      const waiter: LaneWaiter = {
        principal,
        go: () => {
          signal.removeEventListener("abort", give);
          resolve();
        },
        stop: (error) => {
          this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
          reject(error);
        },
      };
      signal.addEventListener("abort", give, { once: true });
      this.#waiting.push(waiter);
    });
  }

  #mayGo(principal: string): boolean {
    return (
      this.#taken < LIMITS.connectionConcurrent &&
      (this.#held.get(principal) ?? 0) < LIMITS.connectionPrincipalConcurrent
    );
  }

  #hold(principal: string): void {
    this.#taken += 1;
    this.#held.set(principal, (this.#held.get(principal) ?? 0) + 1);
  }

  #refuseFull(principal: string): void {
    if (this.#waiting.length >= LIMITS.connectionQueue)
      throw new Failure("queue_full", `${LIMITS.connectionQueue} statements wait for this connection; try again later`);
    if (this.#waiting.filter((waiter) => waiter.principal === principal).length >= LIMITS.connectionPrincipalQueue)
      throw new Failure(
        "queue_full",
        `${LIMITS.connectionPrincipalQueue} of your statements wait for this connection; wait for their answers or cancel some, then ask again`,
      );
  }

  /** The longest waiting goes next, except principals that already hold their maximum. Only one waiter can become eligible here. */
  #leave(principal: string): void {
    this.#taken -= 1;
    const left = (this.#held.get(principal) ?? 0) - 1;
    if (left > 0) this.#held.set(principal, left);
    else this.#held.delete(principal);
    const index = this.#waiting.findIndex((waiter) => this.#mayGo(waiter.principal));
    const [next] = index < 0 ? [] : this.#waiting.splice(index, 1);
    if (next === undefined) return;
    this.#hold(next.principal);
    next.go();
  }
}

/** What an aborted signal means to its caller. */
export function abortedBy(signal: AbortSignal): Failure {
  return signal.reason instanceof Failure ? signal.reason : new Failure("aborted", "the statement was cancelled");
}

function refuseAborted(signal: AbortSignal): void {
  if (signal.aborted) throw abortedBy(signal);
}
