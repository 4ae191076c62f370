import { isAbsolute, resolve } from "node:path/posix";
import { LIMITS } from "../protocol/index.ts";
import { pathsMeet } from "./globs.ts";
import type { RuleMatch } from "./match.ts";
import { reaches, READS, ruleForm, ruleNames, type PathPattern, type Rule } from "./rules.ts";
import { anyFileNamesIn } from "./shell/file-names.ts";
import { readGit } from "./shell/git.ts";
import {
  asGlob,
  isInside,
  isKnownOnlyAtRunTime,
  placeOf,
  possibleNames,
  type Bindings,
  type Folder,
} from "./shell/paths.ts";
import { foldersOf, HARMLESS_DEVICES } from "./shell/preview.ts";
import { ONLY_READ, PATTERN_PROGRAMS, TEXT_PROGRAMS } from "./shell/programs.ts";
import type { UnwrappedCommand, Unwrapped } from "./shell/unwrap.ts";
import { readsWholeFolders } from "./shell/whole-folders.ts";
import type { ShellWord } from "./shell/words.ts";

type PathRule = Extract<Rule, { kind: "path" }>;

interface PathQuestion {
  readonly rule: PathRule;
  /** The rule is about changing files; reading them does not matter. */
  readonly writing: boolean;
  readonly folder: Folder;
  /** Folders that a relative name may start from: the working folder, and those that options name. */
  readonly bases: readonly string[];
  readonly bindings: Bindings;
  /** A star at the front of a name may stand for a dot. */
  readonly dots: boolean;
}

/**
 * A path rule also holds for the shell: it applies to any word of any program that names the file. A word that is known only at
 * run time may name it. What a program does internally is left to the sandbox.
 */
export function commandPaths(
  rule: Rule,
  { shell, folder }: { readonly shell: Unwrapped; readonly folder: Folder },
): RuleMatch | undefined {
  if (rule.kind !== "path" || !(ruleNames(rule.tool, READS) || ruleNames(rule.tool, "Write"))) return undefined;
  const { parts, notes, error } = shell;
  const maybe = (why: string): RuleMatch => ({ rule: rule.text, certain: false, why });
  if (error !== undefined) return maybe(`the command cannot be parsed (${error})`);
  const writing = ruleForm(rule.tool) !== "read_path";
  const folders = foldersOf(parts, folder);
  const dots = parts.some((part) => part.command.text.includes("dotglob"));
  let possible: RuleMatch | undefined;
  for (const [index, part] of parts.entries()) {
    const place = folders[index] ?? folder;
    const question = { rule, writing, folder: place, bases: basesOf(part, place), bindings: part.bindings, dots };
    const found = inPart(part, question);
    if (found?.certain === true) return found;
    possible ??= found;
  }
  if (possible !== undefined) return possible;
  const moves = parts.some((part) => goesElsewhere(part));
  if (moves && rule.pattern.glob.includes("/"))
    return maybe("the line goes to a folder that is known only at run time");
  const note = [...notes, ...parts.flatMap((part) => part.notes)].find(({ kind }) => kind !== "environment");
  return note === undefined ? undefined : maybe(`${note.message}; so it is not clear which files it uses`);
}

function goesElsewhere({ layers }: UnwrappedCommand): boolean {
  const layer = layers.at(-1);
  if (!/^(cd|pushd|popd)$/.test(layer?.program ?? "")) return false;
  const target = layer?.words.find((word, index) => index > 0 && !/^-[LPe@]+$/.test(word.value));
  return target === undefined || !target.fixed || target.value === "-";
}

const FOLDER_OPTIONS =
  /^(-C|--directory|--chdir|--cwd|--prefix|--dir|--work-tree|--root|--base-directory|--project-directory)$/;

function basesOf(part: UnwrappedCommand, { cwd }: Folder): readonly string[] {
  const bases = [cwd];
  for (const { words } of part.layers) {
    for (const [index, word] of words.entries()) {
      const [name = "", attached] = word.value.split(/=(.*)/s);
      const short = /^-C(.+)$/s.exec(word.value)?.[1];
      const value = short ?? (FOLDER_OPTIONS.test(name) ? (attached ?? words[index + 1]?.value) : undefined);
      if (value !== undefined) bases.push(resolve(cwd, value));
    }
  }
  return bases;
}

