import { readGit } from "./git.ts";
import { setOf } from "./lists.ts";
import type { ShellWord } from "./words.ts";

/** A name with an extension, such as `a.ts`, counts as a file. */
export function mayBeFolder(name: string): boolean {
  return !/[^./]\.[A-Za-z\d]{1,8}$/.test(name);
}

export function orHere(names: readonly string[]): readonly string[] {
  return names.length === 0 ? ["."] : names;
}

/** The words after the program, as far as this file needs them. */
class Given {
  readonly words: readonly string[];
  readonly operands: readonly string[];

  constructor(words: readonly ShellWord[]) {
    this.words = words.map(({ value }) => value);
    this.operands = this.words.filter((value) => !value.startsWith("-"));
  }

  has(options: RegExp): boolean {
    return this.words.some((value) => options.test(value));
  }

  /** The values of an option that stand in words of their own. */
  valuesOf(option: RegExp): readonly string[] {
    return this.words.filter((_value, index) => option.test(this.words[index - 1] ?? ""));
  }
}

/** Git's commands that bring the working tree to another state. */
const GIT_TREE = setOf(
  "checkout switch merge pull rebase cherry-pick revert am checkout-index read-tree sparse-checkout bisect submodule filter-branch filter-repo subtree svn",
);

/** Folders in which git writes whatever a commit, a patch or the stash holds. */
function gitWrites(words: readonly ShellWord[]): readonly string[] | undefined {
  const { subcommand } = readGit(words, new Map());
  if (subcommand === undefined) return undefined;
  const name = subcommand.value;
  const given = new Given(words.slice(words.indexOf(subcommand) + 1));
  const { operands } = given;
  const paths = given.words.includes("--") ? given.words.slice(given.words.indexOf("--") + 1) : [];
  if (paths.length > 0 && /^(checkout|restore|clean|stash)$/.test(name)) return paths.filter(mayBeFolder);
  const isNewBranch = operands.length === 1 && given.has(/^(-b|-c|--create|--orphan)$/);
  if (isNewBranch && /^(checkout|switch)$/.test(name)) return undefined;
  if (name === "submodule" && /^(status|summary)?$/.test(operands[0] ?? "")) return undefined;
  if (GIT_TREE.has(name)) return given.has(/^--(abort|quit)$/) ? undefined : ["."];
  switch (name) {
    case "restore":
      return given.has(/^(-S|--staged)$/) && !given.has(/^(-W|--worktree)$/) ? undefined : operands;
    case "clean":
      return given.has(/^(-[a-zA-Z]*n[a-zA-Z]*|--dry-run)$/) ? undefined : orHere(operands);
    case "reset":
      return given.has(/^--(hard|merge|keep)$/) ? ["."] : undefined;
    case "stash":
      return /^(list|show|drop|clear|create|store)$/.test(operands[0] ?? "") ? undefined : ["."];
    case "apply":
      return given.has(/^--(check|stat|numstat|summary|cached)$/) && !given.has(/^--apply$/) ? undefined : ["."];
    case "rm":
    case "mv":
      return given.has(/^--cached$/) ? undefined : operands.filter(mayBeFolder);
    case "clone":
      return operands.slice(1);
    default:
      return undefined;
  }
}

/** What other systems for versions do with the working tree. */
const VERSIONS =
  /^(update|up|checkout|co|revert|pull|merge|rebase|graft|restore|edit|new|switch|sw|import|patch|squash|abandon)$/;

/** Programs that rewrite the files of the folders that they are given: with which options, and with which not. */
const REWRITES: Readonly<Record<string, readonly [writes: RegExp | undefined, not?: RegExp]>> = {
  prettier: [/^(-w|--write)$/],
  biome: [/^--(write|apply|apply-unsafe|fix)$/],
  eslint: [/^--fix$/],
  stylelint: [/^--fix$/],
  standard: [/^--fix$/],
  xo: [/^--fix$/],
  black: [undefined, /^--(check|diff)$/],
  isort: [undefined, /^(-c|--check|--check-only|--diff)$/],
  autopep8: [/^(-[a-z]*i[a-z]*|--in-place)$/],
  yapf: [/^(-[a-z]*i[a-z]*|--in-place)$/],
  ruff: [/^(format|--fix|--fix-only)$/, /^--(check|diff)$/],
  gofmt: [/^-w$/],
  goimports: [/^-w$/],
  shfmt: [/^(-w|--write)$/],
  rubocop: [/^(-a|-A|--auto-?correct(-all)?)$/],
  "php-cs-fixer": [/^fix$/, /^--dry-run$/],
  cargo: [/^(fmt|fix)$/, /^--check$/],
  dotnet: [/^format$/, /^--verify-no-changes$/],
  terraform: [/^fmt$/, /^--?check$/],
  dprint: [/^fmt$/],
};
const VERBS = setOf("format fix fmt check");

