import { readGit } from "./git.ts";
import { setOf } from "./lists.ts";
import type { ShellWord } from "./words.ts";
import { mayBeFolder, orHere, writesFolders } from "./written-folders.ts";

/** Programs that serve a folder, or copy it somewhere, whatever their options. */
const SENDS = setOf(
  "serve http-server live-server browser-sync vercel netlify surge wrangler firebase fly flyctl rclone restic borg duplicity",
  "croc wormhole ipfs gsutil",
);
const PACKAGE_MANAGERS = /^(npm|pnpm|yarn|bun)$/;
const RUNS_PACKAGES = /^(npx|pnpx|bunx|npm|pnpm|yarn|bun)$/;

/** Folders that are sent or shown whole; undefined: the program does not do that. */
function sendsFolders(program: string, words: readonly ShellWord[]): readonly string[] | undefined {
  if (program === "git") return gitTakes(words);
  const given = words.slice(1).map(({ value }) => value);
  const operands = given.filter((value) => !value.startsWith("-"));
  if (PACKAGE_MANAGERS.test(program) && /^(pack|publish)$/.test(operands[0] ?? "")) return ["."];
  if (program === "aws" || program === "kubectl" || program === "docker" || program === "podman")
    return afterVerb(operands, /^(cp|sync)$/);
  if (program === "php" && given.some((value) => /^-[a-z]*S/.test(value))) return ["."];
  if (program === "httpd") return ["."];
  const at = RUNS_PACKAGES.test(program) ? operands.findIndex((word) => SENDS.has(nameOf(word))) : -1;
  if (at === -1 && !SENDS.has(program)) return undefined;
  const rest = at === -1 ? operands : operands.slice(at + 1);
  return rest.length === 0 ? ["."] : [...rest, ...(rest.some((word) => /^(\.|\/|~)/.test(word)) ? [] : ["."])];
}

function afterVerb(operands: readonly string[], verb: RegExp): readonly string[] | undefined {
  const at = operands.findIndex((word) => verb.test(word));
  return at === -1 ? undefined : operands.slice(at + 1).filter(mayBeFolder);
}

/** `serve@14` is `serve`. */
function nameOf(word: string): string {
  return word.replace(/(?<=.)@.*$/, "");
}

/** Folders whose files git stores or prints. `git diff` and `git show` also show tracked files. */
function gitTakes(words: readonly ShellWord[]): readonly string[] | undefined {
  const { subcommand } = readGit(words, new Map());
  if (subcommand === undefined) return undefined;
  const given = words.slice(words.indexOf(subcommand) + 1).map(({ value }) => value);
  const operands = given.filter((value) => !value.startsWith("-"));
  const has = (options: RegExp): boolean => given.some((value) => options.test(value));
  const paths = given.includes("--") ? given.slice(given.indexOf("--") + 1) : operands.slice(1);
  const named = paths.length > 0 ? paths.filter(mayBeFolder) : ["."];
  switch (subcommand.value) {
    case "add":
    case "stage":
      if (has(/^(-[a-zA-Z]*[Aui]|--(all|update|no-ignore-removal|interactive|patch))$/)) return ["."];
      return operands.filter(mayBeFolder);
    case "stash":
      if (!/^(push|save)?$/.test(operands[0] ?? "")) return undefined;
      return operands.length < 2 || operands[0] === "save" ? ["."] : operands.slice(1).filter(mayBeFolder);
    case "grep":
    case "archive":
      return named;
    case "log":
    case "reflog":
    case "format-patch":
      return has(/^(-[a-zA-Z]*[pu]|--patch|--patch-with-stat|--cc|-c|-L.*|--word-diff.*|-U.*|--unified.*)$/)
        ? named
        : undefined;
    default:
      return undefined;
  }
}

/** The folders whose whole content a command takes; undefined: it takes none whole. */
export function readsWholeFolders(
  program: string,
  words: readonly ShellWord[],
  access: "read" | "write",
): readonly string[] | undefined {
  const given = words.slice(1).map((word) => word.value);
  const operands = given.filter((value) => !value.startsWith("-"));
  const has = (letters: RegExp, long: RegExp): boolean =>
    given.some((value) => (/^-[A-Za-z]/.test(value) && letters.test(value)) || long.test(value));
  const recursive = has(/^-[A-Za-z]*[rR]/, /^--(dereference-)?recursive/);
  const written = access === "write" ? writesFolders(program, words) : undefined;
  if (written !== undefined) return written;
  if (access === "read") {
    const sent = sendsFolders(program, words);
    if (sent !== undefined) return sent;
    if (/^(rg|ag|ack|ugrep)$/.test(program)) return given.includes("--files") ? undefined : orHere(operands.slice(1));
    if (/^(grep|egrep|fgrep|zgrep)$/.test(program))
      return recursive || given.includes("--directories=recurse") ? orHere(operands.slice(1)) : undefined;
    if (program === "diff") return recursive ? operands : undefined;
    if (/^(tar|bsdtar|cpio|7z|7za)$/.test(program)) return operands;
    if (/^(docker|podman)$/.test(program)) return operands.includes("build") ? operands : undefined;
  }
  if (/^(cp|scp)$/.test(program))
    return access === "read" && (recursive || has(/^-[A-Za-z]*a/, /^--archive/)) ? operands.slice(0, -1) : undefined;
  if (program === "rsync") return access === "read" ? operands.slice(0, -1) : operands.slice(-1);
  if (program === "zip") return recursive ? operands : undefined;
  if (/^(mv|ln)$/.test(program)) return operands.slice(0, -1);
  if (/^(rm|chmod|chown|chgrp|shred)$/.test(program)) return recursive && access === "write" ? operands : undefined;
  if (program === "find") return given.includes("-delete") && access === "write" ? operands.slice(0, 1) : undefined;
  return undefined;
}
