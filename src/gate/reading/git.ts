import { GIT } from "../options/git.ts";
import type { ProgramSpec } from "../options/spec.ts";
import { anyFileNamesIn } from "../shell/file-names.ts";
import { setOf } from "../shell/lists.ts";
import type { ShellWord } from "../shell/words.ts";

const KNOWN = GIT["git"]?.commands ?? {};

function known(command: string, { texts = "", not = "" } = {}): ProgramSpec {
  const spec = KNOWN[command] ?? { operands: "none" as const };
  const names = not.split(" ");
  const long = (spec.long ?? "").split(" ").filter((name) => !names.includes(name.replace(/[~=?]$/, "")));
  const kept = Array.from(spec.texts ?? "").filter((letter) => !texts.includes(letter));
  return { ...spec, texts: kept.join(""), long: long.join(" ") };
}

/** Options that show other repositories, or (`-L`) lines of a file that is named in a text. */
const DIFF = known("diff", { not: "submodule" });
const LOG = known("log", { texts: "L", not: "submodule" });
const NO_OPERANDS = { operands: "none" } as const;

/** Subcommands that change nothing with these options. */
const COMMANDS: Readonly<Record<string, ProgramSpec>> = {
  status: known("status"),
  diff: DIFF,
  "diff-tree": DIFF,
  "diff-index": DIFF,
  "diff-files": DIFF,
  log: LOG,
  show: LOG,
  "rev-list": LOG,
  reflog: { ...LOG, asks: /^(?:expire|delete|drop|exists)$/ },
  shortlog: { ...LOG, flags: "sne", attached: "w", long: `${LOG.long ?? ""} summary numbered email` },
  blame: known("blame"),
  // In the work tree it would follow a folder that has become a link.
  grep: known("grep", { not: "untracked" }),
  "ls-files": known("ls-files"),
  "ls-tree": known("ls-tree"),
  "rev-parse": known("rev-parse"),
  // With --dirty it writes the index.
  describe: known("describe", { not: "dirty" }),
  "show-ref": known("show-ref"),
  "for-each-ref": known("for-each-ref"),
  "cat-file": known("cat-file"),
  "merge-base": known("merge-base"),
  "name-rev": known("name-rev"),
  "count-objects": known("count-objects"),
  "check-ignore": known("check-ignore"),
  "symbolic-ref": known("symbolic-ref"),
  // With an operand they make one.
  branch: { ...known("branch", { not: "track no-track quiet" }), flags: "arv" },
  tag: { ...known("tag", { not: "annotate message" }), flags: "l", texts: "" },
  remote: { flags: "v", long: "verbose", ...NO_OPERANDS },
  stash: { flags: "", long: "" },
};

const GLOBAL: ProgramSpec = { flags: "P", long: "no-pager no-optional-locks" };

export interface GitReading {
  readonly spec: ProgramSpec;
  /** May show any file that is stored. */
  readonly open: boolean;
  /** Shows addresses, which may hold a password. */
  readonly addresses: boolean;
}

/** How git reads with these words. A text: why it may do more. */
export function readGitWords(words: readonly ShellWord[]): GitReading | string {
  const at = words.findIndex(({ value }, index) => index > 0 && !value.startsWith("-"));
  const name = words[at]?.value;
  if (name === undefined) return "git is given no command";
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) return `git ${name} is not known to only read`;
  const given = words.slice(at + 1).map(({ value }) => value);
  const objection = listObjection(name, given) ?? formatObjection(given);
  if (objection !== undefined) return objection;
  const spec = { ...GLOBAL, commands: { [name]: command } };
  return { spec, open: isOpen(name, given), addresses: name === "remote" };
}

const LISTS = setOf("--list --contains --no-contains --merged --no-merged --points-at");

function listObjection(name: string, given: readonly string[]): string | undefined {
  const operands = given.filter((value) => !value.startsWith("-"));
  if (name === "branch" || name === "tag") {
    // `git branch -l name` made a branch once.
    const lists = given.some((value) => LISTS.has(value) || (name === "tag" && value === "-l"));
    return operands.length === 0 || lists ? undefined : `git ${name} makes ${operands[0] ?? ""}`;
  }
  if (name === "stash" && (given[0] !== "list" || given.length > 1)) return "git stash changes files";
  if (name === "symbolic-ref" && operands.length > 1) return "git symbolic-ref sets a name";
  if (name === "grep" && !given.includes("--cached")) return "git grep without --cached follows links";
  return undefined;
}

