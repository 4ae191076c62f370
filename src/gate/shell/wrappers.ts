import { namesIn, setOf } from "./lists.ts";
import { joinedScript, together, unknown, type ProgramLook, type LookContext, type Note, scriptIn } from "./look.ts";
import { scanOptions, type OptionTable } from "./options.ts";
import type { ShellAssignment } from "./reading.ts";
import { ADDED_WORDS, fixedWord, type ShellWord } from "./words.ts";

/** A program whose operands are another program and its arguments. */
interface Wrapper extends OptionTable {
  /** Operands before the command: a duration, a folder, a lock file. */
  readonly operands?: number;
  /** `NAME=value` words before the command. */
  readonly assigns?: boolean;
  /** Options whose value is a shell script. */
  readonly scripts?: readonly string[];
  /** Options with which nothing is run. */
  readonly idle?: readonly string[];
  /** The words are joined and given to a shell. */
  readonly joins?: boolean;
}

const plain: Wrapper = { valued: "", flags: "" };

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: {
    valued: "CDghpRrTtUu",
    flags: "ABbEeHiKklNnPSsVv",
    long: namesIn("user group host prompt chdir chroot role type close-from command-timeout other-user"),
    longFlags: namesIn(
      "askpass background edit login list non-interactive preserve-env shell stdin validate set-home",
      "reset-timestamp remove-timestamp",
    ),
    assigns: true,
    idle: ["l", "list", "v", "validate", "k", "K", "V"],
  },
  doas: { valued: "aCu", flags: "Lns" },
  pkexec: { valued: "", flags: "", long: namesIn("user"), longFlags: namesIn("disable-internal-agent keep-cwd") },
  run0: { valued: "u", flags: "", long: namesIn("user setenv property") },
  timeout: {
    valued: "ks",
    flags: "fpv",
    long: namesIn("kill-after signal"),
    longFlags: namesIn("foreground preserve-status verbose"),
    operands: 1,
  },
  nice: { valued: "n", flags: "", long: namesIn("adjustment"), numbers: true },
  ionice: {
    valued: "cnpPu",
    flags: "t",
    long: namesIn("class classdata pid"),
    longFlags: namesIn("ignore"),
    idle: ["p", "P", "u", "pid"],
  },
  chrt: { valued: "TPDp", flags: "abdfiormRv", operands: 1, idle: ["p", "m"] },
  taskset: { valued: "", flags: "acp", longFlags: namesIn("all-tasks cpu-list pid"), operands: 1, idle: ["p", "pid"] },
  nohup: plain,
  setsid: { valued: "", flags: "cfw", longFlags: namesIn("ctty fork wait") },
  stdbuf: { valued: "ioe", flags: "", long: namesIn("input output error") },
  unbuffer: { valued: "", flags: "p" },
  time: {
    valued: "fo",
    flags: "apqvhV",
    long: namesIn("format output"),
    longFlags: namesIn("append portability quiet verbose"),
  },
  command: { valued: "", flags: "pvV", idle: ["v", "V"] },
  builtin: plain,
  // After a redirection the parser sees no keyword here, but bash does.
  coproc: plain,
  exec: { valued: "a", flags: "cl" },
  chroot: { valued: "", flags: "", long: namesIn("userspec groups"), longFlags: namesIn("skip-chdir"), operands: 1 },
  unshare: {
    valued: "RSGw",
    flags: "muinpUCTcfr",
    long: namesIn("root wd setuid setgid map-user map-group propagation"),
    longFlags: namesIn("mount uts ipc net pid user cgroup time fork map-root-user mount-proc kill-child"),
  },
  nsenter: {
    valued: "tSGrw",
    flags: "amuinpUCTFZ",
    long: namesIn("target setuid setgid"),
    longFlags: namesIn("all mount uts ipc net pid user"),
  },
  setpriv: {
    valued: "",
    flags: "",
    long: namesIn("reuid regid groups inh-caps bounding-set"),
    longFlags: namesIn("no-new-privs clear-groups init-groups keep-groups"),
  },
  prlimit: { valued: "p", flags: "", long: namesIn("pid nofile cpu as nproc core data stack fsize") },
  strace: { valued: "abeEIoOpPsSuUX", flags: "cCdDfFhiknNqrtTvVwxyYzZ" },
  ltrace: { valued: "aAeFlnopsuwxD", flags: "bcCfhiLrStTVx" },
  flock: {
    valued: "wEc",
    flags: "sxenuoFv",
    long: namesIn("timeout wait conflict-exit-code command"),
    longFlags: namesIn("shared exclusive unlock nonblock close no-fork verbose"),
    operands: 1,
    scripts: ["c", "command"],
  },
  watch: {
    valued: "nq",
    flags: "bcCdegtprwx",
    long: namesIn("interval equexit"),
    longFlags: namesIn("beep color differences errexit chgexit no-title precise exec no-rerun no-wrap"),
    joins: true,
  },
  caffeinate: { valued: "tw", flags: "disu" },
  fakeroot: { valued: "lsib", flags: "uhv", long: namesIn("lib faked") },
  torsocks: { valued: "auPp", flags: "iqd" },
  proxychains: { valued: "f", flags: "q" },
  "cross-env": { valued: "", flags: "", assigns: true },
  busybox: plain,
  toybox: plain,
  script: {
    valued: "cEIOBTmo",
    flags: "aefqt",
    long: namesIn("command echo log-in log-out log-io log-timing logging-format output-limit"),
    longFlags: namesIn("append return flush force quiet timing"),
    operands: 1,
    scripts: ["c", "command"],
  },
};

