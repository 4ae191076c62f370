import { resolve } from "node:path/posix";
import { LIMITS } from "../../protocol/index.ts";
import { beyondSpec } from "../options/cover.ts";
import type { ProgramSpec } from "../options/spec.ts";
import { isInside, type Folder } from "../shell/paths.ts";
import type { ShellRedirect, SimpleCommand } from "../shell/reading.ts";
import { leadsAnywhere } from "../shell/run-time-names.ts";
import { unwrap } from "../shell/unwrap.ts";
import type { ShellWord } from "../shell/words.ts";
import { expanded } from "./expand.ts";
import type { ReadableFiles } from "./files.ts";
import { gitFileNames, readGitWords, tameSettings } from "./git.ts";
import { holdsFilesOnly } from "./git-index.ts";
import { readerOf, type ReadingProgram, type Shows } from "./readers.ts";
import { simpleCommands } from "./simple-line.ts";

/** Where the programs of a proven line are looked for, and nowhere else. */
export const READING_PATH: readonly string[] = ["/usr/bin", "/bin"];

/** A command line that only reads, inside of the workspace, if it runs as the Bash tool runs such lines. */
export interface ProvenReading {
  /** For people. */
  readonly programs: readonly string[];
  /** May show files that it does not name: what git stores, whole folders. */
  readonly open: boolean;
  /** Uses git: it must be bound to the repository that was looked at. */
  readonly git: boolean;
}

interface ProvingLine {
  readonly folder: Folder;
  readonly files: ReadableFiles;
}

/** What one command of the line does. */
interface ReadingStep {
  readonly program: string;
  readonly reads: boolean;
  readonly open: boolean;
}

/**
 * Proves that a line changes nothing, runs nothing but the programs that it names, and reads no file outside of the workspace and no
 * secret. A text: why that is not proven.
 */
export async function proveReading(command: string, line: ProvingLine): Promise<ProvenReading | string> {
  if (command.length > LIMITS.readingChars) return "it is too long";
  const commands = simpleCommands(command, unwrap(command));
  if (typeof commands === "string") return commands;
  const steps: ReadingStep[] = [];
  let words = 0;
  for (const simple of commands) {
    const given = await wordsOf(simple, line);
    if (typeof given === "string") return given;
    words += given.length;
    if (words > LIMITS.readingWords) return "it has too many words";
    const step = await proveCommand(simple, given, line);
    if (typeof step === "string") return step;
    steps.push(step);
  }
  // A line that reads nothing is no reading: it is asked about like any other.
  if (!steps.some(({ reads }) => reads)) return "it reads nothing";
  return {
    programs: [...new Set(steps.map(({ program }) => program))],
    open: steps.some(({ open }) => open),
    git: steps.some(({ program }) => program === "git"),
  };
}

/** With names in the place of patterns. */
async function wordsOf({ words }: SimpleCommand, line: ProvingLine): Promise<readonly ShellWord[] | string> {
  const given: ShellWord[] = [];
  for (const word of words) {
    const becomes = await expanded(word, line.folder, line.files);
    if (typeof becomes === "string") return becomes;
    given.push(...becomes);
    if (given.length > LIMITS.readingWords) return `${word.text} stands for too many files`;
  }
  return given;
}

async function proveCommand(
  { words, redirects }: SimpleCommand,
  given: readonly ShellWord[],
  line: ProvingLine,
): Promise<ReadingStep | string> {
  const [name, ...rest] = words;
  if (name === undefined || !name.fixed) return "it names no program";
  const redirect = redirects.find((candidate) => !isHarmless(candidate));
  if (redirect !== undefined) return `it redirects with ${redirect.operator}`;
  const program = name.value;
  if (program === "cd") return staysPut(rest, line) ? { program, reads: false, open: false } : "it changes the folder";
  const reader = readerOf(program);
  if (reader === undefined && program !== "git") return `${program} is not known to only read`;
  if (reader?.fixed === true && rest.some((word) => !word.fixed)) return `${program} is given a pattern`;
  if (reader?.builtin !== true && !(await isInstalled(program, line.files)))
    return `${program} is not a system program`;
  return reader === undefined ? proveGit(given, line) : proveReader(reader, given, line);
}

function isHarmless({ operator, target, access }: ShellRedirect): boolean {
  if (target?.fixed !== true) return false;
  if (access === "descriptor") return /^[12]?>&$/.test(operator) && /^[12]$/.test(target.value);
  return (access === "write" || access === "read") && target.value === "/dev/null";
}

function staysPut(words: readonly ShellWord[], { folder }: ProvingLine): boolean {
  const [target, ...more] = words;
  return more.length === 0 && target?.fixed === true && !target.value.startsWith("-") && target.value !== ""
    ? resolve(folder.cwd, target.value) === folder.workspace
    : false;
}

/** A program of the system, that nothing in a workspace can stand in for. */
async function isInstalled(program: string, files: ReadableFiles): Promise<boolean> {
  for (const folder of READING_PATH) {
    const { real, exists } = await files.look(`${folder}/${program}`);
    if (exists) return /^\/(?:usr|bin)\//.test(real);
  }
  return false;
}

