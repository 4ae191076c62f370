import { LIMITS, liveText, type StreamFrame } from "../../protocol/index.ts";
import type { Viewer } from "../follow.ts";
import type { Screen } from "../terminal/screen.ts";
import { clip, visible } from "../terminal/visible.ts";

interface ProgramOutputOptions {
  readonly screen: Screen;
  /** Standard output is a terminal: what would move its cursor is shown as a sign. */
  readonly isTerminal: boolean;
}

/** What a job's commands write, as they write it; and why one of them has no exit code. */
export class ProgramOutput implements Viewer {
  readonly #options: ProgramOutputOptions;
  /** Characters that were shown, by command. */
  readonly #shown = new Map<string, number>();

  constructor(options: ProgramOutputOptions) {
    this.#options = options;
  }

  take(frame: StreamFrame): void {
    if (frame.type === "item.delta") {
      if (frame.field === "output") this.#say(frame.item_id, frame.delta);
      return;
    }
    if (!("item" in frame) || frame.item.type !== "command_execution") return;
    const { item } = frame;
    const before = this.#shown.get(item.id) ?? 0;
    // Somebody who comes late is told what was written before.
    if (item.status === "in_progress") this.#say(item.id, liveText(item).slice(before));
    else if (item.exit_code === undefined) {
      const [reason = ""] = item.aggregated_output.split("\n");
      this.#options.screen.line(this.#options.screen.paint.red(clip(visible(reason), LIMITS.terminalLineChars)));
    }
  }

  #say(id: string, text: string): void {
    if (text === "") return;
    this.#shown.set(id, (this.#shown.get(id) ?? 0) + text.length);
    const { screen, isTerminal } = this.#options;
    screen.say(isTerminal ? visible(text) : text);
  }
}
