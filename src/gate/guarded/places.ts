import { basename, relative } from "node:path/posix";
import { pathsMeet } from "../globs.ts";
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

/** May this word be written to? It must be known to lie inside, and must not be what git or an agent's rules obey. */
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

/** Names that git or an agent obeys, wherever they lie. */
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
  // A folder with a file HEAD is a repository to git, and its settings may name programs to run.
  if (couldBe(segments.at(-1) ?? "", "head")) return `Writing a file named HEAD is not allowed: ${text}`;
  if (segments.some((segment) => PROTECTED_NAMES.some((name) => couldBe(segment, name))))
    return `Writing an agent's own settings is not allowed: ${text}`;
  // A name like `-t..` would be an option once a pattern matches it.
  if (basename(path).startsWith("-")) return `Writing a file whose name starts with a dash is not allowed: ${text}`;
  return undefined;
}

/** A name, or a pattern that the shell may turn into it. */
function couldBe(segment: string, name: string): boolean {
  return segment === name || (/[*?[(]/.test(segment) && pathsMeet([segment], [name], { hidesDots: true }));
}

/**
 * May these be copied or moved into that folder? Their names come with them. A folder that is copied whole brings what it holds,
 * and a star what it finds: where the disk can be asked, it is.
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

/** May this word be read? Only a path that surely leads out is refused; the sandbox stands behind. */
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
  // `> >(command)`: the command is judged where it stands.
  if (target.pieces.length === 1 && /^[<>]\(/.test(target.text)) return undefined;
  if (target.value.startsWith("/dev/tcp/") || target.value.startsWith("/dev/udp/"))
    return `Opening a connection is not allowed: ${target.text}`;
  return access === "read" ? reading(target, folder, bindings) : writing(target, folder, bindings);
}
