import { LIMITS } from "../../protocol/index.ts";
import { lookIntoShell } from "./builtins.ts";
import { lookIntoCarrier } from "./carriers.ts";
import { NOTHING, unknown, type Inner, type ProgramLook, type Note } from "./look.ts";
import type { Bindings } from "./paths.ts";
import { readShell } from "./read.ts";
import type { VariableBinding, ShellScript, ShellAssignment, ShellRedirect, SimpleCommand } from "./reading.ts";
import { settingOf, type SetVariables } from "./setting.ts";
import { dangerousAssignment } from "./variables.ts";
import type { ShellWord } from "./words.ts";
import { lookIntoWrapper } from "./wrappers.ts";

/** One program in the chain that leads to what really runs. */
export interface Layer {
  /** Without its folder; empty when it is known only at run time. */
  readonly program: string;
  readonly words: readonly ShellWord[];
}

/** One simple command as it will really run. */
export interface UnwrappedCommand {
  /** Outermost first; the last one really runs. Empty: only assignments or redirections. */
  readonly layers: readonly Layer[];
  readonly assignments: readonly ShellAssignment[];
  /** Variables that a builtin sets by its words: `printf -v name`, `read name`. */
  readonly sets?: readonly string[];
  readonly redirects: readonly ShellRedirect[];
  readonly notes: readonly Note[];
  /** The command of the line, or of the script, that contains it. */
  readonly command: SimpleCommand;
  readonly bindings: Bindings;
}

/** Everything a command line does, as far as its text shows. */
export interface Unwrapped {
  readonly parts: readonly UnwrappedCommand[];
  /** Notes on the whole line: calculations and expansions that evaluate text. */
  readonly notes: readonly Note[];
  readonly readings: readonly ShellScript[];
  /** Why it cannot be understood; there are then no parts. */
  readonly error?: string | undefined;
}

/** Splits a command line into simple commands, looking through every program that runs others. */
export function unwrap(source: string): Unwrapped {
  const result = readShell(source);
  if (!result.ok) return { parts: [], notes: [], readings: [], error: result.error };
  const first = new Unwrapping();
  first.script(result.reading, { layers: [], bindings: new Map(), scope: "" });
  // What builtins set is known only after every wrapper was unwrapped; it counts for the whole line.
  const walk = first.hidden.size === 0 ? first : new Unwrapping();
  if (walk !== first) walk.script(result.reading, { layers: [], bindings: opaque(first.hidden), scope: "" });
  if (walk.parts.length > LIMITS.shellParts) {
    return { parts: [], notes: [], readings: [], error: `more than ${LIMITS.shellParts} commands` };
  }
  return walk;
}

interface OuterCommand {
  readonly layers: readonly Layer[];
  readonly bindings: Bindings;
  readonly scope: string;
}

class Unwrapping implements Unwrapped {
  readonly parts: UnwrappedCommand[] = [];
  readonly notes: Note[] = [];
  readonly readings: ShellScript[] = [];
  /** Variables whose values this line does not show. */
  readonly hidden = new Set<string>();

