import { namesIn, setOf } from "../shell/lists.ts";
import { findOptions, scanOptions, type OptionTable } from "../shell/options.ts";
import { mayBeOption } from "../shell/paths.ts";
import { fixedWord, type ShellWord } from "../shell/words.ts";
import { readingAll, writing } from "./places.ts";
import { firstObjection, type Objection, type Suspect } from "./verdict.ts";

/** npm's commands and their aliases. A shortened name is refused: npm would guess what it means. */
const COMMANDS = setOf(
  "access add adduser audit author bugs c cache ci clean-install clean-install-test cit completion config create ddp dedupe deprecate diff",
  "dist-tag dist-tags docs doctor find find-dupes fund get help help-search home hook i i-t ic in info init innit ins inst insta instal install",
  "install-ci-test install-clean install-test isntall isntall-clean issues it la link list ll ln login logout ls org outdated owner pack ping",
  "pkg prefix profile prune publish query r rb rebuild remove repo restart rm root rum run run-script s sbom se search set set-script",
  "shrinkwrap sit star stars start stop t team test token tst un uninstall unlink unpublish unstar up update upgrade urn v verison version",
  "view whoami why",
);

const LEADING: OptionTable = {
  valued: "wC",
  flags: "sqdydDSPEOBglfhv?naLpt",
  long: namesIn("prefix workspace registry loglevel cache omit include location tag access otp scope"),
  longFlags: namesIn(
    "silent quiet verbose yes global force workspaces include-workspace-root no-audit no-fund no-progress",
    "if-present ignore-scripts production legacy-peer-deps no-save save save-dev save-exact json long",
    "parseable no-color no-update-notifier offline prefer-offline dry-run version help",
  ),
};

/** Options that choose a program, or take settings from elsewhere. */
const FORBIDDEN = [
  "--script-shell",
  "--shell",
  "--node-options",
  "--userconfig",
  "--globalconfig",
  "--git",
  "--editor",
  "--viewer",
  "--browser",
  "--call",
  "--init-module",
  "--node-gyp",
];

/** Commands whose operands may be folders. */
const INSTALLS = setOf(
  "i in ins inst insta instal install isntall add ci it link ln pack publish update up upgrade init create cache",
);

const CONFIG_KEYS =
  /^(audit|fund|progress|loglevel|color|unicode|save|save-exact|save-prefix|package-lock|registry|@[\w.-]+:registry|strict-ssl|engine-strict|legacy-peer-deps|init[.-](author[.-](name|email|url)|license|version|type)|fetch-retries|fetch-timeout|maxsockets|tag|workspaces|update-notifier|prefer-offline|install-strategy|omit|include)$/;

export function npmObjection(suspect: Suspect): Objection {
  const { bindings, folder } = suspect;
  const words = suspect.words.map(withTwoDashes);
  const { next, unsure } = scanOptions(words, LEADING, bindings);
  const verb = words[next];
  const cut = words.findIndex((word) => word.value === "--");
  const own = cut === -1 ? words : words.slice(0, cut);
  return firstObjection(
    () => (unsure === undefined ? undefined : `npm: ${unsure}`),
    () => {
      const [hit] = findOptions(own.filter(isNoOther), FORBIDDEN);
      if (hit !== undefined) return `npm ${hit.name} is not allowed`;
      const moving = own.slice(next + 1).find((word) => word.pieces[0]?.kind !== "glob" && mayBeOption(word, bindings));
      return moving === undefined ? undefined : `Cannot tell before it runs whether ${moving.text} is an option of npm`;
    },
    () => {
      if (verb === undefined) return undefined;
      if (!verb.fixed) return `Cannot tell before it runs which npm command ${verb.text} is`;
      return COMMANDS.has(verb.value) ? undefined : `npm ${verb.value} is not allowed`;
    },
    () =>
      changesTheMachine(own, verb, own.slice(next + 1))
        ? "npm may not install or change anything outside of the workspace"
        : undefined,
    ...findOptions(
      own.filter(({ value }) => !/^--(p|c|ca)$|^--pre(fer.*)?$/.test(value)),
      ["--prefix", "--cache", "--pack-destination", "--workspace", "-w", "--logs-dir", "--local-prefix", "-C"],
    ).flatMap(({ value }) => (value === undefined ? [] : [() => writing(value, folder, bindings)])),
    () => fetched(verb, words.slice(next + 1)),
    () => config(verb, own.slice(next + 1)),
    () => (INSTALLS.has(verb?.value ?? "") ? readingAll(own.slice(next + 1).map(withoutScheme), suspect) : undefined),
    () => readingAll(own.slice(1).flatMap(setTo), suspect),
  );
}

