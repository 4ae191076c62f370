import { namesIn } from "../shell/lists.ts";
import { pathsMeet } from "../globs.ts";
import { isInside, mayBeOption, staysInside } from "../shell/paths.ts";
import { anyFileNamesIn } from "../shell/file-names.ts";
import { findOptions, scanOptions, type OptionTable } from "../shell/options.ts";
import type { ShellWord } from "../shell/words.ts";
import { gitObjection } from "./git.ts";
import { npmObjection } from "./npm.ts";
import { bringing, readingAll, writing } from "./places.ts";
import { firstObjection, NOWHERE, type Objection, type Suspect } from "./verdict.ts";

/** Document 004's list: everything that a web development session needs, and nothing else. */
const ALLOWED_COMMANDS = [
  "ls",
  "cat",
  "head",
  "tail",
  "wc",
  "grep",
  "cp",
  "mkdir",
  "chmod",
  "pwd",
  "npm",
  "node",
  "git",
  "ps",
  "lsof",
  "sleep",
  "pkill",
  "init.sh",
] as const;
type Allowed = (typeof ALLOWED_COMMANDS)[number];

export function isAllowed(program: string): program is Allowed {
  return (ALLOWED_COMMANDS as readonly string[]).includes(program);
}

/** Names of development servers that may be killed. */
const DEV_PROCESSES = ["node", "npm", "npx", "vite", "next"];

/** Why this use of a listed program is blocked. */
export function objectionTo(program: Allowed, suspect: Suspect): Objection {
  switch (program) {
    case "ls":
    case "cat":
    case "head":
    case "tail":
    case "wc":
      return readingAll(operandsAndValues(suspect.words), suspect);
    case "grep":
      return grep(suspect);
    case "cp":
      return cp(suspect);
    case "mkdir":
      return mkdir(suspect);
    case "chmod":
      return chmod(suspect);
    case "pkill":
      return pkill(suspect);
    case "init.sh":
      return initScript(suspect);
    case "git":
      return gitObjection(suspect);
    case "npm":
      return npmObjection(suspect);
    case "node":
    case "pwd":
    case "ps":
    case "sleep":
      return undefined;
    case "lsof":
      return lsof(suspect);
  }
}

/** `-D` and `+m` write files. */
function lsof({ words, bindings }: Suspect): Objection {
  const odd = words.find(
    (word, index) =>
      index > 0 && (/^-[abCEhKlnNOPRtUvVwXx]*D|^\+m/.test(word.value) || (!word.fixed && mayBeOption(word, bindings))),
  );
  return odd === undefined ? undefined : `lsof only allowed to list, got: ${odd.text}`;
}

/**
 * A program given by path must lie where programs are installed: `./ls` would be a file that the agent wrote.
 * `./init.sh` has its own rule.
 */
export function pathObjection(name: ShellWord, { folder }: Suspect): Objection {
  if (!name.value.includes("/") || name.value.endsWith("/init.sh")) return undefined;
  if (INSTALLED.test(name.value) && !isInside(folder.workspace, name.value)) return undefined;
  return `Running a program by the path ${name.text} is not allowed`;
}

/** Where a system, or a version manager of Node, installs programs. */
const INSTALLED = new RegExp(
  [
    String.raw`^\/(usr\/(local\/)?)?s?bin\/[\w.+-]+$`,
    String.raw`^\/opt\/homebrew\/bin\/[\w.+-]+$`,
    String.raw`^\/(home\/[\w-]+|Users\/[\w-]+|root)\/\.(nvm\/versions\/node|local\/share\/fnm\/node-versions|volta|asdf\/installs\/nodejs)\/([\w.-]*\w\/)*bin\/(node|npm)$`,
  ].join("|"),
);

/** Words that are not options, and the values of long options. */
function operandsAndValues(words: readonly ShellWord[]): readonly ShellWord[] {
  return words.slice(1).flatMap((word) => {
    if (!word.value.startsWith("-")) return [word];
    const equals = word.value.startsWith("--") ? word.value.indexOf("=") : -1;
    if (word.value.startsWith("--")) return equals === -1 ? [] : [valueOf(word, equals + 1)];
    // `-f/etc/x`, `-qf../x`: the value of a short option may be attached.
    return (anyFileNamesIn(word.value) ?? [])
      .filter((name) => /^(\/|~|\.\.)/.test(name))
      .map((name) => valueOf(word, word.value.length - name.length));
  });
}

/** Values attached to a short option that may be paths. */
function attachedValues(words: readonly ShellWord[]): readonly ShellWord[] {
  return operandsAndValues(words.filter((word, index) => index === 0 || /^-[A-Za-z]*f/.test(word.value)));
}

function valueOf(word: ShellWord, from: number): ShellWord {
  const value = word.value.slice(from);
  return {
    ...word,
    value,
    pieces: word.fixed
      ? [{ kind: "text", text: value, quoted: true }]
      : [{ kind: "dynamic", text: value, quoted: true }],
  };
}

/** Options of grep whose value is not a file. `--color` is not here: its value, if any, is attached. */
const GREP_VALUES = namesIn(
  "-e -A -B -C -m -d -D --regexp --include --exclude --exclude-dir",
  "--after-context --before-context --context --max-count --label --binary-files --directories --devices",
);

