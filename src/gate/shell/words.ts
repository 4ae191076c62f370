import { parse, type DoubleQuotedChild, type ParameterExpansionPart, type Word, type WordPart } from "unbash";
import { LIMITS } from "../../protocol/index.ts";
import { braceAlternatives, doubtfulBraces } from "./braces.ts";
import { countsOnly } from "./counting.ts";

/** One piece of a word, by when its value is known. */
export type WordPiece =
  | { readonly kind: "text"; readonly text: string; readonly quoted: boolean }
  /** Unquoted `*`, `?`, `[…]`, `@(…)`: names that exist at run time. */
  | { readonly kind: "glob"; readonly text: string }
  /** An unquoted leading `~`, `~name`. */
  | { readonly kind: "home"; readonly text: string }
  /** `$name` or `${name}`; `cut` when `#` or `%` cuts something off an end. */
  | {
      readonly kind: "variable";
      readonly text: string;
      readonly name: string;
      readonly quoted: boolean;
      readonly cut: boolean;
    }
  /** `number`: the result of a calculation. `name`, `holds`: a variable and the texts that it may consist of. */
  | {
      readonly kind: "dynamic";
      readonly text: string;
      readonly quoted: boolean;
      readonly number?: boolean;
      readonly name?: string;
      readonly holds?: readonly ShellWord[];
    };

export interface ShellWord {
  /** As it was written. */
  readonly text: string;
  /** Without quotes; run-time parts stay as written. */
  readonly value: string;
  /** The word is certainly exactly `value`. */
  readonly fixed: boolean;
  /** May become no word, or several, at run time. */
  readonly splits: boolean;
  /** Its first character is known only at run time, so it could turn out to be an option. */
  readonly opens: boolean;
  readonly pieces: readonly WordPiece[];
  /** Stands for words that another program adds: xargs, `find -exec … {}`. Never shown to people. */
  readonly added?: true;
}

export function fixedWord(value: string, text: string = value): ShellWord {
  return {
    text,
    value,
    fixed: true,
    splits: false,
    opens: false,
    pieces: [{ kind: "text", text: value, quoted: true }],
  };
}

/** Words that come from somewhere else at run time. */
export const ADDED_WORDS: ShellWord = {
  text: "…",
  value: "…",
  fixed: false,
  splits: true,
  opens: true,
  pieces: [{ kind: "dynamic", text: "…", quoted: false }],
  added: true,
};

/** What the shell makes of one written word: several words if it has braces. */
export function shellWords(word: Word): readonly ShellWord[] {
  const braces = word.parts?.filter((part) => part.type === "BraceExpansion").length ?? 0;
  if (braces === 0) return [wordOf(word)];
  const tooMany = braces > LIMITS.shellBraceDepth || word.text.length > LIMITS.shellBraceChars;
  return (tooMany ? undefined : expanded(word)) ?? [wordOf(word)];
}