function inPart(part: UnwrappedCommand, question: PathQuestion): RuleMatch | undefined {
  let possible: RuleMatch | undefined;
  const note = (match: RuleMatch | undefined): RuleMatch | undefined => {
    if (match?.certain === false) possible ??= match;
    return match?.certain === true ? match : undefined;
  };
  for (const [index, layer] of part.layers.entries()) {
    const inner = part.layers[index + 1]?.words[0];
    const end = inner === undefined ? -1 : layer.words.indexOf(inner);
    const words = end === -1 ? layer.words : layer.words.slice(0, end);
    for (const word of fileWords(layer.program, words, question)) {
      const match = note(inWord(word, question));
      if (match !== undefined) return match;
    }
    const last = index === part.layers.length - 1;
    const folder = last ? foldersRead(layer.program, words, question) : undefined;
    if (folder !== undefined) note(folder);
  }
  const late = lateNames(part) ?? saidInText(part, question);
  if (late !== undefined) note({ rule: question.rule.text, certain: false, why: late });
  for (const { target, access } of part.redirects) {
    if (target === undefined || access === "descriptor" || access === "feed" || HARMLESS_DEVICES.has(target.value))
      continue;
    if (question.writing && access === "read") continue;
    const match = note(inWord(target, question));
    if (match !== undefined) return match;
  }
  return possible;
}

/** Programs and options that take the names of files from their input, or from a list. */
function lateNames({ layers, command }: UnwrappedCommand): string | undefined {
  const layer = layers.at(-1);
  if (layer === undefined) return undefined;
  const reads = layer.words.some(({ value }) =>
    /^(--files-from|--files0-from|--stdin-paths|--pathspec-from-file|--arg-file)/.test(value),
  );
  const given =
    (/^(cpio|pax)$/.test(layer.program) && command.readsPipe) ||
    (/^(tar|bsdtar)$/.test(layer.program) && layer.words.some(({ value }) => /^-[A-Za-z]*T/.test(value))) ||
    (layer.program === "zip" && layer.words.some(({ value }) => value === "-@"));
  return reads || given ? `${layer.program} takes names that it reads` : undefined;
}

