import { FILES } from "../options/files.ts";
import type { ProgramSpec } from "../options/spec.ts";
import type { ShellWord } from "../shell/words.ts";

/** What a program shows: the words it is given, names and sizes of files, or what is in the files that it names. */
export type Shows = "words" | "names" | "contents";

/** A program that changes nothing with these options. An option that is not listed asks. */
export interface ReadingProgram {
  readonly shows: Shows;
  readonly spec: ProgramSpec;
  /** The shell does it itself. */
  readonly builtin?: true;
  /** Its words are a script or a format: patterns of the shell could turn into another one. */
  readonly fixed?: true;
  /** Why these words are more than reading; undefined: they are not. */
  readonly objection?: ((words: readonly ShellWord[]) => string | undefined) | undefined;
  /** Goes through whole folders: with an option that fits. Absent: never. */
  readonly walks?: RegExp | undefined;
  /** Given folders, it would read files in them through links. */
  readonly filesOnly?: true;
}

/** What is known of a program, without options that follow links, wait for more, or read names from a file. */
function known(program: string, { without = "", not = "" } = {}): ProgramSpec {
  const { harmless: _harmless, ...spec } = FILES[program] ?? { operands: "none" as const };
  const kept = (letters: string | undefined): string =>
    Array.from(letters ?? "")
      .filter((letter) => !without.includes(letter))
      .join("");
  const names = not.split(" ");
  const long = (spec.long ?? "").split(" ").filter((name) => !names.includes(name.replace(/[~=?]$/, "")));
  return { ...spec, flags: kept(spec.flags), texts: kept(spec.texts), long: long.join(" ") };
}

const words = (program: string): ReadingProgram => ({ shows: "words", spec: known(program) });
const builtin = (program: string): ReadingProgram => ({ ...words(program), builtin: true });
const contents = (program: string, without = "", not = ""): ReadingProgram => ({
  shows: "contents",
  spec: known(program, { without, not }),
});
const names = (program: string, without = "", not = ""): ReadingProgram => ({
  shows: "names",
  spec: known(program, { without, not }),
});

const SUM: ReadingProgram = contents("sha256sum", "c", "check quiet status strict warn ignore-missing");