/** `npx prettier …` as `prettier …`. */
function withoutRunner(program: string, words: readonly ShellWord[]): readonly ShellWord[] {
  const at = /^(npx|pnpx|bunx)$/.test(program)
    ? words.findIndex(({ value }, index) => index > 0 && !value.startsWith("-"))
    : 0;
  return at === -1 ? words : words.slice(at);
}

function rewrites(program: string, words: readonly ShellWord[]): readonly string[] | undefined {
  const given = new Given(words.slice(1));
  const known = Object.hasOwn(REWRITES, program) ? REWRITES[program] : undefined;
  if (known === undefined) return undefined;
  const [writes, not] = known;
  if ((writes !== undefined && !given.has(writes)) || (not !== undefined && given.has(not))) return undefined;
  return orHere(given.operands.filter((word) => !VERBS.has(word)));
}

/** Programs that copy whole folders: what the folder holds comes into the last one. */
function copiesInto(program: string, given: Given): readonly string[] | undefined {
  const { operands } = given;
  const target = given.valuesOf(/^(-t|--target-directory)$/);
  const into = target.length > 0 ? target : operands.slice(-1);
  if (program === "cp" || program === "scp")
    return given.has(/^(-[a-zA-Z]*[rRa]|--recursive|--archive)/) ? into : undefined;
  if (/^(docker|podman|kubectl)$/.test(program)) return operands[0] === "cp" ? into : undefined;
  if (program === "aws" || program === "gsutil" || program === "rclone")
    return operands.some((word) => /^(cp|sync|copy|move|mv|rsync)$/.test(word)) ? into : undefined;
  return undefined;
}

/** tar's first word may hold option letters without a dash. */
function extracts(given: Given): boolean {
  return given.has(/^(-[a-zA-Z]*x|--(extract|get))/) || /^[a-zA-Z]*x[a-zA-Z]*$/.test(given.words[0] ?? "");
}

/** Folders in which a command changes files that it does not name; undefined: none. */
export function writesFolders(program: string, words: readonly ShellWord[]): readonly string[] | undefined {
  const given = new Given(words.slice(1));
  const { operands } = given;
  switch (program) {
    case "git":
      return gitWrites(words);
    case "hg":
    case "svn":
    case "jj":
    case "sl":
      return VERSIONS.test(operands[0] ?? "") ? ["."] : undefined;
    case "gh":
      return /^(pr checkout|repo clone|run download|gist clone)$/.test(operands.slice(0, 2).join(" "))
        ? ["."]
        : undefined;
    case "patch":
      return operands.length > 0 && !given.has(/^(-[a-zA-Z]*[pi]|--input|--strip)/) ? undefined : ["."];
    case "unzip":
      return given.has(/^-[a-zA-Z]*[ltvpzZ]/) ? undefined : orHere(given.valuesOf(/^-d$/));
    case "7z":
    case "7za":
    case "7zr":
    case "unrar":
    case "unar":
      return given.has(/^[lt]$/) ? undefined : ["."];
    case "ar":
      return /^-?[a-zA-Z]*x/.test(given.words[0] ?? "") ? ["."] : undefined;
    case "cpio":
    case "pax":
      return ["."];
    case "tar":
    case "bsdtar":
      return extracts(given) ? orHere(given.valuesOf(/^(-C|--directory)$/)) : undefined;
    case "wget":
      return given.has(/^(-[a-zA-Z]*[rm]|--recursive|--mirror)/) ? ["."] : undefined;
    case "mv":
      return [...operands.slice(0, -1), ...(operands.slice(0, -1).some(mayBeFolder) ? operands.slice(-1) : [])];
    default: {
      const tool = withoutRunner(program, words);
      return copiesInto(program, given) ?? rewrites(tool === words ? program : (tool[0]?.value ?? ""), tool);
    }
  }
}
