import { basename, resolve } from "node:path/posix";
import type { CommandPart } from "../../protocol/index.ts";
import { hostsIn, socketHost } from "./hosts.ts";
import { anyFileNamesIn } from "./file-names.ts";
import { isInside, placeOf, staysInside, type Folder } from "./paths.ts";
import { FILE_PROGRAMS, PATTERN_PROGRAMS, TEXT_PROGRAMS } from "./programs.ts";
import type { UnwrappedCommand } from "./unwrap.ts";
import type { ShellWord } from "./words.ts";

type PartPath = CommandPart["paths"][number];

/** Devices that stand for nothing, or for a descriptor that is already open. */
export const HARMLESS_DEVICES: ReadonlySet<string> = new Set([
  "/dev/null",
  "/dev/stdin",
  "/dev/stdout",
  "/dev/stderr",
  "/dev/tty",
]);

/** The part as people see it. */
export function describePart(part: UnwrappedCommand, folder: Folder): CommandPart {
  const layer = part.layers.at(-1);
  const words = (layer?.words ?? []).filter((word) => word.added !== true);
  const hosts = new Set(hostsIn(layer?.program ?? "", words));
  for (const { target } of part.redirects) {
    const host = target === undefined ? undefined : socketHost(target.value);
    if (host !== undefined) hosts.add(host);
  }
  return {
    argv: words.map((word) => word.value),
    program: layer?.program ?? "",
    wrappers: part.layers.slice(0, -1).map(({ program }) => program),
    assignments: part.assignments.map(({ text }) => text),
    redirects: part.redirects.map(({ operator, target, feed }) => ({ operator, target: target?.value ?? feed ?? "…" })),
    paths: pathsIn(part, words, folder),
    hosts: [...hosts],
    text: words.length > 0 ? words.map((word) => word.text).join(" ") : part.command.text,
  };
}

function pathsIn(part: UnwrappedCommand, words: readonly ShellWord[], folder: Folder): PartPath[] {
  const program = part.layers.at(-1)?.program ?? "";
  const named = [...pathsOf(program, words, folder), ...redirectPaths(part, folder)];
  return TEXT_PROGRAMS.has(program) ? named : [...named, ...linksOut(words, folder, named)];
}

/** Words that name files, resolved. Words known only at run time are left out. */
function pathsOf(program: string, words: readonly ShellWord[], folder: Folder): readonly PartPath[] {
  if (TEXT_PROGRAMS.has(program)) return [];
  const files = FILE_PROGRAMS.has(program);
  const patterned = PATTERN_PROGRAMS.has(program);
  const skipsFirst =
    patterned ||
    /^(chmod|chown|chgrp)$/.test(program) ||
    (program === "tar" && /^[a-zA-Z]+$/.test(words[1]?.value ?? ""));
  const paths: PartPath[] = [];
  let operands = 0;
  for (const [index, word] of words.entries()) {
    if (index === 0) {
      // A program given by path is a file too; the usual program folders are not worth mentioning.
      if (word.value.includes("/") && !/^\/(usr\/(local\/)?)?s?bin\//.test(word.value))
        paths.push(...placed(word, folder));
      continue;
    }
    if (word.value.startsWith("-")) {
      const value = /^--?[\w-]+=(.+)$/s.exec(word.value)?.[1];
      if (value !== undefined && looksLikePath(value)) paths.push(...placed({ ...word, value }, folder));
      continue;
    }
    operands++;
    if (skipsFirst && operands === 1) continue;
    const value = program === "dd" ? word.value.replace(/^(if|of)=/, "") : word.value;
    if (files || patterned || looksLikePath(value)) paths.push(...placed({ ...word, value }, folder));
  }
  return paths;
}

function looksLikePath(value: string): boolean {
  if (/^[A-Za-z][\w+.-]*:\/\//.test(value) || /\s/.test(value)) return false;
  return /^(\.{1,2}(\/|$)|\/|~)/.test(value) || (value.includes("/") && !value.startsWith("@") && !/[,;|]/.test(value));
}

function placed(word: ShellWord, folder: Folder): readonly PartPath[] {
  const home = word.pieces[0]?.kind === "home";
  if (home) return [{ word: word.value, path: word.value, inside: false }];
  const known = word.pieces.every((piece) => piece.kind === "text" || piece.kind === "glob");
  if (!known || word.value === "" || word.value === "-") return [];
  const { real } = placeOf(word.value, folder);
  return [{ word: word.value, path: real, inside: staysInside(word.value, folder) }];
}

/** Words of any program that leave the workspace through a link, even if they do not look like a path. */
function linksOut(words: readonly ShellWord[], folder: Folder, known: readonly PartPath[]): readonly PartPath[] {
  if (folder.disk === undefined) return [];
  const seen = new Set(known.map(({ word }) => word));
  return words.slice(1).flatMap((word) => {
    if (!word.fixed) return [];
    return (anyFileNamesIn(word.value) ?? []).flatMap((name) => {
      const { path, real } = placeOf(name, folder);
      const leaves = isInside(folder.workspace, path) && !isInside(folder.workspace, real);
      if (!leaves || seen.has(name)) return [];
      seen.add(name);
      return [{ word: name, path: real, inside: false }];
    });
  });
}

function redirectPaths(part: UnwrappedCommand, folder: Folder): readonly PartPath[] {
  return part.redirects.flatMap(({ target, access }) => {
    if (target === undefined || access === "descriptor" || access === "feed") return [];
    return HARMLESS_DEVICES.has(target.value) || socketHost(target.value) !== undefined ? [] : placed(target, folder);
  });
}

/** The folder of each part: `cd folder` affects what follows it in the same scope. */
export function foldersOf(parts: readonly UnwrappedCommand[], start: Folder): readonly Folder[] {
  const moves: { readonly scope: string; readonly cwd: string }[] = [];
  return parts.map((part) => {
    const { scope } = part.command;
    const move = moves.findLast((candidate) => scope === candidate.scope || scope.startsWith(`${candidate.scope}/`));
    const cwd = move?.cwd ?? start.cwd;
    const layer = part.layers.at(-1);
    const target = layer?.words.find((word, index) => index > 0 && !word.value.startsWith("-"));
    if (/^(cd|pushd)$/.test(basename(layer?.program ?? "")) && target?.fixed === true) {
      moves.push({ scope, cwd: resolve(cwd, target.value) });
    }
    return { ...start, cwd };
  });
}