/** A script in a program's own language that names the file: `sqlite3 x '.read .env'`. */
function saidInText({ layers, redirects }: UnwrappedCommand, question: PathQuestion): string | undefined {
  const layer = layers.at(-1);
  const program = layer?.program ?? "";
  if (TEXT_PROGRAMS.has(program) || PATTERN_PROGRAMS.has(program) || ONLY_READ.test(program)) return undefined;
  if (/^(git|gh|tee|find|curl)$/.test(program)) return undefined;
  const texts = [
    ...(layer?.words.slice(1) ?? []).map((word) => word.value).filter((value) => /\s/.test(value)),
    ...redirects.flatMap(({ feed }) => (feed === undefined ? [] : [feed])),
  ];
  const named = texts
    .flatMap((text) => text.slice(0, LIMITS.globPairs).split(/[\s'"`;|&<>()=,:]+/))
    .find((name) => name !== "" && isAbout(name, question, false));
  return named === undefined ? undefined : `${program} is told about ${named}`;
}

/** The words of a program that may name files: all except texts and patterns. */
function fileWords(program: string, words: readonly ShellWord[], { writing }: PathQuestion): readonly ShellWord[] {
  if (program === "date" || program === "hostname") return writing ? [] : listWords(words);
  if (TEXT_PROGRAMS.has(program)) return [];
  if (writing && ONLY_READ.test(program)) return [];
  if (program === "git") return gitWords(words, writing);
  if (program === "find") return findWords(words);
  const given = words.slice(1);
  if (
    PATTERN_PROGRAMS.has(program) &&
    !words.some((word) => /^(-[a-zA-Z]*[ef]|--(regexp|file|expression|from-file)(=.*)?)$/.test(word.value))
  ) {
    const pattern = given.find((word) => !word.value.startsWith("-"));
    return given.filter((word) => word !== pattern);
  }
  if (program === "gh") return withoutTexts(given, /^(-t|-b|--title|--body|--search|-S|--jq|-q)$/);
  if (writing && /^(cp|install|rsync|scp)$/.test(program)) return destinations(given);
  if (writing && program === "dd") return given.filter((word) => !word.value.startsWith("if="));
  return given;
}

/** `date -f file`, `hostname -F file` print the file's content; a format or a date names no file. */
function listWords(words: readonly ShellWord[]): readonly ShellWord[] {
  return withoutTexts(words.slice(1), /^(-[a-zA-Z]*[ds]|--(da?t?e?|set?))$/).filter(
    ({ value }) => !/^(\+|-[a-zA-Z]*d|--d)/.test(value),
  );
}

function destinations(given: readonly ShellWord[]): readonly ShellWord[] {
  const target = given.filter(
    (word, index) =>
      /^(-t|--target-directory)/.test(word.value) || /^(-t|--target-directory)$/.test(given[index - 1]?.value ?? ""),
  );
  return target.length > 0 ? target : given.filter((word) => !word.value.startsWith("-")).slice(-1);
}

function withoutTexts(words: readonly ShellWord[], options: RegExp): readonly ShellWord[] {
  return words.filter((word, index) => {
    const [name = ""] = word.value.split("=");
    return !options.test(words[index - 1]?.value ?? "") && !(word.value.includes("=") && options.test(name));
  });
}

const GIT_TEXTS =
  /^(-m|--message|--author|--date|--grep|-S|-G|--format|--pretty|--since|--until|--after|--before|--subject-prefix|--trailer|--fixup|--squash|-b|-B)$/;
const GIT_READS =
  /^(diff|log|show|status|blame|annotate|grep|ls-files|ls-tree|cat-file|rev-parse|rev-list|describe|shortlog|hash-object|diff-tree|diff-index|diff-files|check-ignore|check-attr|archive|format-patch|add)$/;

function gitWords(words: readonly ShellWord[], writing: boolean): readonly ShellWord[] {
  const { subcommand } = readGit(words, new Map());
  const reads = subcommand !== undefined && GIT_READS.test(subcommand.value);
  const given = withoutTexts(words.slice(1), GIT_TEXTS).filter((word) => word !== subcommand);
  if (!writing || !reads) return given;
  return given.filter(
    ({ value }, index) =>
      /^(-o|--output)/.test(value) || /^(-o|--output(-directory)?)$/.test(given[index - 1]?.value ?? ""),
  );
}

/** Only a search that acts on what it finds reads or changes files. */
function findWords(words: readonly ShellWord[]): readonly ShellWord[] {
  const acts = words.some((word) => /^-(exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/.test(word.value));
  return acts
    ? words.slice(1).filter((word) => word.value !== "{}")
    : words.filter((_word, index) => /^-(files0-from|newer)/.test(words[index - 1]?.value ?? ""));
}

function inWord(word: ShellWord, question: PathQuestion): RuleMatch | undefined {
  const { rule, folder } = question;
  const named: RuleMatch = { rule: rule.text, certain: true, why: `the command names ${word.text}` };
  const maybe: RuleMatch = {
    rule: rule.text,
    certain: false,
    why: `which file ${word.text} is, is known only at run time`,
  };
  if (word.added === true) return { ...maybe, why: "it is given names that are known only at run time" };
  if (word.fixed) {
    const told = namesIn(word.value, question, false);
    if (told === true) return named;
    return told === undefined || mayLeadAnywhere(anyFileNamesIn(word.value), question)
      ? maybe
      : homeDoubt(word.value, question, maybe);
  }
  if (word.pieces.every((piece) => piece.kind === "text" || piece.kind === "glob")) {
    const pattern = word.pieces.map((piece) => piece.text).join("");
    const told = namesIn(pattern, question, !question.dots);
    if (told === true) return named;
    return told === undefined || mayLeadAnywhere(anyFileNamesIn(pattern), question) ? maybe : undefined;
  }
  const names = patternsOf(word, question) ?? possibleNames(word, folder, question.bindings)?.map(asGlob);
  if (names === undefined) return maybe;
  if (names.some((name) => isAbout(name, question, !question.dots))) return named;
  if (mayLeadAnywhere(names, question)) return maybe;
  return homeDoubt(names[0] ?? "", question, maybe);
}

/** `a*\/../x`: the folder above what a pattern finds, which may be a link. */
const ABOVE_FOUND = /[*?[{(][^/]*\/(?:.*\/)?\.\.(?:\/|$)/s;

function mayLeadAnywhere(names: readonly string[] | undefined, { folder, bases }: PathQuestion): boolean {
  return (
    names?.some(
      (name) => ABOVE_FOUND.test(name) || bases.some((cwd) => isKnownOnlyAtRunTime(name, { ...folder, cwd })),
    ) === true
  );
}

/** Whether a word names the file; undefined: it holds too much to decide. */
function namesIn(value: string, question: PathQuestion, hidesDots: boolean): boolean | undefined {
  return anyFileNamesIn(value)?.some((name) => isAbout(name, question, hidesDots));
}

/** The patterns that a word with variables of this line may become; undefined: it holds something else. */
function patternsOf({ pieces }: ShellWord, { bindings }: PathQuestion): readonly string[] | undefined {
  let texts: readonly string[] = [""];
  for (const piece of pieces) {
    if (piece.kind === "home" || piece.kind === "dynamic") return undefined;
    const binding = piece.kind === "variable" ? bindings.get(piece.name) : undefined;
    if (piece.kind === "variable" && (binding === undefined || binding.opaque || binding.numeric || piece.cut))
      return undefined;
    const values = binding?.values ?? [{ pieces: [piece] }];
    if (!values.every((value) => value.pieces.every(({ kind }) => kind === "text" || kind === "glob")))
      return undefined;
    const next = values.map((value) => value.pieces.map(({ text }) => text).join(""));
    texts = texts.flatMap((before) => next.map((after) => before + after));
    if (texts.length > LIMITS.shellTargetValues) return undefined;
  }
  return texts;
}

/** The location of home folders is not known here. */
function homeDoubt(path: string, { rule }: PathQuestion, maybe: RuleMatch): RuleMatch | undefined {
  return rule.pattern.absolute && path.startsWith("~") ? maybe : undefined;
}

function isAbout(name: string, { rule, folder, bases }: PathQuestion, hidesDots: boolean): boolean {
  const { pattern } = rule;
  return bases.some((base) => {
    const { path, real } = placeOf(name, { ...folder, cwd: base });
    if (reaches(pattern, path, folder.workspace) || reaches(pattern, real, folder.workspace)) return true;
    return /[*?[{(]/.test(name) && meets(pattern, path, { workspace: folder.workspace, hidesDots });
  });
}

function meets(
  pattern: PathPattern,
  path: string,
  { workspace, hidesDots }: { readonly workspace: string; readonly hidesDots: boolean },
): boolean {
  return pathsMeet(segmentsOf(path), wholeRule(pattern, workspace), { hidesDots });
}

function segmentsOf(path: string): readonly string[] {
  return path.split("/").filter((segment) => segment !== "");
}

/** The segments of a rule's pattern from the root on. What the workspace is called is no pattern. */
function wholeRule(pattern: PathPattern, workspace: string): readonly string[] {
  const own = segmentsOf(pattern.glob);
  if (pattern.absolute) return own;
  const from = segmentsOf(workspace).map((segment) => segment.replace(/[\\*?[{(]/g, "\\$&"));
  return [...from, ...(pattern.glob.includes("/") ? own : ["**", ...own])];
}

/** A program that takes a whole folder takes everything in it. */
function foldersRead(program: string, words: readonly ShellWord[], question: PathQuestion): RuleMatch | undefined {
  const { rule, writing, folder, bases } = question;
  const taken = readsWholeFolders(program, words, writing ? "write" : "read");
  const held = taken?.find((name) =>
    bases.some((base) => {
      const { path, real } = placeOf(name, { ...folder, cwd: base });
      // `grep -r x /dev/stdin < .`: an open descriptor may be a folder.
      return HARMLESS_DEVICES.has(path) ? path !== "/dev/null" : holdsSome(rule.pattern, real, folder.workspace);
    }),
  );
  return held === undefined
    ? undefined
    : { rule: rule.text, certain: false, why: `${held} may hold files that the rule is about` };
}

/** `cp -r ../a*`: the folder may be named by a pattern, and then holds what lies below any path that this pattern matches. */
function holdsSome(pattern: PathPattern, name: string, workspace: string): boolean {
  if (mayHold(pattern, name, workspace)) return true;
  return /[*?[{(]/.test(name) && pathsMeet(wholeRule(pattern, workspace), segmentsOf(name), { hidesDots: false });
}

/** Whether a folder may hold something that the pattern matches. */
export function mayHold(pattern: PathPattern, path: string, workspace: string): boolean {
  const base = pattern.glob.replace(/[^/]*[*?[{][\s\S]*$/, "").replace(/\/$/, "");
  const start = resolve(workspace, pattern.absolute ? base : `./${base}`);
  if (isInside(path, start)) return true;
  if (pattern.glob.includes("/")) return isAbsolute(path) && /[*?[{]/.test(pattern.glob) && isInside(start, path);
  return isInside(workspace, path);
}
