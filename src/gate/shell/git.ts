import { namesIn, setOf } from "./lists.ts";
import { scanOptions, tail, findOptions, type OptionTable } from "./options.ts";
import { joinedScript, scriptIn, together, unknown, type ProgramLook, type LookContext, type Note } from "./look.ts";
import type { Bindings } from "./paths.ts";
import { fixedWord, type ShellWord } from "./words.ts";

const GLOBAL: OptionTable = {
  valued: "Cc",
  flags: "pPvh",
  long: namesIn("git-dir work-tree namespace exec-path super-prefix config-env attr-source list-cmds"),
  longFlags: namesIn(
    "paginate no-pager no-replace-objects bare literal-pathspecs glob-pathspecs noglob-pathspecs",
    "icase-pathspecs no-optional-locks html-path man-path info-path version help no-lazy-fetch no-advice",
  ),
};

/** Settings whose value is, or leads to, a program that git will run. */
const RUNS = new RegExp(
  `^(?:${[
    String.raw`alias\..+|core\.(?:pager|editor|sshcommand|fsmonitor|hookspath|gitproxy|askpass|alternaterefscommand)`,
    String.raw`pager\..+|sequence\.editor|diff\.external|diff\..+\.(?:command|textconv)|merge\..+\.driver`,
    String.raw`(?:mergetool|difftool|browser|man|guitool)\..+\.(?:cmd|path)|filter\..+\.(?:clean|smudge|process)`,
    String.raw`credential(?:\..+)?\.helper|gpg(?:\..+)?\.(?:program|defaultkeycommand)|interactive\.difffilter`,
    String.raw`uploadpack\.packobjectshook|remote\..+\.(?:uploadpack|receivepack|vcs|proxy)|submodule\..+\.update`,
    String.raw`trailer\..+\.(?:cmd|command)|sendemail\..+|instaweb\..+|(?:web|help)\.browser|tar\..+\.command|imap\.tunnel`,
    String.raw`include(?:if\..+)?\.path|init\.templatedir|protocol(?:\..+)?\.allow|url\..+|hook\..+\.command|core\.worktree|safe\..+`,
  ].join("|")})$`,
  "i",
);

export interface GitSetting {
  readonly key: string;
  /** Absent: `git -c key` sets it to true. */
  readonly value?: ShellWord | undefined;
}

/** A parsed git command line. */
export interface GitCall {
  /** Absent: git alone, or only options. */
  readonly subcommand?: ShellWord | undefined;
  /** The words after the subcommand. */
  readonly rest: readonly ShellWord[];
  readonly settings: readonly GitSetting[];
  readonly globals: ReadonlyMap<string, readonly ShellWord[]>;
  readonly globalFlags: ReadonlySet<string>;
  readonly unsure?: string | undefined;
}

export function readGit(words: readonly ShellWord[], bindings: Bindings): GitCall {
  const { next, values, flags, unsure } = scanOptions(words, GLOBAL, bindings);
  const subcommand = words[next];
  const rest = words.slice(next + 1);
  const settings = (values.get("c") ?? []).map(settingOf);
  for (const word of values.get("config-env") ?? [])
    settings.push({ key: word.value.split("=")[0] ?? "", value: undefined });
  if (subcommand?.value === "clone" || subcommand?.value === "init") {
    for (const hit of findOptions([subcommand, ...rest], ["-c", "--config"])) {
      if (hit.value !== undefined) settings.push(settingOf(hit.value));
    }
  }
  return { subcommand, rest, settings, globals: values, globalFlags: flags, unsure };
}

function settingOf(word: ShellWord): GitSetting {
  const equals = word.value.indexOf("=");
  return equals === -1 ? { key: word.value } : { key: word.value.slice(0, equals), value: tail(word, equals + 1) };
}

/** What git runs because of one setting. */
function setting({ key, value }: GitSetting): Pick<ProgramLook, "inner" | "notes"> {
  if (!RUNS.test(key)) return { inner: [], notes: [] };
  if (value === undefined || !value.fixed)
    return { inner: [], notes: [unknown(`git runs what ${key} says, which is known only at run time`)] };
  if (value.value === "" || /^(true|false|never|always|user|\d+)$/.test(value.value)) return { inner: [], notes: [] };
  if (/^alias\./i.test(key) && !value.value.startsWith("!"))
    return { inner: [{ kind: "script", text: `git ${value.value}` }], notes: [] };
  if (/^(core\.hookspath|init\.templatedir|include|core\.worktree|url\.|protocol|safe\.)/i.test(key)) {
    return { inner: [], notes: [unknown(`${key} makes git run or read what lies elsewhere: ${value.text}`)] };
  }
  return scriptIn(fixedWord(value.value.replace(/^!/, "")), `git's ${key}`);
}

