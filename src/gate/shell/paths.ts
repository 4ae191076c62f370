import { isAbsolute, relative, resolve } from "node:path/posix";
import { LIMITS } from "../../protocol/index.ts";
import type { VariableBinding } from "./reading.ts";
import { leadsAnywhere } from "./run-time-names.ts";
import type { WordPiece, ShellWord } from "./words.ts";

/** Lexical only: the sandbox and the file tools handle symlinks. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith("../") && !isAbsolute(way));
}

/** Placeholders in a path for run-time parts that hold no `..`: names that match a pattern, a variable's value. */
const MATCHED = "\u0001";
const TAME = "\u0002";

/** Environment variables that always point outside a workspace. */
const LEADS_OUT: ReadonlySet<string> = new Set([
  "HOME",
  "OLDPWD",
  "TMPDIR",
  "XDG_CONFIG_HOME",
  "XDG_CACHE_HOME",
  "XDG_RUNTIME_DIR",
]);

export interface Folder {
  /** Absolute. */
  readonly cwd: string;
  /** Absolute. */
  readonly workspace: string;
  /** What is on the disk; absent: links are not followed. */
  readonly disk?: Disk | undefined;
}

/** What was looked up on the disk before. Takes an absolute path as written, including `..`. */
export type Disk = (path: string) => FoundPath | undefined;

export interface FoundPath {
  /** All links resolved; of what does not exist, the real path of its nearest existing ancestor plus the rest. */
  readonly real: string;
  readonly exists: boolean;
}

/** Where a name leads: as written, and with links resolved. */
export function placeOf(name: string, { cwd, disk }: Folder): { readonly path: string; readonly real: string } {
  const path = resolve(cwd, name);
  // The server would find something else there than the command does.
  if (leadsAnywhere(path)) return { path, real: path };
  // The system follows a link before it goes up, so the name is not normalised first.
  return { path, real: disk?.(written(name, cwd))?.real ?? path };
}

/** Whether a name exists; undefined: it was not looked up. */
export function exists(name: string, { cwd, disk }: Folder): boolean | undefined {
  return disk?.(written(name, cwd))?.exists;
}

function written(name: string, cwd: string): string {
  return isAbsolute(name) ? name : `${cwd}/${name}`;
}

/** Inside both as written and with links resolved. */
export function staysInside(name: string, folder: Folder): boolean {
  const { path, real } = placeOf(name, folder);
  if (leadsAnywhere(path) || leadsAnywhere(real)) return false;
  return isInside(folder.workspace, path) && isInside(folder.workspace, real);
}

/** Whether a name leads elsewhere for each process: `/proc/self/cwd/x`, also through a link. */
export function isKnownOnlyAtRunTime(name: string, folder: Folder): boolean {
  const { path, real } = placeOf(name, folder);
  return leadsAnywhere(path) || leadsAnywhere(real);
}

export type Bindings = ReadonlyMap<string, VariableBinding>;

/**
 * Every path the word can name, as far as the line shows. Undefined: known only at run time. Names from a pattern or a
 * tame variable are opaque: they cannot leave their folder.
 */
export function possiblePaths(word: ShellWord, folder: Folder, bindings: Bindings): readonly string[] | undefined {
  return possibleNames(word, folder, bindings)?.map((text) =>
    text.startsWith("~") ? text : resolve(folder.cwd, text),
  );
}

/** The same paths as they would be written. */
export function possibleNames(word: ShellWord, folder: Folder, bindings: Bindings): readonly string[] | undefined {
  const texts = possibleTexts(word.pieces, bindings, folder.cwd);
  return texts?.some((text) => text.split("/").some(couldClimb)) === true ? undefined : texts;
}

/** A path with a star for each name that is known only at run time. */
export function asGlob(path: string): string {
  return path.replaceAll(MATCHED, "*").replaceAll(TAME, "*");
}

/** `.` next to something that could be `.` is `..`. A leading pattern matches no dot. */
function couldClimb(segment: string): boolean {
  if (segment.startsWith(MATCHED)) return false;
  const rest = segment.replaceAll(MATCHED, "").replaceAll(TAME, "");
  if (rest.length === segment.length) return false;
  return rest === "." || rest === ".." || (rest === "" && segment.length > 1);
}

function possibleTexts(pieces: readonly WordPiece[], bindings: Bindings, cwd: string): readonly string[] | undefined {
  let texts: readonly string[] = [""];
  for (const piece of pieces) {
    const next = pieceTexts(piece, bindings, cwd);
    if (next === undefined) return undefined;
    texts = texts.flatMap((before) => next.map((after) => before + after));
    if (texts.length > LIMITS.shellTargetValues) return undefined;
  }
  return texts;
}

