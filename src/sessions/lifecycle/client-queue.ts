/** Something that waits for its turn. */
export interface ClientTask {
  /** Never rejects. */
  run(): Promise<void>;
  /** It will not be run. Absent: it is always run. */
  drop?(): void;
}

/** Work of clients in one client session, done one after the other. */
export class ClientQueue {
  #waiting: ClientTask[] = [];
  #running: ClientTask | undefined;

  get running(): ClientTask | undefined {
    return this.#running;
  }

  add(task: ClientTask): void {
    this.#waiting.push(task);
    if (this.#running === undefined) void this.#work();
  }

  /** Drops what has not begun and can be dropped. */
  dropWaiting(): readonly ClientTask[] {
    const dropped = this.#waiting.filter((task) => task.drop !== undefined);
    this.#waiting = this.#waiting.filter((task) => task.drop === undefined);
    for (const task of dropped) task.drop?.();
    return dropped;
  }

  async #work(): Promise<void> {
    for (let task = this.#waiting.shift(); task !== undefined; task = this.#waiting.shift()) {
      this.#running = task;
      await task.run();
    }
    this.#running = undefined;
  }
}