/** Options of subcommands whose value is a program. */
const RUNNING_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  rebase: ["-x", "--exec"],
  fetch: ["--upload-pack"],
  pull: ["--upload-pack"],
  clone: ["-u", "--upload-pack"],
  "ls-remote": ["--upload-pack", "--exec"],
  push: ["--receive-pack", "--exec"],
  "send-pack": ["--receive-pack", "--exec"],
  "fetch-pack": ["--upload-pack", "--exec"],
  archive: ["--exec"],
  difftool: ["-x", "--extcmd"],
  grep: ["-O", "--open-files-in-pager"],
  "filter-branch": [
    "--setup",
    "--env-filter",
    "--tree-filter",
    "--index-filter",
    "--parent-filter",
    "--msg-filter",
    "--commit-filter",
    "--tag-name-filter",
  ],
  "send-email": ["--sendmail-cmd", "--to-cmd", "--cc-cmd", "--header-cmd", "--smtp-server"],
};

/** Git's own subcommands. Any other name is an alias from somebody's settings, or a program `git-<name>`. */
const GIT_COMMANDS = setOf(
  "add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap check-ref-format",
  "checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree config count-objects describe diagnose",
  "diff diff-files diff-index diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg for-each-ref",
  "for-each-repo format-patch fsck gc grep hash-object help hook index-pack init interpret-trailers log ls-files ls-remote ls-tree mailinfo",
  "mailsplit maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag mktree mv name-rev notes pack-objects",
  "pack-redundant pack-refs patch-id prune prune-packed pull push range-diff read-tree rebase receive-pack reflog remote repack replace",
  "request-pull rerere reset restore rev-list rev-parse revert rm send-email send-pack shortlog show show-branch show-index show-ref",
  "sparse-checkout stash status stripspace submodule switch symbolic-ref tag unpack-file unpack-objects update-index update-ref",
  "update-server-info upload-archive upload-pack var verify-commit verify-pack verify-tag version whatchanged worktree write-tree svn",
);

export function lookIntoGit(context: LookContext): ProgramLook {
  const call = readGit(context.words, context.bindings);
  const notes: Note[] = call.unsure === undefined ? [] : [unknown(`git: ${call.unsure}`)];
  if (call.globals.has("exec-path")) notes.push(unknown("--exec-path makes git run other programs than its own"));
  if (call.globals.has("git-dir")) notes.push(unknown("--git-dir makes git obey another repository's settings"));
  const { subcommand, rest } = call;
  if (subcommand === undefined) return together(false, { inner: [], notes }, ...call.settings.map(setting));
  if (!subcommand.fixed) notes.push(unknown(`which git command runs is known only at run time: ${subcommand.text}`));
  else if (!GIT_COMMANDS.has(subcommand.value))
    notes.push(unknown(`git ${subcommand.value} is an alias or a program of its own`));
  for (const word of rest) {
    if (/(^|=)ext::/.test(word.value)) notes.push(unknown(`${word.text} is an address that runs a program`));
  }
  return together(false, { inner: [], notes }, ...call.settings.map(setting), ...bySubcommand(subcommand, rest));
}

function bySubcommand(
  subcommand: ShellWord,
  rest: readonly ShellWord[],
): readonly Pick<ProgramLook, "inner" | "notes">[] {
  const name = subcommand.value;
  const all = [subcommand, ...rest];
  const options = Object.hasOwn(RUNNING_OPTIONS, name) ? (RUNNING_OPTIONS[name] ?? []) : [];
  const looks = findOptions(all, options).map((hit) => scriptIn(hit.value, `git ${name} ${hit.name}`));
  if (name === "bisect" && rest[0]?.value === "run")
    looks.push({ inner: [{ kind: "words", words: rest.slice(1) }], notes: [] });
  if (name === "submodule") {
    const at = rest.findIndex((word) => word.value === "foreach");
    if (at !== -1)
      looks.push(
        joinedScript(
          rest.slice(at + 1).filter((word) => !/^(--recursive|-q|--quiet)$/.test(word.value)),
          "git submodule foreach",
        ),
      );
  }
  if (name === "for-each-repo")
    looks.push({ inner: [], notes: [unknown("git for-each-repo runs a command in other repositories")] });
  if (name === "config") looks.push(config(rest));
  return looks;
}

/** `git config alias.x '!rm'` runs nothing yet, but the next `git x` does. */
function config(rest: readonly ShellWord[]): Pick<ProgramLook, "inner" | "notes"> {
  const operands = rest.filter((word) => !word.value.startsWith("-") && word.value !== "set");
  const [key, value] = operands;
  if (key === undefined || value === undefined) return { inner: [], notes: [] };
  return setting({ key: key.value, value });
}
