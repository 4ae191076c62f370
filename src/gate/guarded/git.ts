import { setOf } from "../shell/lists.ts";
import { readGit, type GitCall, type GitSetting } from "../shell/git.ts";
import { findOptions } from "../shell/options.ts";
import { anyFileNamesIn } from "../shell/file-names.ts";
import { exists, mayBeOption } from "../shell/paths.ts";
import type { ShellWord } from "../shell/words.ts";
import { bringing, reading, writing } from "./places.ts";
import { firstObjection, type Objection, type Suspect } from "./verdict.ts";

/** Git commands that run no program of the caller's choice. Aliases and `git-<name>` programs are not included. */
const COMMANDS = setOf(
  "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-ref-format checkout cherry cherry-pick",
  "clean clone commit commit-graph config count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc",
  "grep hash-object help init log ls-files ls-remote ls-tree merge merge-base merge-file merge-tree mv name-rev notes pull push range-diff",
  "read-tree rebase reflog remote repack reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stash",
  "status stripspace submodule switch symbolic-ref tag update-index update-ref verify-commit verify-tag version whatchanged worktree write-tree",
);

/** Settings that name no program and no location. */
const SETTINGS =
  /^(user\.(name|email)|author\.(name|email)|committer\.(name|email)|init\.defaultbranch|core\.(autocrlf|eol|filemode|ignorecase|quotepath|safecrlf|whitespace|abbrev|longpaths|symlinks|precomposeunicode|preloadindex|compression|bigfilethreshold|commentchar)|(pull|push|merge|rebase|fetch|commit|tag|branch|status|log|diff|stash|gc|pack|index|feature|help|column|color|advice|format|grep|blame|rerere|apply|versionsort|transfer|submodule)\.[a-z]+|color\.[a-z]+\.[a-z]+|branch\.[^.]+\.(remote|merge|rebase|description)|http\.postbuffer)$/i;
/** Exceptions among those: they do run something. */
const NOT_SETTINGS =
  /^(diff\.external|grep\.|commit\.template|submodule\.(update|.*command)|help\.(autocorrect|browser)|rebase\.instructionformat|gc\..*hook|status\..*command)$/i;
/** Switching a program off is harmless. */
const OFF: ReadonlySet<string> = new Set(["", "cat", "true", "false", ":", "/dev/null"]);

const FORBIDDEN_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  fetch: ["--upload-pack"],
  pull: ["--upload-pack"],
  "ls-remote": ["--upload-pack", "--exec"],
  push: ["--receive-pack", "--exec"],
  rebase: ["-x", "--exec"],
  clone: ["-u", "--upload-pack", "--bare", "--mirror", "--template", "--separate-git-dir"],
  init: ["--bare", "--template", "--separate-git-dir"],
  grep: ["-O", "--open-files-in-pager"],
  archive: ["--remote", "--exec"],
  apply: ["--unsafe-paths"],
  "hash-object": ["--stdin-paths"],
  help: ["-w", "--web"],
};

/** Subcommands where a word known only at run time could be an option that runs a program. */
const MUST_BE_KNOWN: ReadonlySet<string> = new Set([
  "fetch",
  "pull",
  "clone",
  "ls-remote",
  "push",
  "rebase",
  "grep",
  "archive",
  "submodule",
  "bisect",
  "config",
  "init",
]);

/** Options whose value is text even if it looks like a path. */
const TEXT_OPTIONS = [
  "-m",
  "--message",
  "--author",
  "--date",
  "--grep",
  "-S",
  "-G",
  "--format",
  "--pretty",
  "--since",
  "--until",
  "--after",
  "--before",
  "--subject-prefix",
  "--trailer",
  "-L",
  "--fixup",
  "--squash",
  "-b",
  "-B",
];

export function gitObjection(suspect: Suspect): Objection {
  const call = readGit(suspect.words, suspect.bindings);
  const { subcommand } = call;
  return firstObjection(
    () => (call.unsure === undefined ? undefined : `git: ${call.unsure}`),
    () => globals(call, suspect),
    () => firstObjection(...call.settings.map((setting) => () => settingObjection(setting))),
    () => {
      if (subcommand === undefined) return undefined;
      if (!subcommand.fixed) return `Cannot tell before it runs which git command ${subcommand.text} is`;
      return COMMANDS.has(subcommand.value) ? undefined : `git ${subcommand.value} is not allowed`;
    },
    () => (subcommand === undefined ? undefined : argumentsObjection(subcommand.value, call, suspect)),
  );
}

