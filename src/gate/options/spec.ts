/**
 * What a rule with a star covers for one program: options that write nowhere else, run nothing, and choose no other
 * project, shell or settings. An option that is not listed asks.
 */
export interface ProgramSpec {
  /** Letters that stand alone: `-la`. */
  readonly flags?: string;
  /** Letters whose value is a file. */
  readonly files?: string;
  /** Letters whose value is text, never a file. */
  readonly texts?: string;
  /** Letters whose value, if any, is attached: `-M50%`, `-j4`. */
  readonly attached?: string;
  /** Long names: `all` stands alone, `key~` takes a text, `file=` a file, `color?` an attached text or nothing. */
  readonly long?: string;
  /** Whole names after one dash, in the same notation: `-name~`. Letters cannot be combined then. */
  readonly single?: string;
  /** `-5` is a number. */
  readonly numbers?: true;
  /** `text`: operands are not files. `pattern`: the first is a pattern. `none`: any operand asks. Absent: files. */
  readonly operands?: "text" | "pattern" | "none";
  /** How many operands are covered at most; the ones after them are output files. */
  readonly most?: number;
  /** Operands that ask. */
  readonly asks?: RegExp;
  /** Words, and values of options, that ask: a pattern that reads files, a format that writes one. */
  readonly says?: RegExp;
  /** Operands are tasks, of which a rule that spells one covers no other. */
  readonly tasks?: true;
  /** Operands and files may be addresses; otherwise what is fetched from elsewhere asks. */
  readonly remote?: true;
  /** Letters that mean the same as a long name: `X` is `request`. */
  readonly same?: Readonly<Record<string, string>>;
  /** A letter whose value is a program with the rest of the words: `python -m pytest`. */
  readonly runs?: string;
  /** Runs a file: without an operand, or with `-`, it runs standard input. */
  readonly script?: true;
  /** The first word may hold option letters without a dash: `tar tf`. */
  readonly bundled?: true;
  /** No option is harmful, so a file name that turns out to be an option is harmless too. */
  readonly harmless?: true;
  /** Every option is covered, known or not. */
  readonly any?: true;
  /** Ignores the settings of the folder that it runs in. */
  readonly plain?: true;
  /** Changes the files that it names. */
  readonly writes?: true;
  /** Deletes what it names: the workspace itself is never covered. */
  readonly deletes?: true;
  /** Who owns the words after the first operand: an unknown program, the named program, or something out of reach. */
  readonly rest?: "generic" | "program" | "anything";
  /** Words after `--` belong to an unknown program. */
  readonly dashes?: "generic";
  /** By subcommand; the program's own options count there too. */
  readonly commands?: Readonly<Record<string, ProgramSpec>>;
  /** For a subcommand that is not listed: what follows belongs to a script (`yarn lint`). Absent: a star does not stand for it. */
  readonly otherwise?: "script";
}

export type Arity = "flag" | "text" | "file" | "attached";

/** How an option is read; undefined: it is not covered. */
export function longArity(names: string | undefined, name: string): Arity | undefined {
  if (names === undefined || !/^[\w.-]+$/.test(name)) return undefined;
  for (const entry of names.split(" ")) {
    if (entry === name) return "flag";
    if (entry.length === name.length + 1 && entry.startsWith(name)) {
      const mark = entry.at(-1);
      if (mark === "~") return "text";
      if (mark === "=") return "file";
      if (mark === "?") return "attached";
    }
  }
  return undefined;
}

export function shortArity(spec: ProgramSpec, letter: string): Arity | undefined {
  if (spec.flags?.includes(letter) === true) return "flag";
  if (spec.texts?.includes(letter) === true) return "text";
  if (spec.files?.includes(letter) === true) return "file";
  return spec.attached?.includes(letter) === true ? "attached" : undefined;
}

/** A subcommand with the options of its program. */
export function within(program: ProgramSpec, command: ProgramSpec): ProgramSpec {
  const joined = (left: string | undefined, right: string | undefined, between: string): string | undefined =>
    left === undefined ? right : right === undefined ? left : `${left}${between}${right}`;
  const { commands: _commands, otherwise: _otherwise, ...own } = program;
  const letters = (command.flags ?? "") + (command.texts ?? "") + (command.files ?? "") + (command.attached ?? "");
  // A letter of the subcommand has the subcommand's meaning.
  const rest = (of: string | undefined): string | undefined =>
    of === undefined
      ? undefined
      : Array.from(of)
          .filter((letter) => !letters.includes(letter))
          .join("");
  const merged = {
    ...own,
    ...command,
    flags: joined(rest(own.flags), command.flags, ""),
    texts: joined(rest(own.texts), command.texts, ""),
    files: joined(rest(own.files), command.files, ""),
    long: joined(own.long, command.long, " "),
    single: joined(own.single, command.single, " "),
  };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
}

/** A command that downloads a package and runs it: the rule must name the package. */
export const RUNS_PACKAGE: ProgramSpec = { operands: "none", rest: "generic" };

/** Options that mean the same in every program: what a star covers of a program that is not listed. */
export const GENERIC: ProgramSpec = {
  // `@file` holds further options.
  asks: /^@/,
  // It may write what it is given.
  writes: true,
  remote: true,
  flags: "hqvV",
  long: "help version verbose quiet silent color? colors no-color no-colors watch no-watch check dry-run list json bail? ci run passWithNoTests fail-fast failfast nocapture",
};
