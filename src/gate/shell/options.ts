import { type Bindings, mayBeOption } from "./paths.ts";
import { fixedWord, type ShellWord } from "./words.ts";

/** Which options of a program take a value, so that the words after them can be classified. */
export interface OptionTable {
  /** Letters whose option takes a value. */
  readonly valued: string;
  /** Letters that stand alone. */
  readonly flags: string;
  /** Long names that take a value, without `--`. */
  readonly long?: readonly string[];
  readonly longFlags?: readonly string[];
  /** `-5` is a number, not an option: nice, head. */
  readonly numbers?: boolean;
}

export interface ScannedOptions {
  /** Index of the first word that is no option. */
  readonly next: number;
  /** Values by letter or long name. */
  readonly values: ReadonlyMap<string, readonly ShellWord[]>;
  readonly flags: ReadonlySet<string>;
  /** What could not be determined; the scan is then a guess. */
  readonly unsure?: string | undefined;
}

interface State {
  readonly words: readonly ShellWord[];
  readonly table: OptionTable;
  readonly values: Map<string, ShellWord[]>;
  readonly flags: Set<string>;
  at: number;
  unsure: string | undefined;
}

/** Reads options up to the first operand, like getopt in POSIX order. */
export function scanOptions(
  words: readonly ShellWord[],
  table: OptionTable,
  bindings: Bindings,
  start = 1,
): ScannedOptions {
  const state: State = { words, table, values: new Map(), flags: new Set(), at: start, unsure: undefined };
  for (; state.at < words.length; state.at++) {
    const word = words[state.at];
    if (word === undefined) break;
    if (mayBeOption(word, bindings)) {
      state.unsure ??= `${word.text} could be an option`;
      break;
    }
    const { value } = word;
    if (value === "--") {
      state.at++;
      break;
    }
    if (!value.startsWith("-") || value === "-") break;
    if (table.numbers === true && /^-\d+$/.test(value)) continue;
    if (value.startsWith("--")) longOption(state, word);
    else shortOptions(state, word);
  }
  return { next: Math.min(state.at, words.length), values: state.values, flags: state.flags, unsure: state.unsure };
}

function longOption(state: State, word: ShellWord): void {
  const equals = word.value.indexOf("=");
  const name = word.value.slice(2, equals === -1 ? undefined : equals);
  const valued = matches(name, state.table.long ?? []);
  const flag = matches(name, state.table.longFlags ?? []);
  if (equals !== -1) {
    if (valued === undefined && flag === undefined) state.unsure ??= `the option ${word.value} is not known`;
    add(state, valued ?? name, tail(word, equals + 1));
  } else if (valued !== undefined && flag !== name) {
    const value = state.words[state.at + 1];
    if (value !== undefined) add(state, valued, value);
    state.at++;
  } else {
    if (flag === undefined) state.unsure ??= `the option ${word.value} is not known`;
    state.flags.add(flag ?? name);
  }
}

function shortOptions(state: State, word: ShellWord): void {
  const letters = word.value.slice(1);
  for (const [index, letter] of Array.from(letters).entries()) {
    if (state.table.valued.includes(letter)) {
      const rest = letters.slice(index + 1);
      const value = rest === "" ? state.words[++state.at] : tail(word, index + 2);
      if (value !== undefined) add(state, letter, value);
      return;
    }
    if (!state.table.flags.includes(letter)) state.unsure ??= `the option -${letter} is not known`;
    state.flags.add(letter);
  }
}

/** A long name may be shortened while it stays unique. Matching too much here only means looking at more. */
function matches(name: string, known: readonly string[]): string | undefined {
  return known.includes(name) ? name : name === "" ? undefined : known.find((candidate) => candidate.startsWith(name));
}

function add(state: State, name: string, value: ShellWord): void {
  state.values.set(name, [...(state.values.get(name) ?? []), value]);
}

/** The rest of a word after an option's name. */
export function tail(word: ShellWord, from: number): ShellWord {
  const value = word.value.slice(from);
  if (word.fixed) return fixedWord(value);
  return {
    ...word,
    text: value,
    value,
    opens: false,
    pieces: [{ kind: "dynamic", text: value, quoted: !word.splits }],
  };
}

export interface OptionHit {
  readonly name: string;
  /** Absent: the option is the last word. */
  readonly value?: ShellWord | undefined;
}

/** Finds options by name anywhere before `--`: `--name=value`, `--name value`, `--na=value`, `-Xvalue`, `-X value`, `-aX value`. */
export function findOptions(words: readonly ShellWord[], names: readonly string[]): readonly OptionHit[] {
  const long = names.filter((name) => name.startsWith("--")).map((name) => name.slice(2));
  const short = names.filter((name) => !name.startsWith("--")).map((name) => name.slice(1));
  const hits: OptionHit[] = [];
  for (const [index, word] of words.entries()) {
    if (index === 0) continue;
    if (word.value === "--") break;
    if (!word.value.startsWith("-")) continue;
    if (word.value.startsWith("--")) {
      const equals = word.value.indexOf("=");
      const name = matches(word.value.slice(2, equals === -1 ? undefined : equals), long);
      if (name !== undefined)
        hits.push({ name: `--${name}`, value: equals === -1 ? words[index + 1] : tail(word, equals + 1) });
      continue;
    }
    for (const letter of short) {
      const at = letter.length > 1 ? (word.value.slice(1) === letter ? 1 : -1) : word.value.indexOf(letter, 1);
      if (at === -1) continue;
      const after = at + letter.length;
      hits.push({ name: `-${letter}`, value: word.value.length > after ? tail(word, after) : words[index + 1] });
    }
  }
  return hits;
}