function globals(call: GitCall, { folder, bindings }: Suspect): Objection {
  for (const name of ["exec-path", "git-dir", "work-tree", "namespace", "config-env", "super-prefix"]) {
    if (call.globals.has(name)) return `git --${name} is not allowed`;
  }
  if (call.globalFlags.has("bare")) return "git --bare is not allowed";
  return firstObjection(
    ...(call.globals.get("C") ?? []).flatMap((word) => [
      () => writing(word, folder, bindings),
      // Git treats any folder with a file HEAD as a repository and obeys its settings.
      () =>
        exists(`${word.value}/HEAD`, folder) === true
          ? `git may not work in ${word.text}: it is a bare repository`
          : undefined,
    ]),
  );
}

function settingObjection({ key, value }: GitSetting): Objection {
  if (SETTINGS.test(key) && !NOT_SETTINGS.test(key)) return undefined;
  if (value?.fixed === true && OFF.has(value.value) && !/^(alias|include|url|protocol|remote|safe)/i.test(key))
    return undefined;
  return `Setting ${key} is not allowed: it can make git run other programs`;
}

function argumentsObjection(name: string, { rest, subcommand }: GitCall, suspect: Suspect): Objection {
  const all = subcommand === undefined ? rest : [subcommand, ...rest];
  const moving = MUST_BE_KNOWN.has(name) ? rest.find((word) => mayBeOption(word, suspect.bindings)) : undefined;
  if (moving !== undefined) return `Cannot tell before it runs whether ${moving.text} is an option of git ${name}`;
  const [hit] = findOptions(all, Object.hasOwn(FORBIDDEN_OPTIONS, name) ? (FORBIDDEN_OPTIONS[name] ?? []) : []);
  if (hit !== undefined) return `git ${name} ${hit.name} is not allowed`;
  return firstObjection(
    () => bySubcommand(name, rest),
    () => (rest.some((word) => /(^|=)ext::/.test(word.value)) ? "git's ext:: addresses are not allowed" : undefined),
    () => places(all, suspect),
    () => outputs(name, all, suspect),
  );
}

function bySubcommand(name: string, rest: readonly ShellWord[]): Objection {
  const first = rest.find((word) => !word.value.startsWith("-"));
  if (name === "bisect" && first?.value === "run") return "git bisect run is not allowed";
  if (name === "submodule" && rest.some((word) => word.value === "foreach"))
    return "git submodule foreach is not allowed";
  if (name === "config") return config(rest);
  return undefined;
}

const CONFIG_READS =
  /^(-l|-z|--list|--null|--get|--get-all|--get-regexp|--get-urlmatch|--get-color|--get-colorbool|--show-origin|--show-scope|--name-only|--all|--show-names|--regexp|--value|--fixed-value|--default(=.*)?|--url(=.*)?|--type(=.*)?|--bool|--int|--path|--bool-or-int|--bool-or-str|--expiry-date|--no-type|--includes|--no-includes|--local|--global|--worktree)$/;
const CONFIG_WRITES = /^(--add|--replace-all|--unset|--unset-all|--append|--comment(=.*)?)$/;

/** Every option is known, or refused. Renaming a section moves its settings along, and a shortened name counts as the name. */
function config(rest: readonly ShellWord[]): Objection {
  const odd = rest.find(
    ({ value }) => value.startsWith("-") && !CONFIG_READS.test(value) && !CONFIG_WRITES.test(value),
  );
  if (odd !== undefined) {
    return /^(-f|--file|--blob|--system)/.test(odd.value)
      ? "git config is only allowed for the repository's and the user's own settings"
      : `git config ${odd.text} is not allowed`;
  }
  const operands = rest.filter((word) => !word.value.startsWith("-"));
  const verb = operands[0]?.value ?? "";
  if (/^(edit|rename-section|remove-section)$/.test(verb)) return `git config ${verb} is not allowed`;
  const reads = /^(list|get)$/.test(verb) || rest.some((word) => /^(-l|--list|--get(-.*)?)$/.test(word.value));
  const [key, ...values] = /^(set|unset)$/.test(verb) ? operands.slice(1) : operands;
  const removes = verb === "unset" || rest.some((word) => /^--(unset|unset-all)$/.test(word.value));
  if (reads || removes || key === undefined || values.length === 0) return undefined;
  if (!key.fixed) return `Cannot tell before it runs which setting ${key.text} is`;
  return settingObjection({ key: key.value, value: values[0] });
}

