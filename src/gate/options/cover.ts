import { LIMITS } from "../../protocol/index.ts";
import type { CommandPattern } from "../rules.ts";
import { fileNamesIn, isAddress } from "../shell/file-names.ts";
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
import { fixedWord, type ShellWord } from "../shell/words.ts";
import { isProtected, mayBeProtected } from "../protected.ts";
import { specOf } from "./programs.ts";
import { GENERIC, longArity, shortArity, within, type Arity, type ProgramSpec } from "./spec.ts";
import { SaidOptions, spelledBy, startsAsSpelled, type OptionRead, type Spelling } from "./spelled.ts";

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
  const whole = spelled.every((said) => said === true) && shown.length === words.length;
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
  readonly #spelled: readonly Spelling[];
  readonly #said = new SaidOptions();
  /** Whether the rule spells a word that is no option. The value of an option counts, too: one question too many. */
  readonly #saysTask: boolean;
  readonly #around: CommandPlace;

  /** How many programs run this one: `npx npx …`. */
  readonly #depth: number;

  constructor(words: readonly ShellWord[], spelled: readonly Spelling[], around: CommandPlace, depth = 0) {
    this.#words = words;
    this.#spelled = spelled;
    this.#around = around;
    this.#depth = depth;
    this.#saysTask = words.some((word, index) => index > 0 && spelled[index] === true && !word.value.startsWith("-"));
  }

  judge(program: string, start: ProgramSpec, added: boolean): string | undefined {
    let spec = start;
    let open = true;
    let operands = 0;
    let patternGiven = false;
    for (let at = 1; at < this.#words.length; at++) {
      const word = this.#words[at];
      if (word === undefined) break;
      const spelled = this.#spelled[at] !== false;
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
        const wrong = this.#optionObjection(spec, option, at);
        if (wrong !== undefined) return `${wrong} of ${program} is not covered by the rule`;
        if (GIVES_PATTERN.has(option.named)) patternGiven = true;
        const isUnknown = option.objection?.of === "option";
        const taken = isUnknown ? this.#spelledValue(spec, at) : option.taken;
        // Only the rule knows what it does: it may write (git's words are commits as well), and the next word may be its value or the pattern.
        if (isUnknown && program !== "git") spec = { ...spec, writes: true };
        if (isUnknown && taken === 1) patternGiven = true;
        if (spec.runs === option.named && taken === 1) return this.#inner(at + 1, added);
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
    if (this.#depth >= LIMITS.shellDepth) return "too many programs run each other";
    const words = this.#words.slice(at);
    const tool = (words[0]?.value ?? "").replace(/(?<=.)@[^/]*$/, "");
    const inner = new Cover(words, this.#spelled.slice(at), this.#around, this.#depth + 1);
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

  /** What a rule does not cover of an option: the option, its value, or that it takes back what the rule says. */
  #optionObjection(spec: ProgramSpec, option: OptionRead, at: number): string | undefined {
    const { objection, taken } = option;
    const word = this.#words[at];
    const spelling = this.#spelled[at];
    const read = { ...option, named: spec.same?.[option.named] ?? option.named };
    if (spelling === false)
      return objection?.text ?? (this.#said.isTakenBack(read) ? `${word?.text ?? ""}, said otherwise,` : undefined);
    const unknown = objection?.of === "option";
    const value = unknown ? this.#spelledValue(spec, at) : taken;
    this.#said.say({ ...read, valued: read.valued || value > 0 || word?.value.includes("=") === true });
    if (objection?.of === "value") return objection.text;
    const attached = /^(?:--[^=]*=|-[A-Za-z])(.+)$/s.exec(word?.value ?? "")?.[1];
    const given = spelling === "start" ? attached : undefined;
    if (given !== undefined && unknown) return this.#value(word?.fixed === true ? fixedWord(given) : word);
    return unknown && value === 1 && this.#spelled[at + 1] !== true ? this.#value(this.#words[at + 1]) : undefined;
  }

  /** The value of an option of which only the rule knows what it does: if it is a file, it may be written. */
  #value(word: ShellWord | undefined): string | undefined {
    if (word === undefined) return undefined;
    const isName = !/[\s()"';]/.test(word.value);
    return this.#outside(word, { writes: isName, always: isName, remote: false });
  }

  #option(spec: ProgramSpec, word: ShellWord, at: number): OptionRead {
    const { value } = word;
    if (spec.any === true) return { taken: 0, named: "", valued: false };
    if (spec.numbers === true && /^-\d+$/.test(value)) return { taken: 0, named: "", valued: false };
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
      return refused(named, word.value.slice(0, equals === -1 ? undefined : equals));
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
      if (arity === undefined) return refused(letter, `-${letter}`);
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
    return { taken: 0, named: letters.at(-1) ?? "", valued: false };
  }

  #valued(arity: Arity, { spec, word, at, named, attached }: OptionValue): OptionRead {
    if (attached !== undefined && spec.says?.test(attached.value) === true) return refused(named, word.text, "value");
    const valued = attached !== undefined || (arity !== "flag" && arity !== "attached");
    if (arity === "flag" || arity === "attached")
      return word.fixed ? { taken: 0, named, valued } : refused(named, word.text);
    if (attached !== undefined && !word.fixed) return refused(named, word.text);
    const next = this.#words[at + 1];
    // Some programs take this as the value, others as an option.
    if (attached === undefined && next !== undefined && /^-[^\d]/.test(next.value) && this.#spelled[at + 1] !== true)
      return refused(named, `${word.text} ${next.text}`);
    const value = attached ?? next;
    const given = attached === undefined && this.#spelled[at + 1] === true;
    if (value !== undefined && !given) {
      if (spec.says?.test(value.value) === true) return refused(named, `${word.text} ${value.text}`, "value");
      const { writes, remote } = spec;
      const wrong =
        arity === "file" ? this.#outside(value, { writes: writes === true, always: true, remote }) : undefined;
      if (wrong !== undefined) return refused(named, `${word.text} ${wrong}`, "value");
    }
    // Another version of the program may take no value here. Words of one dash (`find -name`) are the same everywhere.
    if (arity === "text" && attached === undefined && next !== undefined && spec.single === undefined)
      this.#around.visit?.(next.value, "value");
    return { taken: attached === undefined ? 1 : 0, named, valued };
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
    if (this.#said.isSwitchedOff(word.value)) return `${word.text} may switch an option of the rule off`;
    if (spec.tasks === true && this.#saysTask) return `${word.text} is another task than the rule says`;
    if (spec.operands === "none") return `what ${program} does with ${word.text} is not covered by the rule`;
    if (spec.asks?.test(word.value) === true) return `${word.text} is not covered by the rule`;
    if (spec.most !== undefined && operands > spec.most) return `${program} would change ${word.text}`;
    if (spec.deletes === true && this.#isEverything(word)) return `${word.text} is the workspace itself`;
    if (spec.script === true && operands === 1 && word.value === "-") return `${program} runs what it reads`;
    const says = spec.says;
    if (says !== undefined && this.#texts(word)?.some((text) => says.test(text)) !== false)
      return `what ${program} does with ${word.text} is not covered by the rule`;
    if (spec.operands === "pattern" && operands === 1 && !patternGiven) return undefined;
    const isText = spec.operands === "text";
    if (isText && (spec.any === true || !word.fixed)) return spec.any === true ? undefined : this.#unknown(word);
    const { writes, remote } = spec;
    return this.#outside(word, { writes: writes === true, always: !isText, isOperand: true, remote });
  }

  /** What a word may say; undefined: it is known only at run time. */
  #texts(word: ShellWord): readonly string[] | undefined {
    const { folder, bindings } = this.#around;
    return word.fixed ? [word.value] : possibleNames(word, folder, bindings);
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
      remote = false,
    }: {
      readonly writes: boolean;
      readonly always: boolean;
      readonly isOperand?: boolean;
      readonly remote?: boolean | undefined;
    },
  ): string | undefined {
    const { folder, bindings } = this.#around;
    if (word.fixed) {
      if (always && !remote && isAddress(word.value)) return `${word.text} comes from elsewhere`;
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

function refused(named: string, text: string, of: "option" | "value" = "option"): OptionRead {
  return { named, taken: 0, valued: true, objection: { text, of } };
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
