import { LIMITS } from "../../protocol/index.ts";

/** Lines that are no errors. */
const CHATTER = /^\[claude-code:[a-z_]+\].*$/gm;

/** The last part of a program's stderr. */
export class StderrTail {
  #kept = "";

  add(chunk: string): void {
    this.#kept = (this.#kept + chunk).slice(-LIMITS.engineStderrChars);
  }

  get text(): string {
    return this.#kept.replaceAll(CHATTER, "").trim();
  }
}
