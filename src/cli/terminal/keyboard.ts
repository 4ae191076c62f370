import { clearScreenDown, createInterface, cursorTo, type Interface } from "node:readline";
import { Writable } from "node:stream";
import type { TerminalInput, TerminalOutput } from "../surroundings.ts";

/** Shows readline's output only while a question is open; keys pressed before are forgotten. */
class Curtain extends Writable {
  readonly #screen: TerminalOutput;
  open = false;

  constructor(screen: TerminalOutput) {
    super({ decodeStrings: false });
    this.#screen = screen;
    screen.on("resize", () => this.emit("resize"));
  }

  get columns(): number | undefined {
    return this.#screen.columns;
  }

  override _write(chunk: string, _encoding: BufferEncoding, done: () => void): void {
    if (this.open) this.#screen.write(chunk);
    done();
  }
}

export interface KeyboardOptions {
  readonly input: TerminalInput;
  readonly screen: TerminalOutput;
  /** Lines can be edited and Ctrl-C arrives as a key; otherwise plain lines are read. */
  readonly terminal: boolean;
  readonly onInterrupt: () => void;
}

interface LineWaiter {
  readonly resolve: (line: string | undefined) => void;
}

/** Reads a person's lines. A line typed without a question is dropped, so that nothing is approved by typing ahead. */
export class Keyboard {
  readonly #options: KeyboardOptions;
  readonly #curtain: Curtain;
  readonly #lines: Interface;
  #waiting: LineWaiter | undefined;
  #closed = false;

  constructor(options: KeyboardOptions) {
    this.#options = options;
    this.#curtain = new Curtain(options.screen);
    this.#lines = createInterface({
      input: options.input,
      output: this.#curtain,
      terminal: options.terminal,
      historySize: 0,
    });
    this.#lines.on("line", (line) => this.#answer(line));
    this.#lines.on("SIGINT", options.onInterrupt);
    this.#lines.on("close", () => {
      this.#closed = true;
      this.#answer(undefined);
    });
  }

  /** No answer can come any more. */
  get closed(): boolean {
    return this.#closed;
  }

  /** A line after a prompt; undefined when the question was withdrawn, or nobody can answer any more. */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    if (this.#closed || signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const withdraw = (): void => {
        this.#wipe();
        this.#answer(undefined);
      };
      signal.addEventListener("abort", withdraw, { once: true });
      this.#waiting = {
        resolve: (line) => {
          signal.removeEventListener("abort", withdraw);
          resolve(line);
        },
      };
      if (this.#options.terminal) this.#lines.write(null, { ctrl: true, name: "u" });
      this.#curtain.open = true;
      this.#lines.setPrompt(prompt);
      this.#lines.prompt();
    });
  }

  /** Hands the terminal to another program for a while, such as an editor. */
  async lend<Result>(use: () => Promise<Result>): Promise<Result> {
    this.#lines.pause();
    if (this.#options.terminal) this.#options.input.setRawMode?.(false);
    try {
      return await use();
    } finally {
      if (this.#options.terminal) this.#options.input.setRawMode?.(true);
      if (!this.#closed) this.#lines.resume();
    }
  }

  close(): void {
    this.#lines.close();
  }

  #wipe(): void {
    if (!this.#options.terminal) {
      this.#options.screen.write("\n");
      return;
    }
    this.#lines.write(null, { ctrl: true, name: "u" });
    cursorTo(this.#curtain, 0);
    clearScreenDown(this.#curtain);
  }

  #answer(line: string | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#curtain.open = false;
    waiting?.resolve(line);
  }
}
