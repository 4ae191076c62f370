import { showHidden } from "../../protocol/text/hidden-text.ts";

/** Text as it is, with its hidden characters named. */
export function visible(text: string): string {
  return showHidden(text, "content");
}

/** The same for a command or a path, where nothing but plain characters is expected. */
export function visibleCommand(text: string): string {
  return showHidden(text, "command");
}