/** `printf %n name` sets a variable, PATH too, and so does `-v`. */
function printfObjection([, format]: readonly ShellWord[]): string | undefined {
  const plain = /^(?:[^%]|%[-+ 0#]*\d*(?:\.\d+)?[sdiuxXoeEfFgGcbq%])*$/;
  if (format === undefined || format.value.startsWith("-")) return "printf sets a variable with -v";
  return plain.test(format.value) ? undefined : `printf does more than print with ${format.text}`;
}

const TESTS = /^-(?:[bcdefghknprstuwxzGLNOS]|eq|ne|gt|ge|lt|le|nt|ot|ef|a|o)$/;

/** `test -v 'a[$(id)]'` runs a program. */
function testObjection(given: readonly ShellWord[]): string | undefined {
  const odd = given.slice(1).find(({ value }) => value.startsWith("-") && !TESTS.test(value) && !/^-\d+$/.test(value));
  return odd === undefined ? undefined : `${odd.text} is not a plain test`;
}

/** `1,20p`, `5p;9p`, `$p`: no command of sed that writes, runs or reads another file. */
const SED_LINES = /^\s*(?:\d+|\$)(?:\s*,\s*(?:[+~]?\d+|\$))?\s*[pqd=]\s*$/;

function sedObjection(given: readonly ShellWord[]): string | undefined {
  const script = given.find(({ value }, index) => index > 0 && !value.startsWith("-"));
  const lines = script?.value.split(";") ?? [""];
  return lines.every((line) => SED_LINES.test(line)) ? undefined : "sed does more than show lines";
}

/** jq reads modules, also outside of the workspace, and the environment. */
function jqObjection(given: readonly ShellWord[]): string | undefined {
  const reaches = given.some(({ value }) => /\b(?:import|include|modulemeta|env|ENV|get_search_list)\b/.test(value));
  return reaches ? "jq reads modules or the environment" : undefined;
}

const ALWAYS = /^/;

const GREP: ReadingProgram = {
  ...contents("grep", "RdD", "dereference-recursive directories devices"),
  walks: /^(?:-[a-zA-Z]*r|--recursive)/,
};

const PROGRAMS: Readonly<Record<string, ReadingProgram>> = {
  // Only the words they are given, and the machine.
  echo: builtin("echo"),
  printf: { ...builtin("printf"), fixed: true, objection: printfObjection },
  true: builtin("true"),
  false: builtin("false"),
  ":": builtin(":"),
  pwd: builtin("pwd"),
  test: { shows: "names", spec: { any: true }, builtin: true, fixed: true, objection: testObjection },
  "[": { shows: "names", spec: { any: true }, builtin: true, fixed: true, objection: testObjection },
  basename: words("basename"),
  dirname: words("dirname"),
  seq: words("seq"),
  tr: words("tr"),
  uname: { shows: "words", spec: { flags: "asnrvmpio", operands: "none" } },
  nproc: { shows: "words", spec: { operands: "none" } },
  arch: { shows: "words", spec: { operands: "none" } },
  whoami: { shows: "words", spec: { operands: "none" } },
  date: { ...words("date"), fixed: true },
  // Names, sizes, kinds.
  ls: { ...names("ls", "LHZ", "dereference"), walks: /^(?:-[a-zA-Z\d]*R|--recursive)/ },
  dir: { ...names("dir"), walks: /^-[a-zA-Z\d]*R/ },
  stat: names("stat", "L", "dereference"),
  file: names("file", "zsLpF", "dereference separator"),
  du: { ...names("du", "LDH", "dereference"), walks: ALWAYS },
  tree: { ...names("tree", "lT"), walks: ALWAYS },
  realpath: names("realpath"),
  readlink: names("readlink"),
  find: {
    shows: "names",
    spec: { ...FILES["find"], single: without(FILES["find"]?.single ?? "", "follow L H") },
    walks: ALWAYS,
  },
  // What is in the files that they name.
  cat: contents("cat"),
  tac: contents("tac"),
  nl: contents("nl"),
  rev: contents("rev"),
  head: contents("head"),
  tail: contents("tail", "fFs", "follow retry sleep-interval pid"),
  wc: contents("wc"),
  cut: contents("cut"),
  paste: contents("paste"),
  comm: { ...contents("comm"), filesOnly: true },
  join: { ...contents("join"), filesOnly: true },
  fold: contents("fold"),
  fmt: contents("fmt"),
  expand: contents("expand"),
  unexpand: contents("unexpand"),
  column: contents("column", "enoN"),
  od: { shows: "contents", spec: { ...known("od", { without: "w" }), attached: "w" } },
  hexdump: contents("hexdump"),
  base64: contents("base64"),
  base32: contents("base32"),
  sort: contents("sort"),
  uniq: contents("uniq"),
  md5sum: SUM,
  sha1sum: SUM,
  sha224sum: SUM,
  sha256sum: SUM,
  sha384sum: SUM,
  sha512sum: SUM,
  b2sum: SUM,
  cksum: SUM,
  diff: { ...contents("diff", "lrNT", "recursive new-file"), filesOnly: true },
  cmp: { ...contents("cmp"), filesOnly: true },
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rg: {
    ...contents("rg", "LuU.z", "follow hidden unrestricted no-ignore no-ignore-vcs files type-list"),
    // What ignore files and `-g` say may bring hidden files back.
    walks: ALWAYS,
  },
  sed: { shows: "contents", spec: { flags: "n", operands: "pattern" }, fixed: true, objection: sedObjection },
  jq: {
    ...contents("jq", "", "arg argjson args jsonargs"),
    fixed: true,
    objection: jqObjection,
  },
};

function without(list: string, left: string): string {
  const names = left.split(" ");
  return list
    .split(" ")
    .filter((name) => !names.includes(name.replace(/[~=?]$/, "")))
    .join(" ");
}

/** The reader of this name; undefined: it is not known to only read. */
export function readerOf(program: string): ReadingProgram | undefined {
  return Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program] : undefined;
}
