import { LIMITS } from "../../protocol/index.ts";

/** Each user's newest answer from each file that answers, for shells that write and read with two commands. */
export class LastAnswers {
  readonly #answers = new Map<string, Uint8Array>();

  get(uid: number, path: string): Uint8Array | undefined {
    return this.#answers.get(`${uid}:${path}`);
  }

  /** `undefined`: it was refused, and an older answer must not be mistaken for its own. */
  set(uid: number, path: string, answer: Uint8Array | undefined): void {
    const key = `${uid}:${path}`;
    this.#answers.delete(key);
    if (answer === undefined) return;
    this.#answers.set(key, answer);
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= LIMITS.mountAnswers) break;
      this.#answers.delete(oldest);
    }
  }
}
