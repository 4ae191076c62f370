import { basename, relative } from "node:path/posix";
import { HARMLESS_DEVICES } from "../shell/preview.ts";
import { isInside, leadsOut, possiblePaths, type Bindings, type Folder } from "../shell/paths.ts";
import type { ShellRedirect } from "../shell/reading.ts";
import type { ShellWord } from "../shell/words.ts";
import type { Objection, Suspect } from "./verdict.ts";

const MAY_READ: ReadonlySet<string> = new Set([...HARMLESS_DEVICES, "/dev/zero", "/dev/urandom"]);
const MAY_WRITE: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);

/** May this word be written to? It must be known to lie inside, and must not be what git or an agent's rules obey. */
export function writing(word: ShellWord, folder: Folder, bindings: Bindings): Objection {
  const paths = possiblePaths(word, folder, bindings);
  if (paths === undefined) return `Cannot tell before it runs where ${word.text} would be written`;
  for (const path of paths) {
    if (MAY_WRITE.has(path)) continue;
    if (path.startsWith("/dev/")) return `Writing to ${path} is not allowed`;
    if (path.startsWith("~") || !isInside(folder.workspace, path))
      return `Writing outside of the workspace is not allowed: ${word.text}`;
    const objection = protectedPlace(relative(folder.workspace, path), word.text);
    if (objection !== undefined) return objection;
  }
  return undefined;
}

function protectedPlace(path: string, text: string): Objection {
  const segments = path.toLowerCase().split("/");
  if (segments.includes(".git")) return `Writing into .git is not allowed: ${text}`;
  // A folder with a file HEAD is a repository to git, and its settings may name programs to run.
  if (segments.at(-1) === "head") return `Writing a file named HEAD is not allowed: ${text}`;
  if (
    segments.includes(".claude") ||
    segments.includes(".sallyport") ||
    /^(\.claude_settings\.json|\.mcp\.json|sallyport\.ya?ml)$/.test(segments.at(-1) ?? "")
  ) {
    return `Writing an agent's own settings is not allowed: ${text}`;
  }
  // A name like `-t..` would be an option once a pattern matches it.
  if (basename(path).startsWith("-")) return `Writing a file whose name starts with a dash is not allowed: ${text}`;
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
