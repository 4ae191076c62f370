import { LIMITS } from "../../protocol/index.ts";
import { clip, visible } from "../terminal/visible.ts";
import { count } from "../terminal/words.ts";

/** The output of one command: its first lines at once, its last ones at the end, and the number of lines between. */
export class LiveOutput {
  readonly #print: (line: string) => void;
  #rest = "";
  #lines = 0;
  #tail: string[] = [];

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  get empty(): boolean {
    return this.#lines === 0 && this.#rest === "";
  }

  add(text: string): void {
    const lines = `${this.#rest}${text}`.split("\n");
    this.#rest = (lines.pop() ?? "").slice(-LIMITS.terminalLineChars * 4);
    for (const line of lines) this.#take(line);
  }

  end(): void {
    if (this.#rest !== "") this.#take(this.#rest);
    this.#rest = "";
    const hidden = this.#lines - LIMITS.terminalOutputHead - this.#tail.length;
    if (hidden > 0) this.#print(`… ${count(hidden, "more line")}`);
    for (const line of this.#tail) this.#print(line);
    this.#tail = [];
  }

  #take(line: string): void {
    this.#lines += 1;
    // A progress bar overwrites itself: only its last state counts.
    const last = line.split("\r").findLast((part) => part !== "") ?? "";
    const shown = clip(visible(last), LIMITS.terminalLineChars);
    if (this.#lines <= LIMITS.terminalOutputHead) {
      this.#print(shown);
      return;
    }
    this.#tail.push(shown);
    if (this.#tail.length > LIMITS.terminalOutputTail) this.#tail.shift();
  }
}