/** They run their arguments, but their options differ between versions: the result is marked as a guess. */
const RUNNERS = setOf(
  "systemd-run firejail bwrap xvfb-run proot torify tsocks valgrind perf catchsegv cgexec setarch",
  "linux32 linux64 i386 x86_64 sg pdm rye start-stop-daemon daemonize entr direnv dotenv pipenv poetry uv",
  "bundle mise asdf nix-shell nix numactl softlimit chpst envdir dbus-run-session proxychains4 unbuffer",
  "rlwrap eatmydata faketime ts-node-dev nodemon concurrently wsl arch at batch",
);

/** Wrappers that only change when and how hard the program works: a rule for the program covers them. */
export const HARMLESS_WRAPPERS: ReadonlySet<string> = new Set([
  "timeout",
  "nice",
  "ionice",
  "nohup",
  "stdbuf",
  "time",
  "command",
]);

export function lookIntoWrapper(program: string, context: LookContext): ProgramLook | undefined {
  const wrapper = Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined;
  if (wrapper !== undefined) return through(program, wrapper, context);
  if (program === "env") return env(context);
  if (program === "xargs") return xargs(context);
  if (program === "jobs" && context.words[1]?.value === "-x")
    return { inner: [{ kind: "words", words: context.words.slice(2) }], notes: [], wrapper: true };
  // The dynamic loader runs the program that it is given.
  if (RUNNERS.has(program) || /^ld(-[\w.-]+)?\.so(\.\d+)?$/.test(program)) return runner(program, context);
  return undefined;
}

function through(program: string, wrapper: Wrapper, { words, bindings }: LookContext): ProgramLook {
  const { next, values, flags, unsure } = scanOptions(words, wrapper, bindings);
  const notes: Note[] = unsure === undefined ? [] : [unknown(`${program}: ${unsure}, so what it runs is a guess`)];
  if (wrapper.idle?.some((option) => flags.has(option) || values.has(option)) === true)
    return { inner: [], notes, wrapper: false };
  const scripts = (wrapper.scripts ?? []).flatMap((option) => values.get(option) ?? []);
  const { assignments, at } = assignmentsFrom(words, wrapper.assigns === true ? next : words.length, next);
  const rest = words.slice(at + (scripts.length > 0 ? words.length : (wrapper.operands ?? 0)));
  if (scripts.length > 0)
    return together(true, { inner: [], notes }, ...scripts.map((word) => scriptIn(word, program)));
  if (rest.length === 0) return { inner: [], notes, wrapper: false };
  if (wrapper.scripts !== undefined && /^(-c|--command)$/.test(rest[0]?.value ?? "")) {
    return together(true, { inner: [], notes }, scriptIn(rest[1], program));
  }
  if (
    (wrapper.joins === true && !flags.has("x") && !flags.has("exec")) ||
    (program === "sudo" && (flags.has("s") || flags.has("i")))
  ) {
    return together(true, { inner: [], notes }, joinedScript(rest, program));
  }
  return { inner: [{ kind: "words", words: rest, assignments }], notes, wrapper: true };
}

/** `NAME=value` words; `from` past the end: there are none. */
function assignmentsFrom(
  words: readonly ShellWord[],
  from: number,
  otherwise: number,
): { readonly assignments: readonly ShellAssignment[]; readonly at: number } {
  const assignments: ShellAssignment[] = [];
  let at = Math.max(from, otherwise);
  if (from >= words.length) return { assignments, at: otherwise };
  for (let word = words[at]; word !== undefined; word = words[++at]) {
    const match = /^([A-Za-z_][\w.]*)=/.exec(word.value);
    if (match?.[1] === undefined) break;
    const value = word.value.slice(match[0].length);
    const held = word.fixed ? fixedWord(value) : { ...word, text: value, value };
    assignments.push({ name: match[1], text: word.text, values: [held], lasting: false });
  }
  return { assignments, at };
}

