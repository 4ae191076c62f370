import { inputNote, readsInput } from "./interpreters.ts";
import { namesIn } from "./lists.ts";
import {
  joinedScript,
  NOTHING,
  scriptIn,
  together,
  unknown,
  type ProgramLook,
  type LookContext,
  type Looker,
  type Note,
} from "./look.ts";
import { findOptions, scanOptions, type OptionTable } from "./options.ts";
import type { ShellWord } from "./words.ts";

const SHELLS: ReadonlySet<string> = new Set([
  "sh",
  "bash",
  "dash",
  "ash",
  "zsh",
  "ksh",
  "ksh93",
  "mksh",
  "lksh",
  "rbash",
  "yash",
  "hush",
]);
/** Shells with another language: their scripts cannot be parsed here. */
const OTHER_SHELLS: ReadonlySet<string> = new Set([
  "fish",
  "csh",
  "tcsh",
  "pwsh",
  "powershell",
  "nu",
  "xonsh",
  "elvish",
  "rc",
  "es",
]);

const SHELL_OPTIONS: OptionTable = {
  valued: "oO",
  flags: "abcefhiklmnprstuvxBCDEHPT",
  long: namesIn("rcfile init-file"),
  longFlags: namesIn(
    "login norc noprofile posix restricted verbose noediting debugger dump-strings dump-po-strings",
    "version help",
  ),
};

function shell(program: string, { words, command, bindings }: LookContext): ProgramLook {
  // `+x` turns an option off and may stand wherever an option may.
  const turned = words.map((word) =>
    /^\+[a-zA-Z]+$/.test(word.value) ? { ...word, value: `-${word.value.slice(1)}` } : word,
  );
  const { next, values, flags, unsure } = scanOptions(turned, SHELL_OPTIONS, bindings);
  const notes: Note[] = unsure === undefined ? [] : [unknown(`${program}: ${unsure}, so what it runs is a guess`)];
  if (values.has("rcfile") || values.has("init-file")) notes.push(unknown(`${program} reads a start file of its own`));
  const operand = words[next];
  if (flags.has("c")) return together(true, { inner: [], notes }, scriptIn(operand, `${program} -c`));
  const input = operand !== undefined && readsInput(operand) && (operand.value !== "-" || next === words.length - 1);
  if (input && !/^(-|\/dev\/stdin|\/dev\/fd\/0)$/.test(operand.value))
    return {
      inner: [],
      notes: [...notes, unknown(`${program} runs what it reads from ${operand.text}`)],
      wrapper: false,
    };
  if (operand !== undefined && !flags.has("s") && !input) {
    return {
      inner: [],
      notes: [...notes, { kind: "code", message: `runs the script ${operand.text}` }],
      wrapper: false,
    };
  }
  if (flags.has("version") || flags.has("help")) return { inner: [], notes, wrapper: false };
  const feed = command.redirects.findLast((redirect) => /^0?<</.test(redirect.operator));
  if (feed?.feed !== undefined) return { inner: [{ kind: "script", text: feed.feed }], notes, wrapper: true };
  const from = command.readsPipe ? "what is piped into it" : "what it reads from its input";
  return { inner: [], notes: [...notes, unknown(`${program} runs ${from}`)], wrapper: false };
}

function source({ words, command }: LookContext): ProgramLook {
  const script = words[words[1]?.value === "--" ? 2 : 1];
  const note: Note =
    script !== undefined && readsInput(script)
      ? inputNote("the shell", command)
      : { kind: "code", message: `runs the script ${script?.text ?? ""}` };
  return { inner: [], notes: [note], wrapper: false };
}

function su({ words }: LookContext): ProgramLook {
  const scripts = findOptions(words, ["-c", "--command", "--session-command"]);
  if (scripts.length === 0) return { inner: [], notes: [unknown("starts a shell as another user")], wrapper: false };
  return together(true, ...scripts.map((hit) => scriptIn(hit.value, "su -c")));
}