async function proveReader(
  reader: ReadingProgram,
  words: readonly ShellWord[],
  line: ProvingLine,
): Promise<ReadingStep | string> {
  const program = words[0]?.value ?? "";
  const options = words.slice(1).filter(({ value }) => value.startsWith("-"));
  const { walks: how, shows } = reader;
  const walks = how !== undefined && ["", ...options.map(({ value }) => value)].some((value) => how.test(value));
  const visited = visitedBy(reader.spec, words, line.folder);
  if (typeof visited === "string") return visited;
  const objection =
    reader.objection?.(words) ??
    (await pathObjection(visited.all, line, reader.filesOnly === true)) ??
    (walks ? await walkObjection(visited.operands, line, shows) : undefined);
  if (objection !== undefined) return objection;
  return { program, reads: shows !== "words", open: walks && shows === "contents" };
}

interface VisitedNames {
  readonly all: readonly string[];
  readonly operands: readonly string[];
}

/** The words that the program may open as files. A text: why its options are not covered. */
function visitedBy(spec: ProgramSpec, words: readonly ShellWord[], folder: Folder): VisitedNames | string {
  const all: string[] = [];
  const operands: string[] = [];
  const visit = (name: string, as: "operand" | "value"): void => {
    all.push(name);
    if (as === "operand") operands.push(name);
  };
  return beyondSpec(spec, words, { folder, bindings: new Map(), moved: false, visit }) ?? { all, operands };
}

/** Not normalised: the system follows a link before it goes up. */
function writtenPath(name: string, { cwd }: Folder): string {
  return name.startsWith("/") ? name : `${cwd}/${name}`;
}

const STREAMS = /^(?:-|\/dev\/(?:null|stdin))$/;

async function pathObjection(
  names: readonly string[],
  { folder, files }: ProvingLine,
  filesOnly: boolean,
): Promise<string | undefined> {
  for (const name of names) {
    if (STREAMS.test(name)) continue;
    const path = resolve(folder.cwd, name);
    const { real } = await files.look(writtenPath(name, folder));
    if (leadsAnywhere(path) || leadsAnywhere(real)) return `${name} is known only at run time`;
    if (!isInside(folder.workspace, path) || !isInside(folder.workspace, real))
      return `${name} is outside of the workspace`;
    if (files.isWithheld(path) || files.isWithheld(real)) return `${name} may hold a secret`;
    const kind = await files.kindOf(real);
    if (kind === "other" || (filesOnly && kind === "folder")) return `${name} is not a plain file`;
  }
  return undefined;
}

/** Of folders that are gone through whole. */
async function walkObjection(
  operands: readonly string[],
  { folder, files }: ProvingLine,
  shows: Shows,
): Promise<string | undefined> {
  const places: string[] = [];
  for (const name of operands) {
    const { real, exists } = await files.look(writtenPath(name, folder));
    if (exists) places.push(real);
  }
  // Without an operand it goes through the working folder; find may take one for a part of its expression.
  for (const real of shows === "contents" && places.length > 0 ? places : [...places, folder.cwd]) {
    if (files.holdsHidden(real)) return `${real} holds files of the server`;
    if (shows !== "contents" || (await files.kindOf(real)) !== "folder") continue;
    const paths = await files.below(real);
    if (paths === undefined) return `${real} holds too many files to look at`;
    const withheld = paths.find((path) => files.isWithheld(path));
    if (withheld !== undefined) return `${withheld} may hold a secret`;
  }
  return undefined;
}

async function proveGit(words: readonly ShellWord[], line: ProvingLine): Promise<ReadingStep | string> {
  const reading = readGitWords(words);
  if (typeof reading === "string") return reading;
  const visited = visitedBy(reading.spec, words, line.folder);
  if (typeof visited === "string") return visited;
  const listsAll = words.some(({ value }) => /^(?:-u|--untracked|--ignored|--others|-[a-z]*o)/.test(value));
  if (listsAll && line.files.holdsHidden(line.folder.workspace)) return "it would list files of the server";
  const named = gitFileNames(words);
  if (named === undefined) return "it names too many files";
  const secret = named.find((name) => line.files.isWithheld(resolve(line.folder.cwd, name)));
  const objection =
    (secret === undefined ? undefined : `${secret} may hold a secret`) ??
    (await pathObjection(visited.all, line, false)) ??
    (await repositoryObjection(line, reading.addresses));
  return objection ?? { program: "git", reads: true, open: reading.open };
}

/**
 * A repository decides what git runs: by settings, by other repositories in it, by links to others. Hooks and the rest are turned off
 * when the line runs.
 */
async function repositoryObjection({ folder, files }: ProvingLine, addresses: boolean): Promise<string | undefined> {
  const git = `${folder.workspace}/.git`;
  for (const name of ["", "/objects", "/objects/pack", "/refs"]) {
    const path = `${git}${name}`;
    if ((await files.look(path)).real !== path) return `${path} is a link`;
    if ((await files.kindOf(path)) !== "folder") return `${path} is not a folder`;
    if ((await files.entries(path))?.every(({ isLink }) => !isLink) !== true) return `${path} holds a link`;
  }
  for (const name of ["commondir", "objects/info/alternates", "objects/info/http-alternates"])
    if ((await files.kindOf(`${git}/${name}`)) !== undefined) return "the repository uses another one";
  const settings = await files.bytes(`${git}/config`);
  const tame = settings === undefined ? undefined : tameSettings(new TextDecoder().decode(settings));
  if (tame === undefined) return "the repository's settings may run a program";
  if (addresses && tame.credentials) return "an address of the repository may hold a password";
  if ((await files.kindOf(`${git}/index`)) === undefined) return undefined;
  const index = await files.bytes(`${git}/index`);
  return index !== undefined && holdsFilesOnly(index) ? undefined : "the repository may hold another one";
}
