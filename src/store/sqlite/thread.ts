import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { ThreadJob, WriterData } from "./messages.ts";

/** A thread in which stores write. Who opens many stores in one process may give all of them the same one: a thread costs more than a store. */
export class StoreThread {
  readonly #worker: Worker;
  /** How it ended; absent: nobody knows. */
  #why: string | undefined;

  constructor() {
    this.#worker = new Worker(new URL("./writer.js", import.meta.url), {
      name: "store",
      // Options of the program that opens it, such as --input-type, are not for this thread.
      execArgv: [],
    });
    this.#worker.on("error", (error: unknown) => {
      this.#why = `failed: ${String(error)}`;
    });
    this.#worker.once("exit", (code) => {
      this.#why ??= `ended with code ${code}`;
    });
  }

  get why(): string {
    return this.#why ?? "ended";
  }

  /** Begins to write for a store. The port is closed at the end of the store or of the thread. */
  write(data: WriterData): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const job: ThreadJob = { data, port: port2 };
    this.#worker.postMessage(job, [port2]);
    return port1;
  }

  /** It no longer keeps the process alive. */
  unref(): void {
    this.#worker.unref();
  }

  /** After the end of its stores. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
