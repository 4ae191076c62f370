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
import { evaluates } from "./eval-options.ts";
import { lookIntoGit } from "./git.ts";
import { inputNote, lookIntoInput, lookIntoPackage, readsInput } from "./interpreters.ts";
import { findOptions, scanOptions } from "./options.ts";
import { mayBeOption } from "./paths.ts";
import { READS_OTHERS } from "./programs.ts";
import { filledIn } from "./wrappers.ts";
import { ADDED_WORDS, fixedWord, type ShellWord } from "./words.ts";

/** Programs with work of their own that can be told to run others. */

/** Options whose value is a shell command, or a program. */
const SCRIPT_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  tar: [
    "--to-command",
    "--use-compress-program",
    "-I",
    "--info-script",
    "--new-volume-script",
    "-F",
    "--rsh-command",
    "--rmt-command",
    "--checkpoint-action",
  ],
  rsync: ["-e", "--rsh", "--rsync-path"],
  scp: ["-S"],
  sftp: ["-S", "-D"],
  sort: ["--compress-program"],
  split: ["--filter"],
  tcpdump: ["-z"],
  zip: ["-TT", "--unzip-command"],
  man: ["-P", "--pager", "-H", "--html", "-X"],
  npx: ["-c", "--call"],
  rg: ["--pre", "--hostname-bin"],
  restic: ["--password-command", "-o"],
};

/** Options whose value is a program in another language, or a start file. */
const CODE_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  node: ["-e", "--eval", "-p", "--print", "-pe", "-r", "--require", "--import", "--loader", "--experimental-loader"],
  bun: ["-e", "--eval", "-r", "--preload"],
  python: ["-c", "-m"],
  perl: ["-e", "-E", "-M", "-m"],
  ruby: ["-e", "-r"],
  php: ["-r", "-B", "-R", "-E", "-d"],
  lua: ["-e", "-l"],
  Rscript: ["-e"],
  R: ["-e"],
  julia: ["-e", "-E"],
  osascript: ["-e"],
  emacs: ["--eval", "--execute", "-f", "-l", "--load", "--funcall", "--script"],
  psql: ["-c", "--command", "-f"],
  sqlite3: ["-cmd"],
  mysql: ["-e", "--execute"],
  gdb: ["-ex", "-x", "--eval-command", "--command"],
  lldb: ["-o", "-s", "-O"],
  openssl: ["-engine", "-provider"],
  wget: ["-e", "--execute", "--use-askpass", "--config"],
  curl: ["-K", "--config"],
};

const EDITORS: ReadonlySet<string> = new Set([
  "vi",
  "vim",
  "nvim",
  "view",
  "vimdiff",
  "ex",
  "ed",
  "red",
  "rvim",
  "gvim",
  "nano",
  "pico",
  "emacs",
  "emacsclient",
]);
const PAGERS: ReadonlySet<string> = new Set(["less", "more", "most"]);

function byOptions(program: string, { words, bindings }: LookContext): ProgramLook | undefined {
  const interpreter = /^(python|pypy|perl|ruby|php|lua|node|nodejs)[\d.]*$/.exec(program)?.[1];
  const name = interpreter === "nodejs" ? "node" : interpreter === "pypy" ? "python" : (interpreter ?? program);
  const scripts = Object.hasOwn(SCRIPT_OPTIONS, name) ? SCRIPT_OPTIONS[name] : undefined;
  const codes = Object.hasOwn(CODE_OPTIONS, name) ? CODE_OPTIONS[name] : undefined;
  if (scripts === undefined && codes === undefined) return undefined;
  const notes: Note[] = [];
  for (const hit of findOptions(words, codes ?? [])) {
    notes.push({ kind: "code", message: `${program} ${hit.name} runs a program that is given inline` });
    break;
  }
  const moving = scripts === undefined ? undefined : words.slice(1).find((word) => mayBeOption(word, bindings));
  if (moving !== undefined)
    notes.push(unknown(`${moving.text} could become an option with which ${program} runs another program`));
  const looks = findOptions(words, scripts ?? []).map((hit) =>
    scriptIn(actionOf(program, hit.value), `${program} ${hit.name}`),
  );
  // `tar xIf 'program' …`: tar's first word may hold option letters without a dash.
  if (program === "tar" && /^[A-Za-z]*[IF]/.test(words[1]?.value ?? ""))
    notes.push(unknown("tar runs a program of its own choice"));
  return together(false, { inner: [], notes }, ...looks);
}

