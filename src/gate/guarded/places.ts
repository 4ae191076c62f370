import { basename, relative } from "node:path/posix";
import { couldBe } from "../globs.ts";
import { HARMLESS_DEVICES } from "../shell/preview.ts";
import {
  asGlob,
  exists,
  leadsOut,
  placeOf,
  possibleNames,
  staysInside,
  type Bindings,
  type Folder,
} from "../shell/paths.ts";
import type { ShellRedirect } from "../shell/reading.ts";
import type { ShellWord } from "../shell/words.ts";
import type { Objection, Suspect } from "./verdict.ts";

const MAY_READ: ReadonlySet<string> = new Set([...HARMLESS_DEVICES, "/dev/zero", "/dev/urandom"]);
const MAY_WRITE: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);

/** Whether this word may be written to. It must surely lie inside, and must not be a file that git or an agent obeys. */
export function writing(word: ShellWord, folder: Folder, bindings: Bindings): Objection {
  const names = possibleNames(word, folder, bindings);
  if (names === undefined) return `Cannot tell before it runs where ${word.text} would be written`;
  for (const name of names) {
    const { path, real } = placeOf(asGlob(name), folder);
    if (MAY_WRITE.has(path)) continue;
    if (path.startsWith("/dev/")) return `Writing to ${path} is not allowed`;
    if (name.startsWith("~") || !staysInside(asGlob(name), folder))
      return `Writing outside of the workspace is not allowed: ${word.text}`;
    const objection =
      protectedPlace(relative(folder.workspace, path), word.text) ??
      protectedPlace(relative(folder.workspace, real), word.text);
    if (objection !== undefined) return objection;
  }
  return undefined;
}

/** Names that git or an agent obeys, in any folder. */
const PROTECTED_NAMES = [
  ".git",
  ".claude",
  ".sallyport",
  ".claude_settings.json",
  ".mcp.json",
  "sallyport.yaml",
  "sallyport.yml",
];

function protectedPlace(path: string, text: string): Objection {
  const segments = path.toLowerCase().split("/");
  if (segments.some((segment) => couldBe(segment, ".git") || /.\.git$/.test(segment)))
    return `Writing into .git is not allowed: ${text}`;
  if (segments.some((segment) => couldBe(segment, ".gitconfig")))
    return `Writing git's settings is not allowed: ${text}`;
  // Git treats a folder with a file HEAD as a repository, and its settings may name programs to run.
  if (couldBe(segments.at(-1) ?? "", "head")) return `Writing a file named HEAD is not allowed: ${text}`;
  if (segments.some((segment) => PROTECTED_NAMES.some((name) => couldBe(segment, name))))
    return `Writing an agent's own settings is not allowed: ${text}`;
  // A name like `-t..` becomes an option when a pattern matches it.
  if (basename(path).startsWith("-")) return `Writing a file whose name starts with a dash is not allowed: ${text}`;
  return undefined;
}

/**
 * Whether these may be copied or moved into that folder under their own names. Copying a folder brings its contents, and a star
 * brings whatever it matches. The disk is consulted where that is possible.
 */
export function bringing(
  word: ShellWord,
  target: ShellWord,
  { folder, bindings }: Pick<Suspect, "folder" | "bindings">,
): Objection {
  const sources = possibleNames(word, folder, bindings)?.map(asGlob);
  const targets = possibleNames(target, folder, bindings)?.map(asGlob);
  if (sources === undefined || targets === undefined) return undefined;
  for (const source of sources) {
    const name = basename(source.replace(/\/+$/, ""));
    const all = name === "." || name === "*" || name === "";
    const from = all ? source.replace(/(\/?\.|\*|\/)+$/, "") : source;
    const held = [...PROTECTED_NAMES, "HEAD"].find(
      (protectedName) =>
        exists(`${from === "" ? "." : from}/${protectedName}`, folder) === true &&
        !/^(\.git|\.claude)$/.test(protectedName),
    );
    if (held !== undefined) return `Copying ${held} is not allowed: ${word.text}`;
    if (all) continue;
    for (const into of targets) {
      const objection = protectedPlace(relative(folder.workspace, placeOf(`${into}/${name}`, folder).path), word.text);
      if (objection !== undefined) return objection;
    }
  }
  return undefined;
}

/** Whether this word may be read. Only a path that surely leaves the workspace is refused; the sandbox catches the rest. */
export function reading(word: ShellWord, folder: Folder, bindings: Bindings): Objection {
  if (word.fixed && MAY_READ.has(word.value)) return undefined;
  return leadsOut(word, folder, bindings) ? `Reading outside of the workspace is not allowed: ${word.text}` : undefined;
}

export function readingAll(
  words: readonly ShellWord[],
  { folder, bindings }: Pick<Suspect, "folder" | "bindings">,
): Objection {
  for (const word of words) {
    const objection = reading(word, folder, bindings);
    if (objection !== undefined) return objection;
  }
  return undefined;
}

export function redirection(redirect: ShellRedirect, folder: Folder, bindings: Bindings): Objection {
  const { target, access } = redirect;
  if (target === undefined || access === "feed") return undefined;
  if (access === "descriptor") {
    return target.fixed && /^(\d+-?|-)$/.test(target.value)
      ? undefined
      : `Cannot tell before it runs what ${target.text} redirects to`;
  }
  // `> >(command)`: the inner command is judged on its own.
  if (target.pieces.length === 1 && /^[<>]\(/.test(target.text)) return undefined;
  if (target.value.startsWith("/dev/tcp/") || target.value.startsWith("/dev/udp/"))
    return `Opening a connection is not allowed: ${target.text}`;
  return access === "read" ? reading(target, folder, bindings) : writing(target, folder, bindings);
}