/** `npm init x` and `npm create x` download the package `create-x` and run it. `npm init` alone only asks questions. */
function fetched(verb: ShellWord | undefined, rest: readonly ShellWord[]): Objection {
  if (!/^(init|innit|create)$/.test(verb?.value ?? "")) return undefined;
  const named = rest.find(
    ({ value, fixed }, index) =>
      value !== "--" &&
      (!fixed || !value.startsWith("-")) &&
      !/^(-w|--workspace|--scope)$/.test(rest[index - 1]?.value ?? ""),
  );
  if (named === undefined) return undefined;
  return `npm ${verb?.value ?? ""} ${named.text} is not allowed: it gets a program from the network and runs it`;
}

/** `file:../x` and `link:../x` are folders. */
function withoutScheme(word: ShellWord): ShellWord {
  const path = word.value.replace(/^([^@/]+@|@[^/]+\/[^@/]+@)?(file|link):(\/\/)?/, "");
  return path === word.value || !word.fixed ? word : fixedWord(path, word.text);
}

/** The value of an option, if it is a path. */
function setTo(word: ShellWord): readonly ShellWord[] {
  const equals = word.value.indexOf("=");
  if (!word.value.startsWith("-") || equals === -1) return [];
  const value = word.value.slice(equals + 1).replace(/^file:(\/\/)?/, "");
  return /^(\/|~|\.\.)/.test(value) ? [fixedWord(value, word.text)] : [];
}

/** These are options of their own, not abbreviations of a forbidden one. */
function isNoOther({ value }: ShellWord): boolean {
  return !/^--(global|no|c|s|e|i|g|b|u|v|n)$/.test(value);
}

/** npm reads `-name` as `--name`. Several letters together may be flags to npm; here they may also be a name. */
function withTwoDashes(word: ShellWord, index: number): ShellWord {
  if (index === 0 || !/^-[A-Za-z][\w-]+(=|$)/.test(word.value) || /^-(dd|ddd|ws|iwr)$/.test(word.value)) return word;
  const letters = /^-[A-Za-z]{2,6}$/.test(word.value) && !KNOWN_NAMES.test(word.value);
  return letters ? word : { ...word, value: `-${word.value}` };
}

/** Prefixes of names that cannot be combined letters. */
const KNOWN_NAMES =
  /^-(glob|loca|pref|scri|shel|node|user|edit|view|brow|call|init|cach|work|yes|json|long|sile|quie|verb|save|prod|forc|dry|tag|omit|incl|audi|fund|regi|logl|git)/;

const SHOWS = /^(ls|list|ll|la|root|prefix|outdated|view|info|show|v|get|bin)$/;

/** Global changes lie outside the workspace. Only the command itself decides whether it merely prints something. */
function changesTheMachine(
  words: readonly ShellWord[],
  verb: ShellWord | undefined,
  rest: readonly ShellWord[],
): boolean {
  const global = words.some(({ value }, index) => {
    if (/^-[A-Za-z]{1,6}$/.test(value)) return value.includes("g");
    const [name = "", set] = value.split(/=(.*)/s);
    if (name.length > 3 && "--global".startsWith(name)) return set !== "false";
    if (name.length > 3 && "--location".startsWith(name)) return (set ?? words[index + 1]?.value) !== "project";
    return false;
  });
  // A link into or out of the folder of global packages.
  if (/^(link|ln)$/.test(verb?.value ?? "")) return true;
  if (!global) return false;
  const first = rest.find((word) => !word.value.startsWith("-"))?.value ?? "list";
  if (/^(config|c)$/.test(verb?.value ?? "")) return !/^(get|list|ls)$/.test(first);
  return !SHOWS.test(verb?.value ?? "");
}

function config(verb: ShellWord | undefined, rest: readonly ShellWord[]): Objection {
  const operands = rest.filter((word) => !word.value.startsWith("-"));
  const setting = verb?.value === "set" ? operands : /^(config|c)$/.test(verb?.value ?? "") ? operands.slice(1) : [];
  const action =
    verb?.value === "set" ? "set" : /^(config|c)$/.test(verb?.value ?? "") ? (operands[0]?.value ?? "list") : "list";
  if (/^(list|ls|get)$/.test(action)) return undefined;
  if (action === "edit" || action === "fix") return `npm config ${action} is not allowed`;
  // `npm config set a=1 b=2` or `npm config set a 1`.
  const keys = setting.some((word) => word.value.includes("="))
    ? setting
    : setting.slice(0, action === "set" ? 1 : undefined);
  const wrong = keys.find((word) => !word.fixed || !CONFIG_KEYS.test(word.value.split("=")[0] ?? ""));
  return wrong === undefined
    ? undefined
    : `Setting npm's ${wrong.text} is not allowed: it can make npm run other programs`;
}