/** `--checkpoint-action=exec=CMD` runs CMD; its other actions run nothing. */
function actionOf(program: string, value: ShellWord | undefined): ShellWord | undefined {
  if (program !== "tar" || value === undefined || !/^(exec=|dot|echo|bell|sleep|ttyout|totals|wait)/.test(value.value))
    return value;
  return value.value.startsWith("exec=") ? fixedWord(value.value.slice(5)) : fixedWord(":");
}

function find({ words, bindings }: LookContext): ProgramLook {
  const looks: Pick<ProgramLook, "inner" | "notes">[] = [];
  const moving = words.slice(1).find((word) => !word.fixed && word.splits && mayBeOption(word, bindings));
  if (moving !== undefined) looks.push({ inner: [], notes: [unknown(`${moving.text} could become -exec or -delete`)] });
  for (let at = 1; at < words.length; at++) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(words[at]?.value ?? "")) continue;
    const end = words.findIndex(
      (word, index) => index > at && (word.value === ";" || (word.value === "+" && words[index - 1]?.value === "{}")),
    );
    const inner = words.slice(at + 1, end === -1 ? undefined : end);
    looks.push({
      inner: [{ kind: "words", words: inner.map((word) => (word.value.includes("{}") ? filledIn(word) : word)) }],
      notes: [],
    });
    if (end === -1) break;
    at = end;
  }
  return together(false, ...looks);
}

function fd({ words }: LookContext): ProgramLook {
  const at = words.findIndex((word) => /^(-x|-X|--exec|--exec-batch)$/.test(word.value));
  const attached = words.find((word) => /^(-[a-zA-Z]*[xX].+|--exec(-batch)?=)/.test(word.value));
  if (attached !== undefined && at === -1)
    return { inner: [], notes: [unknown(`fd runs ${attached.text}`)], wrapper: false };
  return at === -1
    ? NOTHING
    : { inner: [{ kind: "words", words: [...words.slice(at + 1), ADDED_WORDS] }], notes: [], wrapper: false };
}

const SSH = { valued: "bcDEeFIiJLlmOoPpQRSWwB", flags: "1246AaCfGgKkMNnqsTtVvXxYy" };

function ssh({ words, bindings }: LookContext): ProgramLook {
  const { next, values, unsure } = scanOptions(words, SSH, bindings);
  const notes: Note[] = unsure === undefined ? [] : [unknown(`ssh: ${unsure}, so what it runs is a guess`)];
  const local = (values.get("o") ?? []).flatMap((word) => {
    const match =
      /^(ProxyCommand|LocalCommand|KnownHostsCommand|PKCS11Provider|SecurityKeyProvider)[= ]\s*(.*)$/is.exec(
        word.value,
      );
    return match?.[2] === undefined
      ? []
      : [scriptIn(word.fixed ? fixedWord(match[2]) : word, `ssh -o ${match[1] ?? ""}`)];
  });
  if (values.has("F")) notes.push(unknown("ssh -F reads settings that can run programs"));
  const remote = joinedScript(words.slice(next + 1), "ssh, on the other machine,");
  return together(false, { inner: [], notes }, ...local, remote);
}