/** The words that braces expand to; undefined when that is unknown, or too many. */
function expanded(word: Word): readonly ShellWord[] | undefined {
  const done: ShellWord[] = [];
  const pending: { readonly word: Word; readonly depth: number }[] = [{ word, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const parts = next.word.parts;
    if (doubtfulBraces(next.word)) return undefined;
    if (parts?.some((part) => part.type === "BraceExpansion") !== true) {
      done.push(wordOf(next.word));
      continue;
    }
    const alternatives = next.depth > LIMITS.shellBraceDepth ? undefined : braceAlternatives(parts);
    if (alternatives === undefined || done.length + pending.length + alternatives.length > LIMITS.shellBraceWords)
      return undefined;
    for (const text of alternatives.toReversed()) {
      // `{a,}`: bash drops an empty alternative.
      if (text === "") continue;
      const again = reread(text);
      if (again === undefined) return undefined;
      pending.push({ word: again, depth: next.depth + 1 });
    }
  }
  return done;
}

/** A word of a place where the shell expands no braces: assignments, redirections, patterns. */
export function shellWord(word: Word): ShellWord {
  return wordOf(word);
}

function reread(text: string): Word | undefined {
  const script = parse(`: ${text}`);
  const command = script.commands[0]?.command;
  if (script.errors !== undefined || script.commands.length !== 1 || command?.type !== "Command") return undefined;
  const [only, ...more] = command.suffix;
  return only?.type === "Word" && more.length === 0 ? only : undefined;
}

function wordOf(word: Word): ShellWord {
  const pieces = /^\w+\+?=(?:[^'"]*:)?~/.test(word.text)
    ? homePieces(word)
    : word.parts === undefined
      ? barePieces(word)
      : piecesOf(word.parts);
  const first = pieces[0];
  return {
    text: word.text,
    value: word.value,
    fixed: pieces.every((piece) => piece.kind === "text"),
    splits: pieces.some(
      (piece) => piece.kind === "glob" || ((piece.kind === "variable" || piece.kind === "dynamic") && !piece.quoted),
    ),
    opens: first !== undefined && first.kind !== "text" && first.kind !== "home",
    pieces,
  };
}

/** Blanks that end no word in bash, but that the parser sometimes takes as blanks: `{\r1,2}` is a brace to bash alone. */
const ODD_SPACE = /[^\S \t\n]/;

/** `of=~/x`: bash also expands a tilde after `=` and `:` in a word that looks like an assignment. */
function homePieces({ value, text }: Word): readonly WordPiece[] {
  const home: ShellWord = { ...fixedWord("~", text), fixed: false, pieces: [{ kind: "home", text: "~" }] };
  return [
    { kind: "text", text: value.slice(0, value.indexOf("~")), quoted: false },
    { kind: "dynamic", text: value.slice(value.indexOf("~")), quoted: true, holds: [home] },
  ];
}

function barePieces(word: Word): readonly WordPiece[] {
  if (ODD_SPACE.test(word.text)) return [{ kind: "dynamic", text: word.value, quoted: true }];
  if (!word.text.startsWith("~")) return [{ kind: "text", text: word.value, quoted: false }];
  const slash = word.value.indexOf("/");
  const end = slash === -1 ? word.value.length : slash;
  const home: WordPiece = { kind: "home", text: word.value.slice(0, end) };
  return end === word.value.length ? [home] : [home, { kind: "text", text: word.value.slice(end), quoted: false }];
}

function piecesOf(parts: readonly WordPart[]): readonly WordPiece[] {
  const pieces = parts.flatMap((part) => pieceOf(part, false));
  const [first, ...rest] = pieces;
  // A tilde is special only when it is unquoted and first in the word.
  if (first?.kind !== "text" || first.quoted || !first.text.startsWith("~")) return pieces;
  const slash = first.text.indexOf("/");
  const end = slash === -1 ? first.text.length : slash;
  return [{ kind: "home", text: first.text.slice(0, end) }, { ...first, text: first.text.slice(end) }, ...rest];
}

/**
 * `$'…'` with escapes that every reader understands alike. Bash also accepts `\\x{63`, ends the text at a NUL, and joins
 * bytes; such texts are not guessed.
 */
const PLAIN_ESCAPES = new RegExp(
  String.raw`^\$'(?:[^\\]|\\[\\'"abeEfnrtv?]|\\(?!0{1,3}(?![0-7]))(?:[01][0-7]{2}|[0-7]{1,2}(?![0-7]))|\\x(?!00?(?![\da-fA-F]))(?:[0-7][\da-fA-F]|[\da-fA-F](?![\da-fA-F]))|\\u(?!0{4})[\da-fA-F]{4})*'$`,
);

function pieceOf(part: WordPart | DoubleQuotedChild, quoted: boolean): readonly WordPiece[] {
  switch (part.type) {
    case "Literal":
      return [{ kind: !quoted && ODD_SPACE.test(part.text) ? "dynamic" : "text", text: part.value, quoted }];
    case "SingleQuoted":
      return [{ kind: "text", text: part.value, quoted: true }];
    case "AnsiCQuoted":
      return [{ kind: PLAIN_ESCAPES.test(part.text) ? "text" : "dynamic", text: part.value, quoted: true }];
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.length === 0
        ? [{ kind: "text", text: "", quoted: true }]
        : part.parts.flatMap((child) => pieceOf(child, true));
    case "Glob":
    case "ExtendedGlob":
      return [{ kind: "glob", text: part.text }];
    case "SimpleExpansion":
      return [{ kind: "variable", text: part.text, name: part.text.slice(1), quoted, cut: false }];
    case "ParameterExpansion": {
      const plain = part.prefix === undefined && part.index === undefined;
      const cut = part.operation?.type === "Remove";
      return plain && (part.operation === undefined || cut)
        ? [{ kind: "variable", text: part.text, name: part.parameter, quoted, cut }]
        : [{ kind: "dynamic", text: part.text, quoted, name: part.parameter, holds: operandsOf(part) }];
    }
    case "ArithmeticExpansion":
      return [{ kind: "dynamic", text: part.text, quoted, number: true }];
    case "CommandExpansion":
      return [{ kind: "dynamic", text: part.text, quoted, number: countsOnly(part.script) }];
    case "ProcessSubstitution":
    case "BraceExpansion":
      // A process substitution is always one word: a path below /dev/fd.
      return [{ kind: "dynamic", text: part.text, quoted: quoted || part.type === "ProcessSubstitution" }];
  }
}

/** Words that an expansion may yield instead of the variable: `${x:-/etc}`, `${x/a/b}`. */
function operandsOf({ operation }: ParameterExpansionPart): readonly ShellWord[] {
  if (operation?.type === "Default") return [wordOf(operation.operand)];
  return operation?.type === "Replace" ? [wordOf(operation.replacement)] : [];
}

/** The word written with as little quoting as possible: one spelling for every way of quoting it. */
export function canonicalWord(word: ShellWord): string {
  if (!word.fixed) return word.text;
  if (/^[\w@%+=:,./^-]+$/.test(word.value)) return word.value;
  return `'${word.value.replaceAll("'", `'\\''`)}'`;
}