const ENV: OptionTable = {
  valued: "uCSPa",
  flags: "i0v",
  long: namesIn("unset chdir split-string argv0"),
  longFlags: namesIn("ignore-environment null debug block-signal default-signal ignore-signal list-signal-handling"),
};

function env(context: LookContext): ProgramLook {
  const { words, bindings } = context;
  const { next, values, unsure } = scanOptions(words, ENV, bindings);
  const notes: Note[] = unsure === undefined ? [] : [unknown(`env: ${unsure}, so what it runs is a guess`)];
  const splits = [...(values.get("S") ?? []), ...(values.get("split-string") ?? [])];
  const start = words[next]?.value === "-" ? next + 1 : next;
  const { assignments, at } = assignmentsFrom(words, start, start);
  if (splits.length > 0) {
    // `env -S "a b" c` runs `a b c`: the string is split as in a shell, without expansions.
    return together(true, { inner: [], notes }, joinedScript([...splits, ...words.slice(next)], "env -S"));
  }
  const rest = words.slice(at);
  if (rest.length === 0) return { inner: [], notes, wrapper: false };
  return { inner: [{ kind: "words", words: rest, assignments }], notes, wrapper: true };
}

const XARGS: OptionTable = {
  valued: "aEILnPsdJR",
  flags: "0rtpxoeil",
  long: namesIn("arg-file delimiter max-args max-procs max-chars process-slot-var"),
  longFlags: namesIn("null no-run-if-empty verbose interactive exit open-tty eof replace max-lines show-limits"),
};

function xargs({ words, bindings }: LookContext): ProgramLook {
  // -e, -i and -l take a value only when it is attached, which the scanner's letters cannot express.
  const attached = words.map((word, index) =>
    index > 0 && /^-[eil]./.test(word.value) ? fixedWord(word.value.slice(0, 2)) : word,
  );
  const { next, values, flags, unsure } = scanOptions(attached, XARGS, bindings);
  const notes: Note[] = unsure === undefined ? [] : [unknown(`xargs: ${unsure}, so what it runs is a guess`)];
  const rest = words.slice(next);
  if (rest.length === 0) return { inner: [], notes, wrapper: false };
  const marks = [...(values.get("I") ?? []), ...(values.get("J") ?? []), ...(values.get("replace") ?? [])].map(
    (word) => word.value,
  );
  if (flags.has("i") || flags.has("replace")) marks.push("{}");
  for (const word of words) {
    const mark = /^-i(.+)$/.exec(word.value)?.[1];
    if (mark !== undefined) marks.push(mark);
  }
  const filled = rest.map((word) =>
    marks.some((mark) => mark !== "" && word.value.includes(mark)) ? filledIn(word) : word,
  );
  return {
    inner: [{ kind: "words", words: marks.length > 0 ? filled : [...filled, ADDED_WORDS] }],
    notes,
    wrapper: true,
  };
}

/** A word that another program fills in at run time. */
export function filledIn(word: ShellWord): ShellWord {
  const opens = !/^[\w./-]/.test(word.value) || word.value === "{}";
  return { ...word, fixed: false, splits: false, opens, pieces: [{ kind: "dynamic", text: word.text, quoted: true }] };
}

/** `uv run pytest`, `bundle exec rspec`: without options, the next word is a program of the project's environment. */
export function runsProjectTool(words: readonly ShellWord[]): boolean {
  const [program, verb, tool] = words;
  return (
    /^(uv|poetry|pipenv|pdm|rye|bundle)$/.test(program?.value ?? "") &&
    verb?.value === (program?.value === "bundle" ? "exec" : "run") &&
    tool?.fixed === true &&
    /^[\w.-]*$/.test(tool.value) &&
    /^\w/.test(tool.value)
  );
}

function runner(program: string, { words }: LookContext): ProgramLook {
  const at = words.findIndex(
    (word, index) => index > 0 && !word.value.startsWith("-") && !/^(run|exec|--)$/.test(word.value),
  );
  if (runsProjectTool(words)) return { inner: [{ kind: "words", words: words.slice(2) }], notes: [], wrapper: true };
  const notes = [unknown(`${program} runs the program that it is given; which of its words that is, is a guess`)];
  return at === -1
    ? { inner: [], notes, wrapper: false }
    : { inner: [{ kind: "words", words: words.slice(at) }], notes, wrapper: true };
}
