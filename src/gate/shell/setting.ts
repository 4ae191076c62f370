import { setOf } from "./lists.ts";
import { unknown, type Note } from "./look.ts";
import { scanOptions, type OptionTable } from "./options.ts";
import type { Bindings } from "./paths.ts";
import type { ShellWord } from "./words.ts";

/** The variables that a shell builtin sets by its words: `printf -v PATH`, `read HOME`, `export "A=1"`. */
export interface SetVariables {
  readonly names: readonly string[];
  readonly notes: readonly Note[];
}

interface SettingBuiltin extends OptionTable {
  /** Letters whose value is a variable's name. */
  readonly names?: string;
  /** Operands from this index on are variable names; absent: none. */
  readonly from?: number;
  /** How many operands are names. */
  readonly most?: number;
  /** What it sets when no name is given. */
  readonly otherwise?: string;
}

const BUILTINS: Readonly<Record<string, SettingBuiltin>> = {
  printf: { valued: "v", flags: "", names: "v" },
  wait: { valued: "p", flags: "fn", names: "p" },
  read: { valued: "adinNptu", flags: "ersE", names: "a", from: 0, otherwise: "REPLY" },
  mapfile: { valued: "dnOsuCc", flags: "t", from: 0, most: 1, otherwise: "MAPFILE" },
  readarray: { valued: "dnOsuCc", flags: "t", from: 0, most: 1, otherwise: "MAPFILE" },
  getopts: { valued: "", flags: "", from: 1, most: 1 },
  compgen: { valued: "oAGWFCXPSV", flags: "abcdefgjksuv", names: "V" },
};
const DECLARES = setOf("declare typeset local readonly export");

const NOTHING_SET: SetVariables = { names: [], notes: [] };

/** A variable name at the start: `a`, `a[1]`, `a+=`. */
const NAME = /^[A-Za-z_]\w*/;

export function settingOf(
  program: string,
  { words, bindings }: { readonly words: readonly ShellWord[]; readonly bindings: Bindings },
): SetVariables {
  if (DECLARES.has(program)) return declared(program, words);
  if (program === "let") return { names: words.slice(1).flatMap(({ value }) => calculated(value)), notes: [] };
  if (program === "unset") return emptied(words);
  const builtin = Object.hasOwn(BUILTINS, program) ? BUILTINS[program] : undefined;
  return builtin === undefined ? NOTHING_SET : byTable(program, builtin, { words, bindings });
}

function byTable(
  program: string,
  builtin: SettingBuiltin,
  { words, bindings }: { readonly words: readonly ShellWord[]; readonly bindings: Bindings },
): SetVariables {
  const { next, values } = scanOptions(words, builtin, bindings);
  const operands = words.slice(next);
  const [first] = operands;
  const { from, most } = builtin;
  const named = [
    ...Array.from(builtin.names ?? "").flatMap((letter) => values.get(letter) ?? []),
    ...(from === undefined ? [] : operands.slice(from, most === undefined ? undefined : from + most)),
  ];
  // `printf %n PATH` puts a number there.
  if (program === "printf" && /%[^%A-Za-z]*n/.test(first?.value ?? "")) named.push(...operands.slice(1));
  // `printf $x …`: the word may turn out to be the option with a name attached.
  const hides = from === undefined && first?.fixed === false && operands.length > 1;
  const doubt = hides && scanOptions([...words.slice(0, next), first], builtin, bindings).unsure !== undefined;
  const setting = namesOf(program, doubt ? [...named, first] : named);
  const none = named.length === 0 && builtin.otherwise !== undefined;
  return none ? { ...setting, names: [builtin.otherwise] } : setting;
}

function namesOf(program: string, words: readonly ShellWord[]): SetVariables {
  const late = words.find((word) => !word.fixed && NAME.exec(word.value) === null);
  return {
    names: words.flatMap(({ value }) => NAME.exec(value) ?? []).map(String),
    notes: late === undefined ? [] : [onlyAtRunTime(program, late)],
  };
}

function onlyAtRunTime(program: string, { text }: ShellWord): Note {
  return unknown(`which variable ${program} sets is known only at run time: ${text}`);
}

/** `export "A=1"`, `builtin declare A=1`: assignments given as words. */
function declared(program: string, words: readonly ShellWord[]): SetVariables {
  const given = words.slice(1);
  const isOption = ({ value }: ShellWord): boolean => /^[-+][A-Za-z]+$/.test(value);
  const letters = given
    .filter((word) => isOption(word) && word.value.startsWith("-"))
    .map(({ value }) => value)
    .join("");
  const names: string[] = [];
  const notes: Note[] = [];
  for (const word of given.filter((candidate) => !isOption(candidate))) {
    const [, name, value = ""] = /^([A-Za-z_]\w*)(?:\[[\s\S]*?\])?\+?=([\s\S]*)$/.exec(word.value) ?? [];
    if (name !== undefined) names.push(name);
    else if (!word.fixed) notes.push(onlyAtRunTime(program, word));
    // A local PATH without a value is empty: then programs of the working folder run.
    else if (word.value === "PATH" && /^(declare|typeset|local)$/.test(program) && !letters.includes("p"))
      names.push("PATH");
    if (letters.includes("i")) names.push(...calculated(value));
    if (letters.includes("n") && program !== "export")
      notes.push(unknown(`${program} -n makes ${word.text} stand for another variable`));
  }
  return { names, notes };
}

/** The variables that a calculation sets: `let PATH=1`, `let 'a++'`. */
function calculated(text: string): readonly string[] {
  return Array.from(
    text.matchAll(
      /([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)?(?:(?:[-+*/%&^|]|<<|>>)?=(?!=)|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)/g,
    ),
    ([, before, after]) => before ?? after ?? "",
  );
}

/** Without a PATH, programs of the working folder run. Unsetting any other variable is harmless. */
function emptied(words: readonly ShellWord[]): SetVariables {
  const given = words.slice(1);
  const late = given.find((word) => !word.fixed);
  return {
    names: given.some(({ value }) => value === "PATH") ? ["PATH"] : [],
    notes: late === undefined ? [] : [onlyAtRunTime("unset", late)],
  };
}
