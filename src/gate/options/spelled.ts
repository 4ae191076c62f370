import type { CommandPattern } from "../rules.ts";
import { canonicalWord, type ShellWord } from "../shell/words.ts";

/** Whether a rule spells a word; `start`: a star stands for its end. */
export type Spelling = boolean | "start";

export function startsAsSpelled(pattern: CommandPattern, { value }: ShellWord): boolean {
  if (pattern.kind !== "wildcard") return true;
  const start = pattern.pieces[0] ?? "";
  // `./scripts/*` is no program above that folder.
  return start !== "" && value.startsWith(start) && !/(^|\/)\.\.(\/|$)/.test(value.slice(start.length));
}

/** Which words the rule itself spells. */
export function spelledBy(pattern: CommandPattern, words: readonly ShellWord[]): readonly Spelling[] {
  if (pattern.kind === "exact") return words.map(() => true);
  const front = pattern.kind === "prefix" ? pattern.prefix : (pattern.pieces[0] ?? "");
  const count = Math.max(
    leading(
      front,
      words.map((word) => word.text),
    ),
    leading(front, words.map(canonicalWord)),
  );
  const spelled: Spelling[] = words.map((_word, index) => index < count);
  if (pattern.kind === "prefix") return spelled;
  const written = words
    .slice(0, count)
    .map((word) => word.text)
    .join(" ").length;
  const rest = [front.slice(Math.min(written, front.length)), ...pattern.pieces.slice(1)];
  for (const [index, piece] of rest.entries()) {
    const tokens = piece.split(" ");
    for (const [place, token] of tokens.entries()) {
      // A star next to a token makes it part of a word: only `--name=` and `-x` say which option is meant.
      const opens = place === 0 && index > 0;
      const closes = place === tokens.length - 1 && index < rest.length - 1;
      if (token === "" || opens) continue;
      const fits = closes ? partly(token) : (word: ShellWord) => word.text === token || canonicalWord(word) === token;
      const at = words.findIndex((word, position) => spelled[position] === false && fits(word));
      if (at !== -1) spelled[at] = closes && words[at]?.text !== token ? "start" : true;
    }
  }
  return spelled;
}

function partly(token: string): (word: ShellWord) => boolean {
  const names = /^(--[\w-]+=|-[A-Za-z])/.test(token);
  return (word) => names && word.text.startsWith(token);
}

/** How many whole words the start of a rule holds. */
function leading(front: string, texts: readonly string[]): number {
  let joined = "";
  for (const [index, text] of texts.entries()) {
    joined = index === 0 ? text : `${joined} ${text}`;
    if (joined !== front && !front.startsWith(`${joined} `)) return index;
  }
  return texts.length;
}

/** What an option on the line says. */
export interface OptionRead {
  /** The letter, or the long name. */
  readonly named: string;
  /** How many of the next words are its value. */
  readonly taken: number;
  readonly valued: boolean;
  /** What is not covered: the option, or only its value. */
  readonly objection?: { readonly text: string; readonly of: "option" | "value" };
}

/** The options that a rule spells. What a star stands for may not take them back. */
export class SaidOptions {
  readonly #names = new Set<string>();
  #endsWithFlag = false;

  /** Notes an option that the rule spells. */
  say({ named, valued }: OptionRead): void {
    this.#names.add(named);
    this.#endsWithFlag = !valued;
  }

  /** Whether a later option gives another value, or negates: `--dry-run` and then `--no-dry-run`. */
  isTakenBack({ named, valued }: OptionRead): boolean {
    this.#endsWithFlag = !valued && this.#names.has(named);
    const opposite = named.startsWith("no-") ? named.slice(3) : `no-${named}`;
    return (valued && this.#names.has(named)) || this.#names.has(opposite);
  }

  /** `tsc --noEmit false`: some programs take this word as the option's value. */
  isSwitchedOff(word: string): boolean {
    const follows = this.#endsWithFlag;
    this.#endsWithFlag = false;
    return follows && /^(true|false|null|undefined|off|no|0)$/i.test(word);
  }
}