/** A sed script: `e` runs commands, `w` writes files. Only surely harmless scripts pass without a note. */
function sed({ words }: LookContext): ProgramLook {
  const given = findOptions(words, ["-e", "--expression"]).flatMap((hit) =>
    hit.value === undefined ? [] : [hit.value],
  );
  const first = words.slice(1).find((word) => !word.value.startsWith("-"));
  const scripts = given.length > 0 ? given : first === undefined ? [] : [first];
  const notes: Note[] =
    findOptions(words, ["-f", "--file"]).length > 0 ? [{ kind: "code", message: "sed runs a script from a file" }] : [];
  for (const script of scripts) {
    if (!script.fixed) notes.push(unknown(`what sed does is known only at run time: ${script.text}`));
    else if (sedRuns(script.value))
      notes.push(unknown(`this sed script can run a command or write another file: ${script.text}`));
  }
  return { inner: [], notes, wrapper: false };
}

const SED_ADDRESS = String.raw`(?:\d+|\$|/(?:\\.|[^/\\])*/[IM]*)(?:\s*,\s*(?:[+~]?\d+|\$|/(?:\\.|[^/\\])*/[IM]*))?\s*!?\s*`;
const SED_SAFE = new RegExp(
  `^\\s*(?:${SED_ADDRESS})?(?:[dpDPgGhHlnNxqQ=z]\\d*|s(.)(?:\\\\[\\s\\S]|(?!\\1)[^\\\\])*\\1(?:\\\\[\\s\\S]|(?!\\1)[^\\\\])*\\1[gpiImM\\d]*|y/(?:\\\\.|[^/])*/(?:\\\\.|[^/])*/|[aic]\\\\?\\s[^\\n]*)?\\s*$`,
);

function sedRuns(script: string): boolean {
  if (SED_SAFE.test(script)) return false;
  return !script.split(/[;\n{}]/).every((piece) => SED_SAFE.test(piece));
}