  script(reading: ShellScript, around: OuterCommand): void {
    const [outermost] = this.readings;
    this.readings.push(reading);
    // `x=a; eval 'x=b'`: the order of the values is not tracked.
    for (const name of outermost === undefined ? [] : reading.bindings.keys())
      if (outermost?.bindings.has(name) === true) this.hidden.add(name);
    const bindings = merged(around.bindings, reading.bindings);
    this.notes.push(...reading.reevaluations.map((text) => unknown(`${text} evaluates a variable's text as shell`)));
    this.notes.push(...calculationNotes(reading, bindings));
    // Loops, `${x:=…}`, `{x}>file` and arithmetic set variables too.
    for (const [name, { values }] of reading.bindings) {
      const message = dangerousAssignment({ name, values });
      if (message !== undefined) this.notes.push({ kind: "environment", message });
    }
    for (const command of reading.commands) {
      const inScope = around.scope === "" ? command : { ...command, scope: `${around.scope}${command.scope}` };
      this.#command(
        { words: command.words, command: inScope, assignments: command.assignments },
        { ...around, bindings },
      );
    }
  }

  #command(
    {
      words,
      command,
      assignments,
    }: { words: readonly ShellWord[]; command: SimpleCommand; assignments: readonly ShellAssignment[] },
    around: OuterCommand,
  ): void {
    if (this.parts.length > LIMITS.shellParts) return;
    const { bindings } = around;
    const dangers = assignments.flatMap((assignment): readonly Note[] => {
      const message = dangerousAssignment(assignment);
      return message === undefined ? [] : [{ kind: "environment", message }];
    });
    const [name] = words;
    if (name === undefined) {
      this.#emit({
        layers: around.layers,
        assignments,
        redirects: command.redirects,
        notes: dangers,
        command,
        bindings,
      });
      return;
    }
    const program = name.fixed ? programOf(name.value) : "";
    const layers: readonly Layer[] = [...around.layers, { program, words }];
    const tooDeep = layers.length > LIMITS.shellDepth;
    const look = tooDeep ? NOTHING : this.#look(program, words, command, bindings);
    const setting = this.#setting(settingOf(program, { words, bindings }), assignments);
    const sets = setting.names.length === 0 ? {} : { sets: setting.names };
    const notes = [...dangers, ...setting.notes, ...look.notes];
    if (!name.fixed) notes.push(unknown(`which program runs is known only at run time: ${name.text}`));
    if (tooDeep) notes.push(unknown(`commands are nested more than ${LIMITS.shellDepth} deep`));
    const nested = look.inner.map(
      (inner) => () => this.#inner(inner, { command, assignments, program }, { ...around, layers }),
    );
    // A wrapper's notes belong to what it wraps. It needs a part of its own only if it wraps nothing.
    const before = this.parts.length;
    if (!look.wrapper)
      this.#emit({ layers, assignments, ...sets, redirects: command.redirects, notes, command, bindings });
    for (const run of nested) run();
    if (!look.wrapper) return;
    if (this.parts.length === before)
      this.#emit({ layers, assignments, redirects: command.redirects, notes, command, bindings });
    else this.#annotate(before, notes, command);
  }

  /** What a builtin sets besides the assignments already read. */
  #setting({ names, notes }: SetVariables, assignments: readonly ShellAssignment[]): SetVariables {
    const others = names.filter((name) => !assignments.some((assignment) => assignment.name === name));
    for (const name of others) this.hidden.add(name);
    const dangers = others.flatMap((name): readonly Note[] => {
      const message = dangerousAssignment({ name, values: [] });
      return message === undefined ? [] : [{ kind: "environment", message }];
    });
    return { names: others, notes: [...notes, ...dangers] };
  }

  /** A wrapper's notes and redirections go to the first of the commands it runs. */
  #annotate(at: number, notes: readonly Note[], command: SimpleCommand): void {
    const first = this.parts[at];
    if (first === undefined) return;
    const redirects = [
      ...command.redirects.filter((redirect) => !first.redirects.includes(redirect)),
      ...first.redirects,
    ];
    const assignments = [
      ...command.assignments.filter((assignment) => !first.assignments.includes(assignment)),
      ...first.assignments,
    ];
    this.parts[at] = {
      ...first,
      notes: [...notes.filter((note) => !first.notes.includes(note)), ...first.notes],
      redirects,
      assignments,
    };
  }

  #look(program: string, words: readonly ShellWord[], command: SimpleCommand, bindings: Bindings): ProgramLook {
    if (program === "") return NOTHING;
    const context = { words, command, bindings };
    return (
      lookIntoWrapper(program, context) ??
      lookIntoShell(program, context) ??
      lookIntoCarrier(program, context) ??
      NOTHING
    );
  }

  #inner(
    inner: Inner,
    outer: {
      readonly command: SimpleCommand;
      readonly assignments: readonly ShellAssignment[];
      readonly program: string;
    },
    around: OuterCommand,
  ): void {
    if (inner.kind === "words") {
      const assignments = [...outer.assignments, ...(inner.assignments ?? [])];
      this.#command({ words: inner.words, command: outer.command, assignments }, around);
      return;
    }
    const result = readShell(inner.text);
    if (result.ok) {
      this.script(result.reading, { ...around, scope: `${outer.command.scope}/${outer.program}` });
      return;
    }
    const notes = [unknown(`the script that ${outer.program} runs cannot be parsed: ${result.error}`)];
    this.#emit({
      layers: around.layers,
      assignments: outer.assignments,
      redirects: [],
      notes,
      command: outer.command,
      bindings: around.bindings,
    });
  }

  #emit(part: UnwrappedCommand): void {
    this.parts.push(part);
  }
}

function opaque(names: ReadonlySet<string>): Bindings {
  return new Map([...names].map((name) => [name, { values: [], numeric: false, opaque: true }]));
}

/** A program's name without its folder. */
function programOf(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

function merged(outer: Bindings, inner: Bindings): Bindings {
  if (outer.size === 0) return inner;
  const all = new Map<string, VariableBinding>(outer);
  for (const [name, binding] of inner) {
    const known = all.get(name);
    all.set(
      name,
      known === undefined
        ? binding
        : {
            values: [...known.values, ...binding.values],
            numeric: known.numeric || binding.numeric,
            opaque: known.opaque || binding.opaque,
          },
    );
  }
  return all;
}

/** Variables of the shell that are always numbers. */
const NUMBERS: ReadonlySet<string> = new Set(
  "? # $ ! RANDOM SRANDOM SECONDS LINENO UID EUID PPID BASHPID SHLVL EPOCHSECONDS OPTIND COLUMNS LINES".split(" "),
);

function calculationNotes(reading: ShellScript, bindings: Bindings): readonly Note[] {
  const notes: Note[] = [];
  for (const { text, names, dynamic } of reading.calculations) {
    const risky = names.find((name) => !NUMBERS.has(name) && !isNumber(bindings.get(name)));
    if (dynamic || risky !== undefined) {
      notes.push(unknown(`calculates with ${risky ?? text.trim()}, whose text may itself run a command`));
    }
  }
  return notes;
}

function isNumber(binding: VariableBinding | undefined): boolean {
  if (binding === undefined || binding.opaque) return false;
  return binding.values.every(
    ({ fixed, value, pieces }) =>
      (fixed && /^(-?\d+)?$/.test(value)) ||
      (pieces.length === 1 && pieces[0]?.kind === "dynamic" && pieces[0].number === true),
  );
}
