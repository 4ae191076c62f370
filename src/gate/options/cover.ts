import type { CommandPattern } from "../rules.ts";
import { fileNamesIn } from "../shell/file-names.ts";
import {
  asGlob,
  isInside,
  mayBeOption,
  placeOf,
  possibleNames,
  possiblePaths,
  staysInside,
  type Bindings,
  type Folder,
} from "../shell/paths.ts";
import { setOf } from "../shell/lists.ts";
import { canonicalWord, fixedWord, type ShellWord } from "../shell/words.ts";
import { isProtected, mayBeProtected } from "../protected.ts";
import { specOf } from "./programs.ts";
import { GENERIC, longArity, shortArity, within, type Arity, type ProgramSpec } from "./spec.ts";

/** The situation of a command when a rule is checked against it. */
export interface CommandPlace {
  readonly folder: Folder;
  readonly bindings: Bindings;
  /** The line changed to a folder that no rule names: programs that obey that folder's settings are not covered. */
  readonly moved: boolean;
  /** Gets every word that some version of the program may open as a file. Absent: nobody needs them. */
  readonly visit?: ((name: string, as: "operand" | "value") => void) | undefined;
}

/**
 * Why a rule with a star does not cover words that it matches; undefined: it covers them. Words that the rule itself spells are
 * always covered. A star may only stand for a known harmless option, or a file of the workspace.
 */
export function beyondRule(
  pattern: CommandPattern,
  words: readonly ShellWord[],
  around: CommandPlace,
): string | undefined {
  const shown = words.filter((word) => word.added !== true);
  const spelled = spelledBy(pattern, shown);
  const [name] = shown;
  if (name === undefined) return undefined;
  const program = name.value.slice(name.value.lastIndexOf("/") + 1);
  const spec = specOf(program);
  if (around.moved && spec?.plain !== true) return `${program} obeys the settings of the folder that the line goes to`;
  const whole = spelled.every(Boolean) && shown.length === words.length;
  if (whole && (pattern.kind === "exact" || spec?.script !== true)) return undefined;
  if (spelled[0] !== true && !startsAsSpelled(pattern, name))
    return spelled.slice(1).every(Boolean) && /^[\w+-]+$/.test(name.value)
      ? undefined
      : "the rule does not say which program runs";
  const added = words.length - shown.length;
  return new Cover(shown, spelled, around).judge(program, spec ?? GENERIC, added > 0);
}

/** Why a specification does not cover the words of a command; undefined: it covers them. The first word is the program. */
export function beyondSpec(spec: ProgramSpec, words: readonly ShellWord[], around: CommandPlace): string | undefined {
  const spelled = words.map((_word, index) => index === 0);
  return new Cover(words, spelled, around).judge(words[0]?.value ?? "", spec, false);
}

function startsAsSpelled(pattern: CommandPattern, { value }: ShellWord): boolean {
  if (pattern.kind !== "wildcard") return true;
  const start = pattern.pieces[0] ?? "";
  return start !== "" && value.startsWith(start);
}

