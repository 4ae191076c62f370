import { resolve } from "node:path/posix";
import { LIMITS } from "../protocol/index.ts";
import { beyondRule, type CommandPlace } from "./options/cover.ts";
import { findOptions } from "./shell/options.ts";
import { asGlob, possibleNames, staysInside, type Folder } from "./shell/paths.ts";
import { foldersOf, HARMLESS_DEVICES } from "./shell/preview.ts";
import { PLAIN_PROGRAMS } from "./shell/programs.ts";
import { sameCommands, saysTheSame, type RuleWords } from "./shell/same-commands.ts";
import { unwrap, type Layer, type UnwrappedCommand, type Unwrapped } from "./shell/unwrap.ts";
import { canonicalWord, type ShellWord } from "./shell/words.ts";
import { HARMLESS_WRAPPERS, runsProjectTool } from "./shell/wrappers.ts";
import type { CommandPattern, Rule } from "./rules.ts";

export type CommandRule = Extract<Rule, { kind: "command" }>;

/** Strips the blanks that the shell treats as blanks. Other blank characters belong to a word. */
export function trimmed(command: string): string {
  return command.replace(/^[ \t\n]+/, "").replace(/[ \t\n]+$/, "");
}

/** A rule that means exactly this line. */
export function namesLine(pattern: CommandPattern, command: string): boolean {
  return pattern.kind === "exact" && trimmed(pattern.command) === trimmed(command);
}

function fits(pattern: CommandPattern, form: string): boolean {
  switch (pattern.kind) {
    case "exact":
      return form === trimmed(pattern.command);
    case "prefix":
      return form === pattern.prefix || form.startsWith(`${pattern.prefix} `);
    case "wildcard":
      return (
        fitsPieces(pattern.pieces, form) ||
        (pattern.open && fitsPieces([...pattern.pieces.slice(0, -1), `${pattern.pieces.at(-1) ?? ""} `, ""], form))
      );
  }
}