function awk({ words }: LookContext): ProgramLook {
  const program = words
    .slice(1)
    .find((word, index) => !word.value.startsWith("-") && !/^-[vFf]$/.test(words[index]?.value ?? ""));
  const files = findOptions(words, [
    "-f",
    "--file",
    "-E",
    "--exec",
    "-l",
    "--load",
    "-i",
    "--include",
    "-e",
    "--source",
  ]);
  const notes: Note[] = files.length > 0 ? [{ kind: "code", message: "awk runs a program from elsewhere" }] : [];
  if (program?.fixed === false) notes.push(unknown(`what awk does is known only at run time: ${program.text}`));
  else if (
    program !== undefined &&
    /system\s*\(|@\s*\w+\s*\(|\|&?|getline|@load|@include|>|ARGV|ARGC|ENVIRON|PROCINFO|SYMTAB/.test(
      program.value.replaceAll("||", ""),
    )
  ) {
    notes.push(unknown("this awk program can run a command or write a file"));
  }
  return { inner: [], notes, wrapper: false };
}

/** npm exec, npx, yarn exec, pnpm dlx …: a package's program, or a script with -c. */
function packageRunner(context: LookContext): ProgramLook {
  const { words } = context;
  const name = words.findIndex((word, index) => index > 0 && !word.value.startsWith("-"));
  const verb = words[name]?.value ?? "";
  const scripts = findOptions(words, ["-c", "--call", "--script-shell", "--shell", "--node-options"]).filter(
    (hit) => hit.name !== "-c" || /^(exec|x)$/.test(verb),
  );
  const looks = scripts.map((hit) => scriptIn(hit.value, `npm ${hit.name}`));
  if (/^(exec|x|dlx|explore)$/.test(verb)) {
    const dashes = words.findIndex((word, index) => index > name && word.value === "--");
    const rest = words
      .slice((dashes === -1 ? name : dashes) + 1)
      .filter((word) => !word.value.startsWith("-") || dashes !== -1);
    const inner = verb === "explore" && dashes === -1 ? rest.slice(1) : rest;
    if (scripts.length === 0 && inner.length > 0) looks.push({ inner: [{ kind: "words", words: inner }], notes: [] });
    looks.push({ inner: [], notes: [{ kind: "code", message: "runs a package's program" }] });
  }
  if (
    /^(config|c|set)$/.test(verb) &&
    words.some((word) => /script-shell|node-options|^shell\b|editor|^git\b/.test(word.value))
  ) {
    looks.push({ inner: [], notes: [{ kind: "environment", message: "changes which programs npm runs" }] });
  }
  // A subcommand that is the interpreter itself: `yarn node -`.
  const input = words[0]?.value === "npm" && !/^(exec|x)$/.test(verb) ? undefined : lookIntoPackage(context);
  if (input !== undefined && /^(exec|x|dlx|run|node|tsx|ts-node)$/.test(verb)) looks.push(input);
  return together(false, ...looks);
}

/** jq and yq read other files, and yq may run programs, when their filter says so. */
function filter({ words }: LookContext): ProgramLook {
  const telling = words.slice(1).find(({ value }) => READS_OTHERS.test(value));
  const notes = telling === undefined ? [] : [unknown(`${telling.text} reads other files`)];
  return { inner: [], notes, wrapper: false };
}

function container({ words }: LookContext): ProgramLook {
  const runs = words.some((word) => /^(run|exec|create|build|compose)$/.test(word.value));
  return runs
    ? { inner: [], notes: [{ kind: "code", message: "runs a program in a container" }], wrapper: false }
    : NOTHING;
}

function parallel({ words }: LookContext): ProgramLook {
  const at = words.findIndex((word, index) => index > 0 && !word.value.startsWith("-"));
  const end = words.findIndex((word) => /^:::?:?\+?$/.test(word.value));
  const template = at === -1 ? [] : words.slice(at, end === -1 ? undefined : end);
  if (template.length === 0)
    return { inner: [], notes: [unknown("parallel runs the lines that it reads")], wrapper: false };
  const notes = [unknown("parallel builds its commands from what it reads")];
  return together(
    true,
    { inner: [], notes },
    { inner: [{ kind: "words", words: [...template, ADDED_WORDS] }], notes: [] },
  );
}

function make({ words, command }: LookContext): ProgramLook {
  const notes: Note[] = [];
  const shell = words.find((word) => /^(SHELL|\.SHELLFLAGS|MAKEFLAGS|CC|CXX|LD|AR)[:+?]?=/.test(word.value));
  if (shell !== undefined) notes.push(unknown(`${shell.text} makes make run another program`));
  if (words.some((word) => /^(-E|--ev(a|al)?(=|$))/.test(word.value)))
    notes.push({ kind: "code", message: "make --eval runs a program that is given inline" });
  const files = findOptions(words, ["-f", "--file", "--makefile"]);
  if (files.some(({ value }) => value !== undefined && readsInput(value))) notes.push(inputNote("make", command));
  return { inner: [], notes, wrapper: false };
}

const CARRIERS: Readonly<Record<string, Looker>> = {
  git: lookIntoGit,
  find,
  fd,
  fdfind: fd,
  ssh,
  autossh: ssh,
  sed,
  gsed: sed,
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  npm: packageRunner,
  pnpm: packageRunner,
  yarn: packageRunner,
  docker: container,
  podman: container,
  kubectl: container,
  nerdctl: container,
  parallel,
  jq: filter,
  yq: filter,
  make,
  gmake: make,
};

export function lookIntoCarrier(program: string, context: LookContext): ProgramLook | undefined {
  const carrier = Object.hasOwn(CARRIERS, program) ? CARRIERS[program] : undefined;
  if (carrier !== undefined) return carrier(context);
  if (EDITORS.has(program))
    return { inner: [], notes: [unknown(`${program} is an editor, from which anything can be run`)], wrapper: false };
  if (PAGERS.has(program) && context.words.some((word) => /^\+.*!/.test(word.value))) {
    return { inner: [], notes: [unknown(`${program} is told to run a command`)], wrapper: false };
  }
  const input = /^(npx|pnpx|bunx|pipx|corepack)$/.test(program)
    ? lookIntoPackage(context)
    : lookIntoInput(program, context);
  const looks = [byOptions(program, context), input].filter((look) => look !== undefined);
  const notes = evaluates(program, context);
  return looks.length + notes.length === 0 ? undefined : together(false, { inner: [], notes }, ...looks);
}
