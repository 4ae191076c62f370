/** What a person can write instead of a prompt. */
export const COMMANDS = [
  { name: "stop", does: "ends the open turn" },
  { name: "pause", does: "no further turn, no further tool" },
  { name: "resume", does: "goes on" },
  { name: "fork", does: "a new session that begins with this conversation" },
  { name: "model", does: "another model from the next turn on" },
  { name: "mode", does: "another permission mode from the next turn on" },
  { name: "budget", does: "what the session may spend" },
  { name: "close", does: "ends the session" },
  { name: "help", does: "the keys of this page" },
] as const;
export type CommandName = (typeof COMMANDS)[number]["name"];

/** The commands that what was written so far could become; nothing when it is no command. */
export function suggestCommands(text: string): readonly (typeof COMMANDS)[number][] {
  const word = /^\/(\w*)$/.exec(text)?.[1];
  return word === undefined ? [] : COMMANDS.filter(({ name }) => name.startsWith(word));
}

export function commandOf(text: string): CommandName | undefined {
  const word = /^\/(\w+)\s*$/.exec(text)?.[1];
  return COMMANDS.find(({ name }) => name === word)?.name;
}

/** A file that is being named before the caret, as in `look at @src/ma`. */
export interface Mention {
  readonly query: string;
  /** Where the `@` is. */
  readonly from: number;
  readonly to: number;
}

export function mentionAt(text: string, caret: number): Mention | undefined {
  const found = /(?:^|\s)@([^\s@]*)$/.exec(text.slice(0, caret));
  if (found === null) return undefined;
  const query = found[1] ?? "";
  return { query, from: caret - query.length - 1, to: caret };
}

/** The text with the file's name in place of what was typed, and where the caret goes. */
export function withMention(
  text: string,
  mention: Mention,
  file: string,
): { readonly text: string; readonly caret: number } {
  const name = `@${file} `;
  return { text: text.slice(0, mention.from) + name + text.slice(mention.to), caret: mention.from + name.length };
}
