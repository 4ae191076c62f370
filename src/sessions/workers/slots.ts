import { workerNumber, type PoolConfig } from "../../protocol/index.ts";
import type { Worker } from "./worker.ts";

/** The places of the pool, by number, and who is in them. */
export class WorkerSlots {
  readonly #workers = new Map<string, Worker>();
  /** By session. One that is about to end may still be there beside a new one. */
  readonly #newest = new Map<string, Worker>();
  readonly #config: () => PoolConfig;

  constructor(config: () => PoolConfig) {
    this.#config = config;
  }

  get size(): number {
    return this.#workers.size;
  }

  /** By number. */
  get all(): readonly Worker[] {
    return [...this.#workers.values()].toSorted((one, other) => workerNumber(one.id) - workerNumber(other.id));
  }

  in(id: string): Worker | undefined {
    return this.#workers.get(id);
  }

  of(session_id: string): Worker | undefined {
    return this.#newest.get(session_id);
  }

  /** A place that is free now. `pin`: the only one that will do. Undefined: there is none. */
  free(pin: string | undefined): string | undefined {
    const { max_workers, pins = {} } = this.#config();
    if (this.#workers.size >= max_workers) return undefined;
    if (pin !== undefined) return this.#workers.has(pin) || workerNumber(pin) > max_workers ? undefined : pin;
    const reserved = new Set(Object.values(pins));
    for (let number = 1; number <= max_workers; number += 1) {
      const id = `w${number}`;
      if (!this.#workers.has(id) && !reserved.has(id)) return id;
    }
    return undefined;
  }

  add(worker: Worker): void {
    this.#workers.set(worker.id, worker);
    this.#newest.set(worker.session_id, worker);
  }

  /** False: it was not there any more. */
  remove(worker: Worker): boolean {
    if (this.#workers.get(worker.id) !== worker) return false;
    if (this.#newest.get(worker.session_id) === worker) this.#newest.delete(worker.session_id);
    return this.#workers.delete(worker.id);
  }

  /** Two places change their numbers; the second one may be empty. */
  exchange(worker: Worker, id: string): void {
    const other = this.#workers.get(id);
    const before = worker.id;
    this.#workers.delete(before);
    worker.id = id;
    this.#workers.set(id, worker);
    if (other === undefined || other === worker) return;
    other.id = before;
    this.#workers.set(before, other);
  }
}
