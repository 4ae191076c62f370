import type { Clock } from "../../src/sessions/index.ts";

interface Alarm {
  /** On the clock of `elapsed`. */
  readonly at: number;
  readonly ring: () => void;
  readonly timer: NodeJS.Timeout;
}

/** The machine's clocks, which a test can move. */
export class MovableClock implements Clock {
  /** Between moves time does not go by: so a test can say what is true a millisecond before something. */
  readonly #stands: { readonly now: number; readonly elapsed: number } | undefined;
  #wall = 0;
  #elapsed = 0;
  readonly #alarms = new Set<Alarm>();
  readonly #awaited = new Map<number, () => void>();

  constructor({ stands = false }: { readonly stands?: boolean } = {}) {
    this.#stands = stands ? { now: Date.now(), elapsed: Math.ceil(performance.now()) } : undefined;
  }

  now(): number {
    return (this.#stands?.now ?? Date.now()) + this.#wall;
  }

  elapsed(): number {
    return (this.#stands?.elapsed ?? performance.now()) + this.#elapsed;
  }

  after(ms: number, callback: () => void): () => void {
    const ring = (): void => {
      stop();
      callback();
    };
    const timer = setTimeout(ring, Math.min(ms, 2 ** 31 - 1));
    timer.unref();
    const alarm = { at: this.elapsed() + ms, ring, timer };
    const stop = (): void => {
      clearTimeout(timer);
      this.#alarms.delete(alarm);
    };
    this.#alarms.add(alarm);
    this.#awaited.get(ms)?.();
    return stop;
  }

  /** Resolves with the next wait of exactly so long. */
  nextWait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited.set(ms, () => {
        this.#awaited.delete(ms);
        resolve();
      });
    });
  }

  /** So much time goes by: both clocks move, and what is due then happens. */
  pass(ms: number): void {
    this.#wall += ms;
    this.#elapsed += ms;
    const due = [...this.#alarms].filter(({ at }) => at <= this.elapsed());
    for (const { ring } of due.toSorted((one, other) => one.at - other.at)) ring();
  }

  /** The machine sleeps, or somebody sets its clock: only the wall clock moves. */
  jump(ms: number): void {
    this.#wall += ms;
  }
}
