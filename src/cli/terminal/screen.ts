import { LIMITS } from "../../protocol/index.ts";
import type { TerminalOutput } from "../surroundings.ts";
import type { Paint } from "./paint.ts";

interface ScreenText {
  readonly to: "output" | "errors";
  readonly text: string;
  /** Leaves the line open for more of the same. */
  readonly open: boolean;
  /** Begins on a new line always, or only if the other stream left a line open. */
  readonly fresh: "always" | "after the other";
}

/**
 * What a person reads. The agent's own text goes to standard output, everything else to standard error. On a terminal
 * both form one text: a new line begins where the other stream left one open.
 */
export class Screen {
  readonly paint: Paint;
  readonly #output: TerminalOutput;
  readonly #errors: TerminalOutput;
  #open: "output" | "errors" | undefined;
  #held: ScreenText[] | undefined;
  #heldChars = 0;
  #dropped = false;

  constructor(streams: { readonly output: TerminalOutput; readonly errors: TerminalOutput; readonly paint: Paint }) {
    this.#output = streams.output;
    this.#errors = streams.errors;
    this.paint = streams.paint;
  }

  /** The agent's text; may end in the middle of a line. */
  say(text: string): void {
    this.#write({ to: "output", text, open: !text.endsWith("\n"), fresh: "after the other" });
  }

  /** The agent's thoughts: dim, also in the middle of a line. */
  murmur(text: string): void {
    this.#write({
      to: "errors",
      text: this.paint.dim(text),
      open: !text.endsWith("\n"),
      fresh: "after the other",
    });
  }

  /** A line of its own. */
  line(text: string): void {
    this.#write({ to: "errors", text: `${text}\n`, open: false, fresh: "always" });
  }

  endLine(): void {
    this.#write({ to: "errors", text: "", open: false, fresh: "always" });
  }

  /** From here on everything waits until `release`, so that a question stays in one piece. */
  hold(): void {
    this.endLine();
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    const dropped = this.#dropped;
    this.#held = undefined;
    this.#heldChars = 0;
    this.#dropped = false;
    if (dropped) this.line(this.paint.dim("… what came before this while you were asked is not shown"));
    for (const writing of held) this.#write(writing);
  }

  /** A line of the question itself, while everything else is held. */
  aside(text: string): void {
    this.#errors.write(`${text}\n`);
  }

  #write(writing: ScreenText): void {
    if (this.#held === undefined) {
      this.#put(writing);
      return;
    }
    this.#held.push(writing);
    this.#heldChars += writing.text.length;
    while (this.#heldChars > LIMITS.terminalHeldChars && this.#held.length > 1) {
      this.#heldChars -= this.#held.shift()?.text.length ?? 0;
      this.#dropped = true;
    }
  }

  #put({ to, text, open, fresh }: ScreenText): void {
    if (this.#open !== undefined && (fresh === "always" || this.#open !== to)) {
      this.#stream(this.#open).write("\n");
      this.#open = undefined;
    }
    if (text === "") return;
    this.#stream(to).write(text);
    this.#open = open ? to : undefined;
  }

  #stream(name: "output" | "errors"): TerminalOutput {
    return name === "output" ? this.#output : this.#errors;
  }
}
