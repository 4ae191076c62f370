import { Worker } from "node:worker_threads";
import { Failure, LIMITS } from "../../../protocol/index.ts";
import { storeFailure } from "../../failure.ts";
import { indexPathOf, removeIndexFile } from "./file.ts";
import type { FromIndex, ToIndex } from "./messages.ts";
import type { FoundTexts, StoredTextQuery, TextSearch } from "../../search.ts";

interface TextSearchOptions {
  /** The store's database, which is open. */
  readonly path: string;
  /** The journal has lost events: the index is made anew. */
  readonly acceptLoss?: boolean | undefined;
}

/** The search in the journals of a local store. Its thread starts with the first request. */
export function openTextSearch({ path, acceptLoss = false }: TextSearchOptions): TextSearch {
  const index = indexPathOf(path);
  if (acceptLoss) removeIndexFile(index);
  return new IndexThread({ journal: path, index });
}

interface WaitingAnswer {
  readonly resolve: (answer: FromIndex) => void;
  readonly reject: (failure: Failure) => void;
}

class IndexThread implements TextSearch {
  readonly #files: { readonly journal: string; readonly index: string };
  readonly #waiting = new Map<number, WaitingAnswer>();
  #worker: Worker | undefined;
  #gone: Promise<void> = Promise.resolve();
  #requests = 0;
  #isClosed = false;

  constructor(files: { readonly journal: string; readonly index: string }) {
    this.#files = files;
  }

  async search(query: StoredTextQuery, changed: readonly string[]): Promise<FoundTexts> {
    const answer = await this.#ask((id) => ({ kind: "search", id, changed, query }));
    if (answer.kind !== "found") throw refusalOf(answer);
    return answer.texts;
  }

  async follow(changed: readonly string[]): Promise<boolean> {
    const answer = await this.#ask((id) => ({ kind: "follow", id, changed }));
    if (answer.kind !== "followed") throw refusalOf(answer);
    return answer.isDone;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#send({ kind: "close" });
    await this.#gone;
  }

  #ask(request: (id: number) => ToIndex): Promise<FromIndex> {
    if (this.#isClosed) return Promise.reject(new Failure("shutting_down", "The store is closed."));
    if (this.#waiting.size >= LIMITS.searchesWaiting)
      return Promise.reject(new Failure("rate_limited", "many searches wait already; try again in a few seconds"));
    this.#worker ??= this.#start();
    this.#requests += 1;
    const id = this.#requests;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send(request(id));
    });
  }

  #send(message: ToIndex): void {
    const port = this.#worker;
    if (port !== undefined) port.postMessage(message);
  }

  #start(): Worker {
    // Options of the program that opens it, such as --input-type, are not for this thread.
    const worker = new Worker(new URL("./thread.js", import.meta.url), {
      workerData: this.#files,
      name: "search",
      execArgv: [],
    });
    let why = "its thread ended";
    worker.on("message", (answer: FromIndex) => {
      this.#waiting.get(answer.id)?.resolve(answer);
      this.#waiting.delete(answer.id);
    });
    worker.on("error", (error: unknown) => {
      why = String(error);
    });
    this.#gone = new Promise((resolve) =>
      worker.once("exit", () => {
        // The next request starts another one.
        this.#worker = undefined;
        for (const { reject } of this.#waiting.values())
          reject(storeFailure("store_failed", "The search ended before it had an answer: try again.", new Error(why)));
        this.#waiting.clear();
        resolve();
      }),
    );
    return worker;
  }
}

function refusalOf(answer: FromIndex): Failure {
  if (answer.kind !== "refused") return new Failure("internal", "The search gave the answer to another question.");
  const failure = new Failure(answer.code, answer.message);
  failure.cause = new Error(answer.why);
  return failure;
}
