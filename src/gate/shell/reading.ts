import type { ShellWord } from "./words.ts";

export interface ShellAssignment {
  readonly name: string;
  /** As written: `A=1`, `a[0]+=x`, `a=(1 2)`. */
  readonly text: string;
  /** One value, or a list's elements. */
  readonly values: readonly ShellWord[];
  /** Set for the shell from here on, not for one command only. */
  readonly lasting: boolean;
}

export interface ShellRedirect {
  readonly operator: string;
  /** Absent for here-documents. */
  readonly target?: ShellWord | undefined;
  /** The text that a here-document or here-string feeds in; absent if only the shell can know it. */
  readonly feed?: string | undefined;
  readonly access: "read" | "write" | "both" | "descriptor" | "feed";
}

/** One command of the line that names a program, sets variables or redirects. Compound commands are split. */
export interface SimpleCommand {
  /** Empty: only assignments or redirections. */
  readonly words: readonly ShellWord[];
  readonly assignments: readonly ShellAssignment[];
  readonly redirects: readonly ShellRedirect[];
  readonly readsPipe: boolean;
  readonly writesPipe: boolean;
  readonly background: boolean;
  /** Path of nested subshells, separated by `/`: a change of folder affects the same scope and those below. */
  readonly scope: string;
  readonly text: string;
}

/** What the line itself shows about a variable. */
export interface VariableBinding {
  readonly values: ShellWord[];
  /** Also set by arithmetic: a number. */
  numeric: boolean;
  /** Also set in a way that this line does not show. */
  opaque: boolean;
}

/** A place where the shell calculates. It evaluates a variable's text there, which may run commands. */
export interface Calculation {
  readonly text: string;
  readonly names: readonly string[];
  /** Holds something other than numbers, operators and names. */
  readonly dynamic: boolean;
}

/** Everything that one shell script says, in source order. */
export interface ShellScript {
  readonly commands: readonly SimpleCommand[];
  readonly bindings: ReadonlyMap<string, VariableBinding>;
  readonly calculations: readonly Calculation[];
  /** Expansions that evaluate a variable's text as shell: `${x@P}`, `${!x}`. */
  readonly reevaluations: readonly string[];
  readonly functions: readonly string[];
}

export type ReadResult =
  | { readonly ok: true; readonly reading: ShellScript }
  | { readonly ok: false; readonly error: string };
