import { t } from "../../../ui/language/t.ts";

/** What a person can write instead of a prompt. */
export const COMMANDS = [
  { name: "stop", does: t("stop the current turn") },
  { name: "pause", does: t("hold new turns and tools") },
  { name: "resume", does: t("continue after a pause or a stop") },
  { name: "fork", does: t("continue in a copy of this session") },
  { name: "model", does: t("change the model") },
  { name: "mode", does: t("change the permission mode") },
  { name: "budget", does: t("change the spending limit") },
  { name: "close", does: t("close the session") },
  { name: "help", does: t("keyboard shortcuts") },
] as const;
export type SlashCommandName = (typeof COMMANDS)[number]["name"];

/** Commands that match the input so far; empty when it is not a command. */
export function suggestCommands(text: string): readonly (typeof COMMANDS)[number][] {
  const word = /^\/(\w*)$/.exec(text)?.[1];
  return word === undefined ? [] : COMMANDS.filter(({ name }) => name.startsWith(word));
}

/** The beginning of a command's name that is being typed; undefined: none is. */
export function commandBegun(text: string): string | undefined {
  return /^\/([\w-]*)$/.exec(text)?.[1];
}

export function commandOf(text: string): SlashCommandName | undefined {
  const word = /^\/(\w+)\s*$/.exec(text)?.[1];
  return COMMANDS.find(({ name }) => name === word)?.name;
}

/** A file name being typed before the caret, as in `look at @src/ma`. */
export interface Mention {
  readonly query: string;
  /** The position of the `@`. */
  readonly from: number;
  readonly to: number;
}

export function mentionAt(text: string, caret: number): Mention | undefined {
  const found = /(?:^|\s)@([^\s@]*)$/.exec(text.slice(0, caret));
  if (found === null) return undefined;
  const query = found[1] ?? "";
  return { query, from: caret - query.length - 1, to: caret };
}

/** The text with the file's name inserted, and the new caret position. */
export function withMention(
  text: string,
  mention: Mention,
  file: string,
): { readonly text: string; readonly caret: number } {
  const name = `@${file} `;
  return { text: text.slice(0, mention.from) + name + text.slice(mention.to), caret: mention.from + name.length };
}