function trap({ words }: LookContext): ProgramLook {
  const [, first, second] = words;
  if (first === undefined || second === undefined || /^-[lp]?$/.test(first.value)) return NOTHING;
  const action = first.value === "--" ? second : first;
  return action.value === "-" || action.value === "" ? NOTHING : together(false, scriptIn(action, "trap"));
}

function alias({ words }: LookContext): ProgramLook {
  const scripts: ShellWord[] = [];
  const notes: Note[] = [];
  for (const word of words.slice(1)) {
    const equals = word.value.indexOf("=");
    if (!word.fixed) notes.push(unknown(`the alias ${word.text} is known only at run time`));
    else if (equals !== -1) scripts.push({ ...word, value: word.value.slice(equals + 1) });
  }
  return together(false, { inner: [], notes }, ...scripts.map((word) => scriptIn(word, "alias")));
}

function always(message: string): Looker {
  return ({ words }) => (words.length === 1 ? NOTHING : { inner: [], notes: [unknown(message)], wrapper: false });
}

function withOption(options: readonly string[], whose: string): Looker {
  return ({ words }) => together(false, ...findOptions(words, options).map((hit) => scriptIn(hit.value, whose)));
}

/** Builtins that evaluate a name's subscript: `printf -v 'a[$(rm x)]'`, `test -v`, `unset`, `read`, `let`. */
function evaluatesNames({ words }: LookContext): ProgramLook {
  const hidden = words.find(
    ({ fixed, value }) => fixed && value.includes("[") && /\$\(|`|\$\{/.test(value.slice(value.indexOf("["))),
  );
  return hidden === undefined
    ? NOTHING
    : { inner: [], notes: [unknown(`a command hides in ${hidden.text}`)], wrapper: false };
}

/** `set -- …` and `read` set variables without a visible assignment; `let` and `declare -i` calculate. */
function calculates(context: LookContext): ProgramLook {
  const odd = context.words.slice(1).find((word) => !word.fixed || /[$`[]/.test(word.value));
  if (odd === undefined) return NOTHING;
  return {
    inner: [],
    notes: [unknown(`calculates with ${odd.text}, whose text may itself run a command`)],
    wrapper: false,
  };
}

const BUILTINS: Readonly<Record<string, Looker>> = {
  eval: ({ words }) => together(true, joinedScript(words.slice(words[1]?.value === "--" ? 2 : 1), "eval")),
  ".": source,
  source,
  su,
  runuser: su,
  trap,
  alias,
  mapfile: withOption(["-C"], "mapfile -C"),
  readarray: withOption(["-C"], "readarray -C"),
  complete: withOption(["-C"], "complete -C"),
  compgen: withOption(["-C"], "compgen -C"),
  bind: always("binds keys to commands"),
  enable: ({ words }) =>
    findOptions(words, ["-f"]).length > 0
      ? { inner: [], notes: [unknown("loads code into the shell")], wrapper: false }
      : NOTHING,
  hash: ({ words }) =>
    findOptions(words, ["-p"]).length > 0
      ? { inner: [], notes: [unknown("gives a program another program's name")], wrapper: false }
      : NOTHING,
  fc: always("runs a command of the history again"),
  let: calculates,
  test: evaluatesNames,
  "[": evaluatesNames,
  printf: evaluatesNames,
  read: evaluatesNames,
  unset: evaluatesNames,
  declare: evaluatesNames,
  typeset: evaluatesNames,
  local: evaluatesNames,
  readonly: evaluatesNames,
  export: evaluatesNames,
  wait: evaluatesNames,
  getopts: evaluatesNames,
};

export function lookIntoShell(program: string, context: LookContext): ProgramLook | undefined {
  if (SHELLS.has(program)) return shell(program, context);
  if (OTHER_SHELLS.has(program))
    return { inner: [], notes: [unknown(`${program} is a shell with another language`)], wrapper: false };
  return Object.hasOwn(BUILTINS, program) ? BUILTINS[program]?.(context) : undefined;
}
