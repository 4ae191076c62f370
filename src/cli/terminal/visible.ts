import { showHidden } from "../../protocol/index.ts";

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F]/g;

/**
 * Makes text from a model, a file or a program safe for a terminal. Whatever would move the cursor, change colours, or
 * hide and reorder text becomes a visible sign.
 */
export function visible(text: string): string {
  return showHidden(pictured(text), "content");
}

/** The same for a command or a path, where only plain characters are expected. */
export function visibleCommand(text: string): string {
  return showHidden(pictured(text), "command");
}

function pictured(text: string): string {
  return text.replace(CONTROLS, (character) => {
    const code = character.charCodeAt(0);
    return code === 0x7f ? "\u2421" : String.fromCodePoint(0x2400 + code);
  });
}

/** One line of at most `characters`, with a mark where something was left out. */
export function oneLine(text: string, characters: number): string {
  const [first = "", ...rest] = text.trim().split("\n");
  const more = rest.length === 0 ? "" : ` (+${rest.length} ${rest.length === 1 ? "line" : "lines"})`;
  return `${clip(visible(first), characters)}${more}`;
}

export function clip(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const last = text.charCodeAt(characters - 1);
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? characters - 1 : characters)}…`;
}