/** Which words the rule itself spells. */
function spelledBy(pattern: CommandPattern, words: readonly ShellWord[]): readonly boolean[] {
  if (pattern.kind === "exact") return words.map(() => true);
  const front = pattern.kind === "prefix" ? pattern.prefix : (pattern.pieces[0] ?? "");
  const count = Math.max(
    leading(
      front,
      words.map((word) => word.text),
    ),
    leading(front, words.map(canonicalWord)),
  );
  const spelled = words.map((_word, index) => index < count);
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
      const at = words.findIndex((word, position) => spelled[position] !== true && fits(word));
      if (at !== -1) spelled[at] = true;
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

/** `taken`: how many of the next words are its value. */
type OptionRead =
  | { readonly taken: number; readonly named: string }
  | { readonly objection: string; readonly named: string };

interface OptionValue {
  readonly spec: ProgramSpec;
  readonly word: ShellWord;
  readonly at: number;
  readonly named: string;
  readonly attached: ShellWord | undefined;
}

/** With these, the first operand is a file like the others: the pattern is given otherwise, or there is none. */
const GIVES_PATTERN = setOf("e f regexp expression file files type-list");

/** One command, word by word. */
class Cover {
  readonly #words: readonly ShellWord[];
  readonly #spelled: readonly boolean[];
  readonly #around: CommandPlace;

  constructor(words: readonly ShellWord[], spelled: readonly boolean[], around: CommandPlace) {
    this.#words = words;
    this.#spelled = spelled;
    this.#around = around;
  }

  judge(program: string, start: ProgramSpec, added: boolean): string | undefined {
    let spec = start;
    let open = true;
    let operands = 0;
    let patternGiven = false;
    for (let at = 1; at < this.#words.length; at++) {
      const word = this.#words[at];
      if (word === undefined) break;
      const spelled = this.#spelled[at] === true;
      if (open && word.value === "--") {
        // To an unknown program, what follows may still be an option: of a script, or of another program.
        if (spec.dashes !== undefined) spec = GENERIC;
        open = spec === GENERIC;
        continue;
      }
      const unsure =
        open && !spelled && spec.harmless !== true && spec.any !== true && mayBeOption(word, this.#around.bindings);
      if (unsure) return `${word.text} could turn out to be an option of ${program}`;
      const bundle = spec.bundled === true && at === 1 && /^[A-Za-z]+$/.test(word.value);
      if (open && (bundle || /^-./.test(word.value))) {
        const option = this.#option(spec, bundle ? fixedWord(`-${word.value}`) : word, at);
        if ("objection" in option && !spelled) return `${option.objection} of ${program} is not covered by the rule`;
        if (GIVES_PATTERN.has(option.named)) patternGiven = true;
        const taken = "objection" in option ? this.#spelledValue(spec, at) : option.taken;
        at += bundle ? 0 : taken;
        continue;
      }
      const [first] = operands === 0 ? [spec.commands] : [undefined];
      if (first !== undefined) {
        const next = this.#subcommand(spec, word, spelled);
        if (typeof next === "string") return next;
        spec = next;
        operands = spec.rest === undefined || Object.hasOwn(first, word.value) ? 0 : 1;
        if (spec === GENERIC) operands = 1;
        continue;
      }
      operands++;
      const objection = spelled ? undefined : this.#operand(spec, word, { operands, patternGiven, program });
      if (objection !== undefined) return objection;
      if (operands === 1 && spec.rest === "anything") return undefined;
      if (operands === 1 && spec.rest === "generic") spec = GENERIC;
      if (operands === 1 && spec.rest === "program") return this.#inner(at, added);
    }
    if (added && spec.any !== true && spec.operands !== "text")
      return `${program} is given words that are known only at run time`;
    return start.script === true && operands === 0 && !this.#saysVersion()
      ? `${program} runs what it reads`
      : undefined;
  }

  #saysVersion(): boolean {
    return this.#words.slice(1).some((word) => /^(-v|-V|-h|--version|--help|--test)$/.test(word.value));
  }

  /** `npx tool …`: the rest belongs to the tool. */
  #inner(at: number, added: boolean): string | undefined {
    const words = this.#words.slice(at);
    const tool = (words[0]?.value ?? "").replace(/(?<=.)@[^/]*$/, "");
    const inner = new Cover(words, this.#spelled.slice(at), this.#around);
    const name = tool.slice(tool.lastIndexOf("/") + 1);
    return inner.judge(name, specOf(name) ?? GENERIC, added);
  }

  #subcommand(spec: ProgramSpec, word: ShellWord, spelled: boolean): ProgramSpec | string {
    if (spec.asks?.test(word.value) === true && !spelled) return `${word.text} is not covered by the rule`;
    if (!word.fixed) return `which command ${word.text} is, is known only at run time`;
    const known =
      spec.commands !== undefined && Object.hasOwn(spec.commands, word.value) ? spec.commands[word.value] : undefined;
    if (known !== undefined) return within(spec, known);
    if (spec.otherwise === "script") return GENERIC;
    if (!spelled) return `${word.text} is a command that is not listed`;
    return spec.plain === undefined ? {} : { plain: spec.plain };
  }

  #option(spec: ProgramSpec, word: ShellWord, at: number): OptionRead {
    const { value } = word;
    if (spec.any === true) return { taken: 0, named: "" };
    if (spec.numbers === true && /^-\d+$/.test(value)) return { taken: 0, named: "" };
    if (value.startsWith("--")) return this.#named(spec, word, { at, dashes: 2 });
    if (spec.single !== undefined) return this.#named(spec, word, { at, dashes: 1 });
    return this.#letters(spec, word, at);
  }

  #named(
    spec: ProgramSpec,
    word: ShellWord,
    { at, dashes }: { readonly at: number; readonly dashes: number },
  ): OptionRead {
    const equals = word.value.indexOf("=");
    const named = word.value.slice(dashes, equals === -1 ? undefined : equals);
    const arity = longArity(dashes === 2 ? spec.long : spec.single, named);
    const attached = equals === -1 ? undefined : word.value.slice(equals + 1);
    if (arity === undefined || (arity === "flag" && attached !== undefined && !/^(true|false)$/.test(attached)))
      return { objection: word.value.slice(0, equals === -1 ? undefined : equals), named };
    return this.#valued(arity, {
      spec,
      word,
      at,
      named,
      attached: attached === undefined ? undefined : fixedWord(attached),
    });
  }

  #letters(spec: ProgramSpec, word: ShellWord, at: number): OptionRead {
    const letters = Array.from(word.value.slice(1));
    for (const [index, letter] of letters.entries()) {
      const arity = shortArity(spec, letter);
      if (arity === undefined) return { objection: `-${letter}`, named: letter };
      if (arity === "flag") continue;
      const rest = letters.slice(index + 1).join("");
      return this.#valued(arity, {
        spec,
        word,
        at,
        named: letter,
        attached: rest === "" ? undefined : fixedWord(rest),
      });
    }
    return { taken: 0, named: letters.at(-1) ?? "" };
  }

  #valued(arity: Arity, { spec, word, at, named, attached }: OptionValue): OptionRead {
    if (arity === "flag" || arity === "attached")
      return word.fixed ? { taken: 0, named } : { objection: word.text, named };
    if (attached !== undefined && !word.fixed) return { objection: word.text, named };
    const next = this.#words[at + 1];
    // Some programs take this as the value, others as an option.
    if (attached === undefined && next !== undefined && /^-[^\d]/.test(next.value) && this.#spelled[at + 1] !== true)
      return { objection: `${word.text} ${next.text}`, named };
    const value = attached ?? next;
    const given = attached === undefined && this.#spelled[at + 1] === true;
    if (arity === "file" && value !== undefined && !given) {
      const wrong = this.#outside(value, { writes: spec.writes === true, always: true });
      if (wrong !== undefined) return { objection: `${word.text} ${wrong}`, named };
    }
    // Another version of the program may take no value here. Words of one dash (`find -name`) are the same everywhere.
    if (arity === "text" && attached === undefined && next !== undefined && spec.single === undefined)
      this.#around.visit?.(next.value, "value");
    return { taken: attached === undefined ? 1 : 0, named };
  }

  /** An option that only the rule knows takes the next word along if the rule spells that too. */
  #spelledValue(spec: ProgramSpec, at: number): number {
    const word = this.#words[at];
    const next = this.#words[at + 1];
    if (word?.value.includes("=") === true || next === undefined || next.value.startsWith("-")) return 0;
    if (this.#spelled[at + 1] !== true) return spec.commands === undefined ? 1 : 0;
    return spec.commands !== undefined && Object.hasOwn(spec.commands, next.value) ? 0 : 1;
  }

  #operand(
    spec: ProgramSpec,
    word: ShellWord,
    {
      operands,
      patternGiven,
      program,
    }: { readonly operands: number; readonly patternGiven: boolean; readonly program: string },
  ): string | undefined {
    if (spec.operands === "none") return `what ${program} does with ${word.text} is not covered by the rule`;
    if (spec.asks?.test(word.value) === true) return `${word.text} is not covered by the rule`;
    if (spec.most !== undefined && operands > spec.most) return `${program} would change ${word.text}`;
    if (spec.deletes === true && this.#isEverything(word)) return `${word.text} is the workspace itself`;
    if (spec.script === true && operands === 1 && word.value === "-") return `${program} runs what it reads`;
    if (spec.operands === "pattern" && operands === 1 && !patternGiven) return undefined;
    const isText = spec.operands === "text";
    if (isText && (spec.any === true || !word.fixed)) return spec.any === true ? undefined : this.#unknown(word);
    return this.#outside(word, { writes: spec.writes === true, always: !isText, isOperand: true });
  }

  #isEverything(word: ShellWord): boolean {
    const { folder, bindings } = this.#around;
    return possiblePaths(word, folder, bindings)?.some((path) => isInside(path, folder.workspace)) === true;
  }

  #unknown(word: ShellWord): string | undefined {
    return possiblePaths(word, this.#around.folder, this.#around.bindings) === undefined
      ? `${word.text} is known only at run time`
      : undefined;
  }

  /** A file outside the workspace, or one that decides which programs run. */
  #outside(
    word: ShellWord,
    {
      writes,
      always,
      isOperand = false,
    }: { readonly writes: boolean; readonly always: boolean; readonly isOperand?: boolean },
  ): string | undefined {
    const { folder, bindings } = this.#around;
    if (word.fixed) {
      for (const name of fileNamesIn(word.value)) {
        if (always) this.#around.visit?.(name, isOperand ? "operand" : "value");
        const wrong = misplaced(name, { folder, writes });
        if (wrong !== undefined && (always || /^(\/|~|\.\.(\/|$)|file:)/.test(name))) return `${word.text} ${wrong}`;
      }
      return undefined;
    }
    const names = possibleNames(word, folder, bindings);
    if (names === undefined) return `${word.text} is known only at run time`;
    const wrong = names.map((name) => misplaced(asGlob(name), { folder, writes })).find((found) => found !== undefined);
    return wrong === undefined ? undefined : `${word.text} ${wrong}`;
  }
}

const DEVICES = /^\/dev\/(null|stdin|stdout|stderr|tty|zero|urandom)$/;

function misplaced(
  name: string,
  { folder, writes }: { readonly folder: Folder; readonly writes: boolean },
): string | undefined {
  if (DEVICES.test(name)) return undefined;
  if (name.startsWith("~") || !staysInside(name, folder)) return "is outside of the workspace";
  const { path, real } = placeOf(name, folder);
  return writes && (isProtected(path, folder.workspace) || isProtected(real, folder.workspace) || mayBeProtected(name))
    ? "decides what programs run or what an agent may do"
    : undefined;
}
