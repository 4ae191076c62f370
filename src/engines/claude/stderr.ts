import { LIMITS } from "../../protocol/index.ts";

/** Remarks that are no complaint. */
const CHATTER = /^\[claude-code:[a-z_]+\].*$/gm;

/** The end of what a program writes to stderr. */
export class StderrTail {
  #kept = "";

  add(chunk: string): void {
    this.#kept = (this.#kept + chunk).slice(-LIMITS.engineStderrChars);
  }

  get text(): string {
    return this.#kept.replaceAll(CHATTER, "").trim();
  }
}
