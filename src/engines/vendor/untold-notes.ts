import { LIMITS } from "../../protocol/index.ts";

interface NotedEnd {
  /** What the model must be told of this turn. Absent: nothing. */
  readonly note: string | undefined;
  /** The process took the prompt, and with it what was due. */
  readonly isTold: boolean;
  readonly isCompleted: boolean;
}

/**
 * What a model must still be told of turns that were stopped, because its program kept it to itself. A process knows what it was told.
 * What outlives it is only sure of a turn that was completed: until then all is told again to the next process.
 */
export class UntoldNotes {
  readonly #kept: () => string | undefined;
  #process: object | undefined;
  /** Of the current process, once a turn has ended in it. */
  #alive: { readonly note: string | undefined } | undefined;

  /** `kept`: what was written down at the end of the last turn. */
  constructor(kept: () => string | undefined) {
    this.#kept = kept;
  }

  /** For the next prompt, in this process. Absent: nothing. */
  due(process: object): string | undefined {
    if (this.#process !== process) this.#alive = undefined;
    this.#process = process;
    return this.#due;
  }

  /** A turn has ended. Answers what must be written down. `process`: the one that the turn was in; absent: none any more. */
  ended({ note, isTold, isCompleted }: NotedEnd, process: object | undefined): string | undefined {
    if (process !== undefined && process === this.#process)
      this.#alive = { note: isTold ? note : joinedNotes(this.#due, note) };
    return isCompleted ? note : joinedNotes(this.#kept(), note);
  }

  get #due(): string | undefined {
    return this.#alive === undefined ? this.#kept() : this.#alive.note;
  }
}

/** The newest words of both. */
function joinedNotes(before: string | undefined, note: string | undefined): string | undefined {
  const notes = [before, note].filter((words) => words !== undefined);
  return notes.length === 0 ? undefined : notes.join("\n\n").slice(-LIMITS.engineHistoryPartChars);
}