function pieceTexts(piece: WordPiece, bindings: Bindings, cwd: string): readonly string[] | undefined {
  switch (piece.kind) {
    case "text":
    case "home":
      return [piece.text];
    case "glob":
      return [MATCHED];
    case "variable":
      return piece.name === "PWD" && !piece.cut && !bindings.has("PWD")
        ? [cwd]
        : variableTexts(piece.name, bindings, piece.cut);
    case "dynamic":
      return piece.number === true ? [TAME] : undefined;
  }
}

function variableTexts(name: string, bindings: Bindings, cut: boolean): readonly string[] | undefined {
  const binding = bindings.get(name);
  if (binding === undefined) return LEADS_OUT.has(name) ? ["~"] : undefined;
  if (binding.opaque) return undefined;
  const numbers = binding.numeric ? [TAME] : [];
  if (!cut && binding.values.every((value) => value.fixed))
    return [...new Set(binding.values.map((value) => value.value)), ...numbers];
  if (binding.values.every(isTame)) return [TAME];
  if (cut) return undefined;
  const texts = binding.values.map((value) => value.pieces.map(shown).join(""));
  return binding.values.every((value) => value.pieces.every(isShown)) ? [...texts, ...numbers] : undefined;
}

function isShown(piece: WordPiece): boolean {
  return piece.kind !== "variable" && piece.kind !== "dynamic";
}

function shown(piece: WordPiece): string {
  return piece.kind === "glob" ? MATCHED : piece.text;
}

/** A value that stays below the folder it is appended to, whatever is cut off its ends. */
function isTame(word: ShellWord): boolean {
  const known = word.pieces.every((piece) => piece.kind === "text" || piece.kind === "glob");
  const text = word.pieces.map((piece) => piece.text).join("");
  return known && text !== "" && !text.includes("..") && !/^[-/~]/.test(text);
}

/**
 * Whether the word leads out of the workspace, surely or by one of its variables. What is known only at run time does not
 * count: the sandbox catches it.
 */
export function leadsOut(word: ShellWord, folder: Folder, bindings: Bindings, depth = 0): boolean {
  const names = possibleNames(word, folder, bindings);
  if (names?.some((name) => name.startsWith("~") || !staysInside(asGlob(name), folder)) === true) return true;
  // Braces that could not be expanded.
  if (word.pieces.some((piece) => piece.kind === "dynamic" && /^\{(.*,)?(\/|~|\.\.)/.test(piece.text))) return true;
  if (depth >= LIMITS.shellDepth) return false;
  if (beginsOutside(word, folder)) return true;
  return word.pieces.some((piece) => {
    if (piece.kind !== "variable" && piece.kind !== "dynamic") return false;
    const holds = piece.kind === "dynamic" ? (piece.holds ?? []) : [];
    const values = piece.name === undefined ? [] : (bindings.get(piece.name)?.values ?? []);
    return [...holds, ...values].some((value) => leadsOut(value, folder, bindings, depth + 1));
  });
}

/** The known start of a word already decides: `/etc/$x`, `../$x`, `$HOME/$x`. */
function beginsOutside({ pieces }: ShellWord, { cwd, workspace }: Folder): boolean {
  const [first] = pieces;
  if (first?.kind === "home") return true;
  if ((first?.kind === "variable" || first?.kind === "dynamic") && LEADS_OUT.has(first.name ?? "")) return true;
  const open = pieces.findIndex((piece) => piece.kind !== "text");
  const front = pieces
    .slice(0, open === -1 ? undefined : open)
    .map((piece) => piece.text)
    .join("");
  const folder = front.slice(0, front.lastIndexOf("/") + 1);
  if (folder === "") return false;
  const known = resolve(cwd, folder);
  // `/ho$x` may still become a path in the workspace; `../$x` gets no benefit of the doubt.
  return !isInside(workspace, known) && !(isAbsolute(front) && `${workspace}/`.startsWith(front));
}

/** Whether the word could turn out to be an option: a variable whose value in this line begins with a dash, or output of a command. */
export function mayBeOption(word: ShellWord, bindings: Bindings): boolean {
  if (word.fixed || !word.opens) return false;
  const [first] = word.pieces;
  if (first?.kind === "glob")
    return (
      /^(\*|\?|\[|@\(|\+\(|!\()/.test(first.text) &&
      !word.pieces.some((piece) => piece.kind === "text" && piece.text.includes("/"))
    );
  if (first?.kind !== "variable") return true;
  const binding = bindings.get(first.name);
  // The author of the command did not write the environment, but did write the positional parameters.
  if (binding === undefined) return /^([@*_]|\d+)$/.test(first.name);
  return (
    binding.opaque || binding.values.some((value) => !value.fixed || value.value.startsWith("-") || value.value === "")
  );
}
