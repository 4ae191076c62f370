import type { Bindings } from "./paths.ts";
import type { ShellAssignment, SimpleCommand } from "./reading.ts";
import type { ShellWord } from "./words.ts";

/** A property of a command that its words do not show. */
export interface Note {
  /**
   * `unknown`: which program runs is known only at run time. `code`: a program in another language is given inline.
   * `input`: the same on standard input, so that a rule that spells the words does not cover it. `environment`: changes
   * what programs do without showing in the line.
   */
  readonly kind: "unknown" | "code" | "input" | "environment";
  readonly message: string;
}

/** What a program will run in turn. */
export type Inner =
  | { readonly kind: "words"; readonly words: readonly ShellWord[]; readonly assignments?: readonly ShellAssignment[] }
  | { readonly kind: "script"; readonly text: string };

/** What running a program's words really does. */
export interface ProgramLook {
  readonly inner: readonly Inner[];
  readonly notes: readonly Note[];
  /** It only runs what is inside: `env`, `nice`. Otherwise it is also a command of its own. */
  readonly wrapper: boolean;
}

export interface LookContext {
  readonly words: readonly ShellWord[];
  readonly command: SimpleCommand;
  readonly bindings: Bindings;
}

export type Looker = (context: LookContext) => ProgramLook;

export const NOTHING: ProgramLook = { inner: [], notes: [], wrapper: false };

export function unknown(message: string): Note {
  return { kind: "unknown", message };
}

/** A word whose text is a shell script. */
export function scriptIn(word: ShellWord | undefined, whose: string): Pick<ProgramLook, "inner" | "notes"> {
  if (word === undefined) return { inner: [], notes: [] };
  if (!word.fixed) return { inner: [], notes: [unknown(`what ${whose} runs is known only at run time: ${word.text}`)] };
  return { inner: [{ kind: "script", text: word.value }], notes: [] };
}

/** Words that a program joins with spaces and gives to a shell. */
export function joinedScript(words: readonly ShellWord[], whose: string): Pick<ProgramLook, "inner" | "notes"> {
  const moving = words.find((word) => !word.fixed);
  if (moving !== undefined)
    return { inner: [], notes: [unknown(`what ${whose} runs is known only at run time: ${moving.text}`)] };
  if (words.length === 0) return { inner: [], notes: [] };
  return { inner: [{ kind: "script", text: words.map((word) => word.value).join(" ") }], notes: [] };
}

export function together(wrapper: boolean, ...looks: readonly Pick<ProgramLook, "inner" | "notes">[]): ProgramLook {
  return { inner: looks.flatMap((look) => look.inner), notes: looks.flatMap((look) => look.notes), wrapper };
}
