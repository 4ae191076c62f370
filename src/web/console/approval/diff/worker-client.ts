import type { ColouredLine } from "../../code/highlighter.ts";
import type { WorkerQuestion, WorkerAnswer } from "./messages.ts";
import { t } from "../../../ui/language/t.ts";

type WorkerListener = (told: WorkerAnswer) => void;

/** The one worker for all diffs and all code of the page. It is started with the first of them. */
class DiffWorkerClient {
  readonly #listeners = new Map<number, WorkerListener>();
  #worker: Worker | undefined;
  #last = 0;

  /** Shows a patch until `close`. The listener hears what the worker tells about it. */
  open(
    patch: string,
    path: string,
    listener: WorkerListener,
  ): { ask(wanted: Omit<RowsAsk, "type" | "id">): void; close(): void } {
    this.#last += 1;
    const id = this.#last;
    this.#listeners.set(id, listener);
    this.#send({ type: "open", id, patch, path });
    return {
      ask: (wanted) => this.#send({ type: "rows", id, ...wanted }),
      close: () => {
        this.#listeners.delete(id);
        this.#send({ type: "close", id });
      },
    };
  }

  /** The colours of a piece of code, line by line. None: the language is unknown, or could not be loaded. */
  colour(code: string, language: string): Promise<readonly ColouredLine[]> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve) => {
      this.#listeners.set(id, (told) => {
        this.#listeners.delete(id);
        resolve(told.type === "coloured" ? told.lines : []);
      });
      this.#send({ type: "colour", id, code, language });
    });
  }

  #send(ask: WorkerQuestion): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(ask, {});
  }

  #start(): Worker {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<WorkerAnswer>) => this.#listeners.get(data.id)?.(data));
    worker.addEventListener("error", () => {
      for (const [id, listener] of this.#listeners) {
        listener({ type: "failed", id, message: t("the part of the page that reads diffs could not be loaded") });
      }
    });
    return worker;
  }
}

type RowsAsk = Extract<WorkerQuestion, { type: "rows" }>;

export const diffWorker = new DiffWorkerClient();