/** Paths among git's words must stay inside; texts that only look like paths are fine. */
function places(words: readonly ShellWord[], { folder, bindings }: Suspect): Objection {
  // `git blame -S` reads a file.
  const options = words[0]?.value === "blame" ? TEXT_OPTIONS.filter((option) => option !== "-S") : TEXT_OPTIONS;
  const texts = new Set(findOptions(words, options).map((hit) => hit.value));
  for (const word of words.slice(1)) {
    if (texts.has(word)) continue;
    const equals = word.value.startsWith("--") ? word.value.indexOf("=") : -1;
    const option = equals === -1 ? word.value.slice(0, 2) : word.value.slice(0, equals);
    if (word.value.startsWith("-") && options.includes(option)) continue;
    const objection = firstObjection(...namesOf(word).map((name) => () => place(name, word, { folder, bindings })));
    if (objection !== undefined) return objection;
  }
  return undefined;
}

/** What a word of git may name: itself, or an option's value, attached or not. */
function namesOf(word: ShellWord): readonly string[] {
  if (!word.value.startsWith("-")) return [word.value];
  if (word.value.startsWith("--"))
    return word.value.includes("=") ? [word.value.slice(word.value.indexOf("=") + 1)] : [];
  return anyFileNamesIn(word.value) ?? [word.value.slice(2)];
}

function place(value: string, word: ShellWord, { folder, bindings }: Pick<Suspect, "folder" | "bindings">): Objection {
  const path = value.replace(/^file:\/\//, "");
  const segments = path.split("/");
  if (segments.some((segment) => segment.toLowerCase() === ".git"))
    return `git may not be told to use .git by name: ${word.text}`;
  // `main..feature` is a range and `HEAD:../x` stays in the repository: only whole `..` segments leave the folder.
  const leads = /^[/~]/.test(path) || segments.includes("..");
  if (!leads && (folder.disk === undefined || word.value.startsWith("-"))) return undefined;
  const whole =
    path === word.value
      ? word
      : { ...word, value: path, pieces: [{ kind: "text", text: path, quoted: true }] as const };
  return reading(whole, folder, bindings)?.replace("Reading", "Reaching");
}

/** Options that name a file or folder to write, by subcommand. */
const OUTPUTS: Readonly<Record<string, readonly string[]>> = {
  archive: ["-o", "--output"],
  "format-patch": ["-o", "--output-directory", "--output"],
  diff: ["--output"],
  log: ["--output"],
  show: ["--output"],
  stash: ["--output"],
  "range-diff": ["--output"],
  "diff-tree": ["--output"],
  "diff-index": ["--output"],
  "diff-files": ["--output"],
  whatchanged: ["--output"],
  apply: ["--directory"],
  am: ["--directory"],
};

/** A file that a subcommand writes by name must lie where writing is allowed. */
function outputs(name: string, all: readonly ShellWord[], { folder, bindings }: Suspect): Objection {
  const options = Object.hasOwn(OUTPUTS, name) ? (OUTPUTS[name] ?? []) : [];
  const written = findOptions(all, options).flatMap(({ value }) => (value === undefined ? [] : [value]));
  const operands = all.slice(1).filter((word) => !word.value.startsWith("-"));
  if (name === "bundle" && operands[0]?.value === "create") written.push(...operands.slice(1, 2));
  if (name === "worktree" && operands[0]?.value === "add") written.push(...operands.slice(1, 2));
  const target = name === "mv" ? operands.at(-1) : undefined;
  const named = /^(checkout|restore|mv|rm)$/.test(name)
    ? operands.filter((word) =>
        /(^|\/)(\.mcp\.json|\.claude|\.claude_settings\.json|\.sallyport|sallyport\.ya?ml)(\/|$)/i.test(word.value),
      )
    : [];
  return firstObjection(
    ...[...written, ...named, ...(target === undefined ? [] : [target])].map(
      (word) => () => writing(word, folder, bindings),
    ),
    ...(target === undefined
      ? []
      : operands.slice(0, -1).map((word) => () => bringing(word, target, { folder, bindings }))),
  );
}