/** Placeholders for which git runs gpg, or itself. */
const FORMAT =
  /%[-+ ]?G|%[-+ ]?\((?!(?:trailers|refname|objectname|objecttype|objectsize|upstream|push|HEAD|subject|body|author\w*|committer\w*|creator\w*|tagger\w*|contents|tree|parent|symref|worktreepath)\b)/;

function formatObjection(given: readonly string[]): string | undefined {
  return given.some((value) => FORMAT.test(value)) ? "the format may run another program" : undefined;
}

const SHOWS_NAMES = setOf(
  "status branch tag remote stash ls-files ls-tree rev-parse describe show-ref for-each-ref merge-base name-rev count-objects",
  "check-ignore symbolic-ref shortlog rev-list reflog",
);
/** Options of `git log` that show messages and names, not what is in files. */
const MESSAGES =
  /^(?:-\d+|-n\d*|--(?:oneline|graph|no-graph|decorate|no-decorate|all|branches|tags|remotes|max-count|since|until|after|before|author|committer|grep|merges|no-merges|first-parent|reverse|date|format|pretty|abbrev-commit|follow|stat|numstat|shortstat|name-only|name-status|no-patch|skip|topo-order|date-order)(?:=.*)?)$/s;

function isOpen(name: string, given: readonly string[]): boolean {
  const options = given.filter((value) => value.startsWith("-") && value !== "--");
  if (SHOWS_NAMES.has(name))
    return options.some((value) => /^-[a-z]*[pv]|^--(?:patch|verbose)/.test(value)) && name === "status";
  return name !== "log" || !options.every((value) => MESSAGES.test(value));
}

/** Names of files in a word of git: `HEAD:.env`, `:(top).env`. Undefined: too many to list. */
export function gitFileNames(words: readonly ShellWord[]): readonly string[] | undefined {
  const names: string[] = [];
  for (const { value } of words.slice(1)) {
    const found = anyFileNamesIn(value);
    if (found === undefined) return undefined;
    names.push(...found);
  }
  return names;
}

/** Settings that run no program and lead to no other repository or file, whatever their value. In small letters. */
const TAME: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|compression|sharedrepository|untrackedcache|preloadindex|longpaths|protectntfs|protecthfs|trustctime|checkstat|whitespace|commitgraph|multipackindex|bigfilethreshold)$/,
  /^remote\.\.(?:url|pushurl|fetch|push|tagopt|prune|prunetags|gh-resolved)$/,
  /^branch\.\.(?:remote|merge|rebase|pushremote|description|vscode-merge-base|gh-merge-base|github-pr-owner-number)$/,
  /^user\.(?:name|email|signingkey|useconfigonly)$/,
  /^init\.defaultbranch$/,
  /^(?:pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|fetch\.(?:prune|prunetags)|merge\.(?:ff|conflictstyle|renames)|rebase\.(?:autostash|autosquash)|commit\.gpgsign|tag\.gpgsign|gc\.auto|maintenance\.auto|rerere\.enabled|advice\.\w+)$/,
  /^color\.\w+$/,
  /^status\.(?:short|branch|showuntrackedfiles|relativepaths|renames|aheadbehind|showstash)$/,
  /^diff\.(?:renames|renamelimit|algorithm|mnemonicprefix|noprefix|context|interhunkcontext|colormoved|colormovedws|indentheuristic|wserrorhighlight)$/,
  /^log\.(?:date|decorate|abbrevcommit|follow|mailmap)$/,
  /^lfs\.repositoryformatversion$/,
];

export interface GitSettings {
  /** An address among them holds a name or password. */
  readonly credentials: boolean;
}

/**
 * The settings of a repository, if each of them is known to run nothing. Undefined: one is not, or a line is written in a way that
 * only git itself should read. Included files and worktree settings are such.
 */
export function tameSettings(text: string): GitSettings | undefined {
  let section: string | undefined;
  let credentials = false;
  for (const line of text.split("\n")) {
    // What git reads differently from one version to the next: quotes, joined lines, odd blanks.
    if (!/^[\t -~\u{80}-\u{10ffff}]*$/u.test(line)) return undefined;
    if (/^\s*(?:[#;].*)?$/.test(line)) continue;
    const head = /^\s*\[([A-Za-z\d-]+)(?:[ \t]+"([^"\\]*)")?\]\s*$/.exec(line);
    if (head !== null) {
      section = `${head[1] ?? ""}${head[2] === undefined ? "" : "."}`.toLowerCase();
      continue;
    }
    const setting = /^\s*([A-Za-z][A-Za-z\d-]*)[ \t]*(?:=([^"\\]*))?$/.exec(line);
    const key = `${section ?? ""}.${setting?.[1] ?? ""}`.toLowerCase();
    if (setting === null || section === undefined || !TAME.some((known) => known.test(key))) return undefined;
    if (/:\/\/[^/]*@/.test(setting[2] ?? "")) credentials = true;
  }
  return { credentials };
}