/** Whether a text consists of the pieces in order with anything between them. One pass, whatever the text holds. */
function fitsPieces(pieces: readonly string[], text: string): boolean {
  const [first = "", ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/**
 * Whether the rules allow the whole line. Every simple command must match a rule. Nothing may be known only at run time, no
 * variable may change what programs do, and no redirection may write. What a star stands for must do no more than the rule
 * says. Returns the rules that were used.
 */
export function allowsCommand(
  rules: readonly CommandRule[],
  command: string,
  { folder, shell = unwrap(command) }: { readonly folder: Folder; readonly shell?: Unwrapped | undefined },
): readonly string[] | undefined {
  const whole = rules.find((rule) => namesLine(rule.pattern, command));
  if (whole !== undefined) return [whole.text];
  const { parts, notes, error } = shell;
  if (error !== undefined || notes.length > 0 || parts.length === 0) return undefined;
  const used = new Set<string>();
  const folders = foldersOf(parts, folder);
  let moved = false;
  for (const [index, part] of parts.entries()) {
    const place = folders[index] ?? folder;
    if (part.notes.some((note) => note.kind !== "code") || redirectsTooFar(part, place) || setsTooMuch(part))
      return undefined;
    for (const [at, layer] of part.layers.entries()) {
      const around = { folder: place, bindings: part.bindings, moved };
      const rule = rules.find((candidate) => covers(candidate.pattern, layer, around));
      if (rule !== undefined) used.add(rule.text);
      else if (!isHarmless(layer, part) && !isProjectTool(part, at)) return undefined;
      if (rule?.pattern.kind !== "exact" && /^(cd|pushd|popd)$/.test(layer.program)) moved = !staysPut(layer, place);
    }
  }
  return used.size === 0 ? undefined : [...used];
}

function covers(pattern: CommandPattern, layer: Layer, around: CommandPlace): boolean {
  return (
    plainForms(layer).some((form) => fits(pattern, form)) && beyondRule(pattern, layer.words, around) === undefined
  );
}

/** `cd .`, `cd "$PWD"`: the folder does not change. */
function staysPut({ words }: Layer, { cwd, workspace }: Folder): boolean {
  const target = words.find((word, index) => index > 0 && !word.value.startsWith("-"));
  return target?.fixed === true && resolve(cwd, target.value) === workspace;
}

function isHarmless(layer: Layer, part: UnwrappedCommand): boolean {
  return (
    HARMLESS_WRAPPERS.has(layer.program) &&
    layer !== part.layers.at(-1) &&
    layer.words[0]?.value === layer.program &&
    // `time -o file` writes a file.
    !(layer.program === "time" && findOptions(layer.words.slice(0, 4), ["-o", "--output"]).length > 0)
  );
}

/** `uv run pytest -q`: the rule for the words before judged these as well. */
function isProjectTool({ layers }: UnwrappedCommand, at: number): boolean {
  const before = layers[at - 1];
  return before !== undefined && runsProjectTool(before.words) && before.words[2] === layers[at]?.words[0];
}

/** Writes by redirection, or reads something outside the workspace. */
function redirectsTooFar(part: UnwrappedCommand, folder: Folder): boolean {
  return part.redirects.some(({ access, target }) => {
    if (target === undefined || access === "descriptor" || access === "feed") return false;
    if (target.fixed && HARMLESS_DEVICES.has(target.value)) return false;
    if (access !== "read") return true;
    const names = possibleNames(target, folder, part.bindings);
    return names?.every((name) => !name.startsWith("~") && staysInside(asGlob(name), folder)) !== true;
  });
}

/** Variables that only set verbosity and language. Any other may choose settings, plugins or places. */
const TAME_VARIABLES =
  /^(CI|NODE_ENV|LANG|LANGUAGE|LC_[A-Z]+|TZ|FORCE_COLOR|NO_COLOR|CLICOLOR(_FORCE)?|TERM|COLORTERM|COLUMNS|LINES|DEBUG|VERBOSE|LOG_LEVEL|RUST_BACKTRACE|RUST_LOG|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|GIT_(TERMINAL_PROMPT|OPTIONAL_LOCKS|PAGER)|PAGER|NO_UPDATE_NOTIFIER|CARGO_TERM_COLOR|SOURCE_DATE_EPOCH)$/;

/** Names that scripts use for their own variables. */
const OWN_VARIABLES = /^([a-z][a-z\d_]*|REPLY|MAPFILE|OPTARG|OPTIND)$/;

function setsTooMuch(part: UnwrappedCommand): boolean {
  // The value that a builtin sets is not tracked.
  if (part.sets?.some((name) => !OWN_VARIABLES.test(name)) === true) return true;
  return part.assignments.some(({ name, lasting, values }) => {
    // Without `export`, a variable reaches programs only if it was exported before.
    if (lasting && part.layers.length === 0) return !OWN_VARIABLES.test(name) && !TAME_VARIABLES.test(name);
    return !TAME_VARIABLES.test(name) || values.some((value) => !value.fixed);
  });
}

/** As written, and with all quoting undone in the same way. */
function plainForms({ words }: Layer): readonly string[] {
  const shown = words.filter((word) => word.added !== true);
  return [shown.map((word) => word.text).join(" "), shown.map(canonicalWord).join(" ")];
}

/** What a deny or ask rule finds in a line. `maybe`: a match cannot be ruled out. */
export interface Caught {
  readonly rule: CommandRule;
  readonly certain: boolean;
  readonly why: string;
}

/** Whether a rule matches anything in the line, including inside wrappers and substitutions, in any spelling. */
export function catchesCommand(rules: readonly CommandRule[], command: string, shell: Unwrapped): Caught | undefined {
  const [first] = rules;
  if (first === undefined) return undefined;
  for (const rule of rules) {
    if (fits(rule.pattern, trimmed(command))) return { rule, certain: true, why: "the command matches it" };
    for (const part of shell.parts) {
      const layer = part.layers.find(({ program, words }) => fitsLoosely(rule.pattern, program, words));
      if (layer !== undefined) return { rule, certain: true, why: `${textOf(layer.words)} matches it` };
    }
  }
  return suspicion(rules, shell) ?? blindSpot(first, shell);
}

function textOf(words: readonly ShellWord[]): string {
  return words
    .filter((word) => word.added !== true)
    .map((word) => word.text)
    .join(" ");
}

/** Whether a pattern matches any equivalent spelling: quoted or not, by path or by name. */
function fitsLoosely(pattern: CommandPattern, program: string, words: readonly ShellWord[]): boolean {
  const shown = words.filter((word) => word.added !== true);
  const values = shown.map((word) => word.value);
  const named = [program === "" ? (values[0] ?? "") : program, ...values.slice(1)];
  const canonical = shown.map(canonicalWord);
  const forms = [values, named, canonical, [named[0], ...canonical.slice(1)], shown.map((word) => word.text)];
  const others = sameCommands(named);
  if ([...forms, ...others].some((form) => fits(pattern, form.join(" ")))) return true;
  if (pattern.kind === "exact") return false;
  const said = wordsOf(pattern);
  if (said !== undefined && [named, ...others].some((form) => saysTheSame(said, form))) return true;
  // `git --no-pager -C x push` is `git push`: an option, and perhaps its value, is skipped.
  for (let at = 1; at < Math.min(named.length, LIMITS.shellSpellings); at++) {
    const isOption = named[at]?.startsWith("-") === true;
    if (!isOption && !(at > 1 && named[at - 1]?.startsWith("-") === true)) return false;
    if (fits(pattern, [named[0], ...named.slice(at + 1)].join(" "))) return true;
  }
  return false;
}

/** The words that a rule begins with, if it is only words and then anything. */
function wordsOf(pattern: CommandPattern): RuleWords | undefined {
  if (pattern.kind === "exact") return undefined;
  if (pattern.kind === "prefix") return { words: pattern.prefix.split(" "), isCut: false };
  const [first = "", ...more] = pattern.pieces;
  return more.length === 0 || (more.length === 1 && more[0] === "")
    ? { words: first.trim().split(" "), isCut: more.length === 1 && !first.endsWith(" ") }
    : undefined;
}

function namedBy(pattern: CommandPattern): readonly string[] {
  return pattern.kind === "exact" ? trimmed(pattern.command).split(" ") : (wordsOf(pattern)?.words ?? []);
}

const INTERPRETERS = /^(node|nodejs|bun|deno|python|pypy|ruby|perl|php|lua)[\d.]*$/;

/** Whether run-time words stand where the rule has fixed words: `npm $x`, `node $(which npm) publish`. */
function mayBecome(pattern: CommandPattern, { program, words }: Layer): boolean {
  const given = words.slice(1).filter((word) => !word.value.startsWith("-") && word.added !== true);
  // `xargs npm`: the words that follow are read.
  const late = words.some((word) => word.added === true);
  if (INTERPRETERS.test(program)) return given[0] === undefined ? late : !given[0].fixed;
  const [name, ...said] = namedBy(pattern);
  if (name !== program) return false;
  for (const [index, word] of said.filter((text) => !text.startsWith("-")).entries()) {
    const found = given[index];
    if (found === undefined) return late;
    if (found.fixed && found.value !== word) return false;
    if (!found.fixed) return true;
  }
  return late && said.some((text) => text.startsWith("-") && !words.some((word) => word.value === text));
}

/** A program that is not well known gets words that a rule is about: it may run them. */
function suspicion(rules: readonly CommandRule[], { parts }: Unwrapped): Caught | undefined {
  for (const { layers } of parts) {
    const layer = layers.at(-1);
    const open = layer === undefined ? undefined : rules.find(({ pattern }) => mayBecome(pattern, layer));
    if (open !== undefined && layer !== undefined)
      return { rule: open, certain: false, why: `${textOf(layer.words)} is known only at run time` };
    const renamed = layer === undefined ? undefined : renames(rules, layer);
    if (renamed !== undefined) return renamed;
    if (layer === undefined || PLAIN_PROGRAMS.has(layer.program)) continue;
    for (let at = 1; at < Math.min(layer.words.length, LIMITS.shellSpellings); at++) {
      const words = layer.words.slice(at, at + LIMITS.shellSpellings);
      const name = words[0]?.value ?? "";
      const rule = rules.find(({ pattern }) => fitsLoosely(pattern, name.slice(name.lastIndexOf("/") + 1), words));
      if (rule !== undefined) return { rule, certain: false, why: `${layer.program} may run ${textOf(words)}` };
    }
  }
  return undefined;
}

/** `ln -s /usr/bin/curl c`: a program gets a new name that no rule would match. */
function renames(rules: readonly CommandRule[], { program, words }: Layer): Caught | undefined {
  if (!/^(ln|cp|mv|install|link|rsync)$/.test(program)) return undefined;
  for (const { value, text } of words.slice(1)) {
    const file = value.includes("/") ? value.slice(value.lastIndexOf("/") + 1) : "";
    const rule = rules.find(({ pattern }) => file !== "" && file === namedBy(pattern)[0]);
    if (rule !== undefined) return { rule, certain: false, why: `${program} gives ${text} another name` };
  }
  return undefined;
}

function blindSpot(rule: CommandRule, { parts, notes, error }: Unwrapped): Caught | undefined {
  if (error !== undefined)
    return {
      rule,
      certain: false,
      why: `the command cannot be parsed (${error}), so it is not clear whether it matches`,
    };
  const note = [...notes, ...parts.flatMap((part) => part.notes)][0];
  return note === undefined
    ? undefined
    : { rule, certain: false, why: `${note.message}; so it is not clear whether it matches` };
}

/** Whether the line itself shows everything that it does, with nothing left to run time. */
export function isStatic(command: string): boolean {
  const { parts, notes, error } = unwrap(command);
  return (
    error === undefined &&
    notes.length === 0 &&
    parts.every((part) => part.notes.every(({ kind }) => kind === "code" || kind === "input"))
  );
}
