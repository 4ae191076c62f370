import { PassThrough } from "node:stream";
import { Keyboard } from "../../src/cli/terminal/keyboard.ts";
import { paintFor } from "../../src/cli/terminal/paint.ts";
import { Screen } from "../../src/cli/terminal/screen.ts";
import type { AskContext } from "../../src/cli/ask/asking.ts";
import type { Approval } from "../../src/protocol/index.ts";

/** A terminal made of streams: what a person types goes in, what they read comes out. */
export class Stage {
  readonly input = new PassThrough();
  readonly output = new PassThrough({ encoding: "utf8" });
  readonly errors = new PassThrough({ encoding: "utf8" });
  readonly screen: Screen;
  readonly keyboard: Keyboard;
  /** Everything, in the order it was written. */
  text = "";
  interrupts = 0;
  #read = 0;
  #waiting: { readonly done: () => boolean; readonly resolve: () => void } | undefined;

  constructor({ terminal = false } = {}) {
    for (const stream of [this.output, this.errors]) {
      stream.on("data", (chunk: string) => {
        this.text += chunk;
        this.#wake();
      });
    }
    this.screen = new Screen({ output: this.output, errors: this.errors, paint: paintFor({}, {}) });
    this.keyboard = new Keyboard({
      input: this.input,
      screen: this.errors,
      terminal,
      onInterrupt: () => {
        this.interrupts += 1;
      },
    });
  }

  asking(edit: AskContext["edit"] = async (text) => text): AskContext {
    return { keyboard: this.keyboard, screen: this.screen, edit, now: () => Date.parse("2026-01-01T00:00:00.000Z") };
  }

  /** Waits for words that come after those that were waited for before. */
  async reads(words: string): Promise<void> {
    await this.#until(() => this.text.includes(words, this.#read));
    this.#read = this.text.indexOf(words, this.#read) + words.length;
  }

  /** Answers the question that is open, or the next one: what is typed before it is open is dropped. */
  async types(line: string): Promise<void> {
    await this.#until(() => this.text.endsWith("› "));
    this.#read = this.text.length;
    this.input.write(`${line}\n`);
  }

  #until(done: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = { done, resolve };
      this.#wake();
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    if (waiting === undefined || !waiting.done()) return;
    this.#waiting = undefined;
    waiting.resolve();
  }
}

/** A question about writing a file of one line. */
export function writeApproval(change: Partial<Approval> = {}): Approval {
  return {
    id: "apr_1",
    session_id: "ses_1",
    turn_id: "turn_1",
    item_id: "item_1",
    tool: "Write",
    tool_use_id: "tu_1",
    tier: "write",
    input: { file_path: "/w/a.txt", content: "new" },
    input_hash: "hash",
    preview: {
      type: "diff",
      file: {
        file_path: "/w/a.txt",
        is_new_file: false,
        original_content: "old\n",
        new_content: "new",
        diff: "--- a//w/a.txt\n+++ b//w/a.txt\n@@ -1 +1 @@\n-old\n+new",
        added: 1,
        removed: 1,
        effects: ["keeps mode 755"],
      },
      details: {},
    },
    warnings: [],
    reason: "supervised: writes are asked for",
    session_rule: "Edit(/w/**)",
    unattended: "deny",
    created_at: "2026-01-01T00:00:00.000Z",
    expires_at: "2026-01-01T00:05:00.000Z",
    status: "pending",
    ...change,
  };
}
