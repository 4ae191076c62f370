import type { EditText } from "../terminal/editor.ts";
import type { Keyboard } from "../terminal/keyboard.ts";
import type { Screen } from "../terminal/screen.ts";

/** What a question to a person needs. */
export interface AskContext {
  readonly keyboard: Keyboard;
  readonly screen: Screen;
  readonly edit: EditText;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}