function grep(suspect: Suspect): Objection {
  const { words } = suspect;
  const patterns = findOptions(words, ["-e", "--regexp"]);
  const files = findOptions(words, ["-f", "--file", "--exclude-from"]).flatMap((hit) =>
    hit.value === undefined ? [] : [hit.value],
  );
  const values = new Set(findOptions(words, GREP_VALUES).map((hit) => hit.value));
  const operands = words.slice(1).filter((word) => !word.value.startsWith("-") && !values.has(word));
  const searched = patterns.length > 0 || files.length > 0 ? operands : operands.slice(1);
  return readingAll([...files, ...searched, ...attachedValues(words)], suspect);
}

const CP: OptionTable = {
  valued: "StZ",
  flags: "abdfHilLnpPrRsTuvx",
  long: namesIn("suffix target-directory backup sparse reflink preserve no-preserve context update"),
  longFlags: namesIn(
    "archive attributes-only copy-contents force interactive link dereference no-clobber no-dereference",
    "parents recursive remove-destination strip-trailing-slashes symbolic-link no-target-directory",
    "verbose one-file-system debug backup reflink preserve update",
  ),
};

function cp(suspect: Suspect): Objection {
  const { words, bindings, folder } = suspect;
  const operands: ShellWord[] = [];
  const targets: ShellWord[] = [];
  // GNU cp also takes options after operands.
  for (let at = 1; at < words.length;) {
    const scanned = scanOptions(words, CP, bindings, at);
    if (scanned.unsure !== undefined) return `cp: ${scanned.unsure}`;
    targets.push(...(scanned.values.get("t") ?? []), ...(scanned.values.get("target-directory") ?? []));
    const ended = words.slice(at, scanned.next).some((word) => word.value === "--");
    const taken = words.slice(scanned.next, ended ? undefined : scanned.next + 1);
    operands.push(...taken);
    at = ended ? words.length : scanned.next + 1;
  }
  const destinations = targets.length > 0 ? targets : operands.slice(-1);
  const sources = targets.length > 0 ? operands : operands.slice(0, -1);
  return firstObjection(
    () => readingAll(sources, suspect),
    () => (sources.some((word) => namesGit(word)) ? "Copying .git is not allowed" : undefined),
    ...destinations.map((word) => () => writing(word, folder, bindings)),
    // If the target is a folder, each source keeps its name in it.
    ...destinations.flatMap((target) => sources.map((word) => () => bringing(word, target, suspect))),
  );
}

/** `.git`, also as a pattern: `.[g]it`, `.g*`. */
function namesGit({ value, fixed }: ShellWord): boolean {
  return value
    .toLowerCase()
    .split("/")
    .some((name) => name === ".git" || (!fixed && pathsMeet([name], [".git"], { hidesDots: true })));
}

function mkdir({ words, bindings, folder }: Suspect): Objection {
  const operands = words
    .slice(1)
    .filter((word, index) => !word.value.startsWith("-") && !/^(-m|--mode)$/.test(words[index]?.value ?? ""));
  return firstObjection(...operands.map((word) => () => writing(word, folder, bindings)));
}

function chmod({ words, bindings, folder }: Suspect): Objection {
  const [, ...given] = words;
  if (given.some((word) => word.value.startsWith("-"))) return "chmod flags are not allowed";
  const [mode, ...files] = given;
  if (mode === undefined) return "chmod requires a mode";
  if (files.length === 0) return "chmod requires at least one file";
  if (!mode.fixed || !/^[ugoa]*\+x$/.test(mode.value)) return `chmod only allowed with +x mode, got: ${mode.value}`;
  return firstObjection(...files.map((word) => () => writing(word, folder, bindings)));
}

const PKILL: OptionTable = {
  valued: "dgGPstuU",
  flags: "0123456789afceilnoxzABCDEFGHIJKLMNOPQRSTUVWXYZ",
  long: namesIn("signal pgroup group parent session terminal euid uid ns nslist older runstates delimiter"),
  longFlags: namesIn("full echo count exact newest oldest ignore-case list-name list-full"),
};

function pkill({ words, bindings }: Suspect): Objection {
  const only = `pkill only allowed for dev processes: ${DEV_PROCESSES.join(", ")}`;
  const patterns: ShellWord[] = [];
  for (let at = 1; at < words.length;) {
    const word = words[at];
    // `-9`, `-KILL`, `-SIGTERM` name a signal.
    if (word !== undefined && /^-(\d+|(SIG)?[A-Z]{2,}\d*)$/.test(word.value)) at++;
    else {
      const scanned = scanOptions(words, PKILL, bindings, at);
      // -F reads process ids from a file, -v kills everything else.
      if (scanned.unsure !== undefined || scanned.flags.has("F")) return only;
      const pattern = words[scanned.next];
      if (pattern !== undefined) patterns.push(pattern);
      at = scanned.next + 1;
    }
  }
  if (patterns.length === 0) return "pkill requires a process name";
  const allowed = patterns.every(({ fixed, value }) => {
    const [name = "", ...rest] = value.trim().split(/\s+/);
    // The pattern is a regular expression: `node x|bash` would match any shell.
    return fixed && DEV_PROCESSES.includes(name) && rest.every((text) => /^[\w./:@=-]+$/.test(text));
  });
  return allowed ? undefined : only;
}

function initScript({ words, folder }: Suspect): Objection {
  const [name] = words;
  const script = name?.fixed === true && (name.value === "./init.sh" || name.value.endsWith("/init.sh"));
  // A hook that does not know its folder cannot tell what lies below it.
  if (script && (folder.workspace === NOWHERE || staysInside(name.value, folder))) return undefined;
  return `Only ./init.sh is allowed, got: ${name?.value ?? ""}`;
}
