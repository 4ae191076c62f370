import { NOTHING, unknown, type ProgramLook, type LookContext, type Note } from "./look.ts";
import { isOpenFile } from "./run-time-names.ts";
import type { SimpleCommand } from "./reading.ts";
import { fixedWord, type ShellWord } from "./words.ts";

/** Programs that run standard input when their words give them no program. */

interface Interpreter {
  /** Options that take a value. */
  readonly values?: string;
  /** Letters that take the rest of their word as value, never the next word. */
  readonly attached?: string;
  /** Options that give a program, or prevent reading one. */
  readonly gives?: string;
  /** Long names have one dash, so letters cannot be combined: `-encoding`. */
  readonly single?: true;
  /** How many operands come before the program; absent: none. `never`: no operand is a program. */
  readonly before?: number | "never";
  /** With `-i` it reads standard input after its program has ended. */
  readonly interactive?: true;
  /** Every option with a value is listed. */
  readonly complete?: true;
  /** Words before the script: `deno run`. */
  readonly commands?: RegExp;
}

const NODE_VALUES =
  "-C --conditions -r --require --import --loader --experimental-loader --title --icu-data-dir --input-type --env-file --env-file-if-exists --openssl-config --redirect-warnings --report-dir --report-directory --report-filename --report-signal --stack-trace-limit --test-name-pattern --test-reporter --test-reporter-destination --tls-cipher-list --tls-keylog --unhandled-rejections --disable-warning --dns-result-order --diagnostic-dir --disable-proto --cpu-prof-dir --cpu-prof-name --cpu-prof-interval --heap-prof-dir --heap-prof-name --heap-prof-interval --heapsnapshot-signal --heapsnapshot-near-heap-limit --secure-heap --secure-heap-min --trace-event-categories --trace-event-file-pattern --trace-require-module --watch-path --inspect-port --debug-port --localstorage-file --experimental-default-type --es-module-specifier-resolution --max-http-header-size --network-family-autoselection-attempt-timeout --v8-pool-size --policy-integrity --snapshot-blob --build-snapshot-config --use-largepages --allow-fs-read --allow-fs-write";

const LISP: Interpreter = { before: "never", gives: "--script --version --help", single: true };
const DATABASE: Interpreter = { before: "never", gives: "--version --help -V", single: true };

const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  python: {
    interactive: true,
    values: "-W -X --check-hash-based-pycs",
    gives: "-c -m -V -h --version --help --help-env --help-xoptions --help-all",
    complete: true,
  },
  ipython: { interactive: true, gives: "-c -m --version --help -h" },
  bpython: { gives: "--version --help -h" },
  ptpython: { gives: "--version --help -h" },
  micropython: { values: "-X", gives: "-c -m --version --help -h" },
  node: {
    interactive: true,
    values: NODE_VALUES,
    gives:
      "-e --eval -p --print -v -h --version --help --test --run --v8-options --completion-bash --prof-process --build-sea --experimental-sea-config",
    complete: true,
  },
  "ts-node": { values: "-P --project -r --require -O -C", gives: "-e -p --eval --print -v -h --version --help" },
  tsx: { values: "--tsconfig", gives: "-e -p --eval --print -v -h --version --help --test" },
  bun: {
    complete: true,
    commands: /^run$/,
    values: "-r --preload --cwd -c --config --env-file",
    gives: "-e -p --eval --print -v -h --version --help --revision",
  },
  deno: {
    complete: true,
    commands: /^(run|repl|serve)$/,
    values: "-c --config --import-map --lock --env-file --cert --location --seed -r",
    gives: "-V -h --version --help",
  },
  perl: { values: "-I", attached: "-M -m -i -l -0 -F -C -D -x -d", gives: "-e -E -v -V -h", complete: true },
  ruby: {
    values: "-I -C -X -r -E --encoding --external-encoding --internal-encoding",
    attached: "-K -T -W -x -i -0 -F",
    gives: "-e -v -h --version --help --copyright",
    complete: true,
  },
  php: {
    values: "-c -d -z -t --php-ini --define --zend-extension",
    gives:
      "-r -B -R -F -E -f -S -i -l -m -s -w -v -h --run --file --server --info --syntax-check --modules --version --help --ini --rf --rc --re --rz --ri",
    complete: true,
  },
  lua: { interactive: true, values: "-l", gives: "-e -v", complete: true },
  luajit: { interactive: true, values: "-l", gives: "-e -v -b" },
  texlua: {},
  tclsh: { values: "-encoding", single: true },
  wish: { values: "-encoding -name -display -geometry -colormap -visual -use", single: true },
  expect: { gives: "-c -f -v" },
  irb: { values: "-I -r -E", gives: "-v -h --version --help" },
  pry: { values: "-I -r", gives: "-e -v -h --version --help" },
  guile: { values: "-L -C -x -l -e", gives: "-c -s -v -h --version --help" },
  racket: { interactive: true, values: "-t -l -p -r -u -k -m -S -W -X -G -C", gives: "-e --eval -h --help --version" },
  clojure: { commands: /^-[MAXT]\S*$/, values: "-i --init -Sdeps", gives: "-e --eval -m --main -h --help --version" },
  clj: { values: "-i --init -Sdeps", gives: "-e --eval -m --main -h --help --version" },
  bb: { gives: "-e --eval -f --file -m --main --version --help -h" },
  groovy: { values: "-cp -classpath --classpath -D -c --encoding", gives: "-e -v -h --version --help", single: true },
  scala: { values: "-cp -classpath", gives: "-e -version -help --version --help", single: true },
  kotlin: { values: "-cp -classpath", gives: "-e -expression -version -help", single: true },
  julia: {
    interactive: true,
    values: "-J -C -p -t -L -H --project --threads --sysimage --machine-file",
    gives: "-e -E --eval --print -v -h --version --help",
  },
  Rscript: { gives: "-e --version --help" },
  runghc: { gives: "--version --help" },
  runhaskell: { gives: "--version --help" },
  ocaml: { values: "-I -init -open -ppx", gives: "-e -version -vnum -help", single: true },
  elixir: { values: "-r -pr -pa -pz", gives: "-e --eval -S -v --version --help -h", single: true },
  raku: { values: "-I -M", gives: "-e -v -V -h --version --help" },
  perl6: { values: "-I -M", gives: "-e -v -V -h --version --help" },
  swift: { gives: "-e --version --help build test package run" },
  gnuplot: { gives: "-e -c -V -h --version --help", single: true },
  osascript: { values: "-l -s", gives: "-e" },
  m4: { values: "-I -B -S -N -L", gives: "--version --help" },
  dc: { gives: "-e -f -h -V --expression --file --help --version" },
  octave: { values: "-p --path", gives: "--eval --version --help -h -v" },
  "octave-cli": { values: "-p --path", gives: "--eval --version --help -h -v" },
  crontab: { values: "-u", gives: "-l -r -e -V" },
  ghci: { before: "never", gives: "-e --version --help", single: true },
  iex: { before: "never", gives: "--version --help -h -v", single: true },
  erl: { before: "never", gives: "-noshell -noinput -version", single: true },
  jshell: { before: "never", values: "-R -C -J", gives: "--version --help -h" },
  groovysh: { before: "never", gives: "-e --version --help -h" },
  R: { before: 0, gives: "-e -f --file --version --help -h", values: "-d -g --gui --debugger" },
  sbcl: LISP,
  clisp: { before: "never", gives: "-x --version --help", single: true },
  ecl: LISP,
  ccl: LISP,
  swipl: { before: "never", values: "-g -t -s -l -x -p -f", gives: "--version --help" },
  gprolog: { before: "never", gives: "--version --help" },
  utop: { before: "never", gives: "-version -help", single: true },
  maxima: { before: "never", gives: "--version --help -h" },
  gp: { before: "never", gives: "--version --help" },
  sage: { gives: "-c --version --help -h" },
  gdb: { before: "never", gives: "--version --help -h --batch -batch", single: true },
  lldb: { before: "never", gives: "--version --help -h --batch -b", single: true },
  sqlite: { before: 1, values: "-separator -nullvalue -init", gives: "-version -help", single: true },
  sqlite3: {
    before: 1,
    values: "-separator -nullvalue -newline -vfs -cmd -init -mmap -maxsize -nonce -escape",
    gives: "-version -help",
    single: true,
  },
  duckdb: {
    before: 1,
    values: "-separator -nullvalue -newline -cmd -init",
    gives: "-c -s -f -version -help",
    single: true,
  },
  psql: {
    before: "never",
    values: "-d -h -p -U -v -o -L -F -P -R -T",
    gives: "-c -f -l -V --command --file --list --version --help",
  },
  mysql: { before: "never", values: "-u -h -P -D -S", attached: "-p", gives: "-e -V --execute --version --help" },
  mariadb: { before: "never", values: "-u -h -P -D -S", attached: "-p", gives: "-e -V --execute --version --help" },
  mongosh: { before: 1, values: "--host --port -u -p --username --password", gives: "--eval --version --help" },
  mongo: { before: 1, values: "--host --port -u -p --username --password", gives: "--eval --version --help" },
  "redis-cli": {
    values: "-h -p -s -a -u -n -r -i --user --pass",
    gives: "--version --help --scan --stat --bigkeys --eval",
  },
  clickhouse: { before: "never", gives: "-q --query --version --help" },
  "clickhouse-client": { before: "never", gives: "-q --query --version --help" },
  "clickhouse-local": { before: "never", gives: "-q --query --version --help" },
  cqlsh: { before: "never", values: "-u -p -k", gives: "-e -f --execute --file --version --help" },
  sqlplus: DATABASE,
  sqlcmd: { before: "never", values: "-S -d -U -P", gives: "-Q -i -?" },
  isql: DATABASE,
  tsql: DATABASE,
  usql: { before: "never", values: "-v -o -F -P -R -T", gives: "-c -f --command --file --version --help" },
  pgcli: { before: "never", values: "-h -p -U -d -u", gives: "-l --list --version --help" },
  mycli: { before: "never", values: "-u -h -P -D -S", attached: "-p", gives: "-e --execute --version --help" },
  litecli: DATABASE,
  "cypher-shell": DATABASE,
  hive: { before: "never", gives: "-e -f --version --help" },
  beeline: { before: "never", values: "-u -n -p -d", gives: "-e -f --version --help" },
  "spark-sql": { before: "never", gives: "-e -f --version --help" },
  "spark-shell": DATABASE,
  pyspark: DATABASE,
  lftp: { before: "never", values: "-u -p -e -s", gives: "-c -f -v --version --help" },
  ftp: DATABASE,
  sftp: { before: "never", gives: "-V" },
  smbclient: { before: "never", values: "-U -p -W -I -m -O -A", gives: "-c -L --command --list --version --help" },
};

const OTHER_NAMES: Readonly<Record<string, string>> = { nodejs: "node", pypy: "python", rscript: "Rscript" };

function interpreterOf(program: string): Interpreter | undefined {
  const bare = program.replace(/[-\d.]+$/, "");
  const name = [program, bare, OTHER_NAMES[program] ?? "", OTHER_NAMES[bare] ?? ""].find((candidate) =>
    Object.hasOwn(INTERPRETERS, candidate),
  );
  return name === undefined ? undefined : INTERPRETERS[name];
}

/** What a program that runs its standard input does; undefined: it does not, or its words give it a program. */
export function lookIntoInput(program: string, { words, command }: LookContext): ProgramLook | undefined {
  const interpreter = interpreterOf(program);
  if (interpreter === undefined) return undefined;
  const { operands, given, doubt } = operandsOf(words, interpreter);
  const { before = 0 } = interpreter;
  const script = before === "never" ? undefined : operands[before];
  const missing =
    script === undefined ||
    readsInput(script) ||
    (doubt && (command.readsPipe || command.redirects.some(({ operator }) => feeds(operator))));
  const reads = given === "input" || (given === "nothing" && missing);
  const notes = statements(program, operands, interpreter);
  return { ...NOTHING, notes: reads ? [...notes, inputNote(program, command)] : notes };
}

/** The same for a package's program: `npx tsx`, `yarn node -`. */
export function lookIntoPackage(context: LookContext): ProgramLook | undefined {
  const { words } = context;
  const at = words.findIndex(({ value }, index) => index > 0 && interpreterOf(packageName(value)) !== undefined);
  const first = words[at];
  return first === undefined
    ? undefined
    : lookIntoInput(packageName(first.value), { ...context, words: words.slice(at) });
}

function packageName(value: string): string {
  return value.replace(/(?<=.)@.*$/, "");
}

/** `-`, `/dev/stdin`, `/dev/fd/3`: a descriptor that is already open. */
export function readsInput({ fixed, value }: ShellWord): boolean {
  return fixed && (value === "-" || isOpenFile(value));
}

/** A program that arrives on standard input. */
export function inputNote(program: string, command: SimpleCommand): Note {
  const from = command.redirects.findLast(({ operator }) => feeds(operator));
  if (from?.feed !== undefined) return { kind: "input", message: `${program} runs a program that is given inline` };
  return unknown(`${program} runs ${command.readsPipe ? "what is piped into it" : "what it reads from its input"}`);
}

function feeds(operator: string): boolean {
  return /^0?</.test(operator);
}

interface Operands {
  readonly operands: readonly ShellWord[];
  /** What an option gives: the program, `-` for the program, or neither. */
  readonly given: "program" | "input" | "nothing";
  /** The first operand may be the value of an unknown option. */
  readonly doubt: boolean;
}

function operandsOf(words: readonly ShellWord[], interpreter: Interpreter): Operands {
  const { values, gives, complete, commands } = interpreter;
  const valued = new Set(values?.split(" "));
  const giving = new Set(gives?.split(" "));
  let strange = false;
  for (let at = 1; at < words.length; at++) {
    const value = words[at]?.value ?? "";
    if (commands?.test(value) === true) continue;
    if (value === "--" || !/^-./.test(value)) {
      const rest = words.slice(value === "--" ? at + 1 : at);
      return { operands: rest.filter((word) => !/^-./.test(word.value)), given: "nothing", doubt: strange };
    }
    const { options, attached } = optionsIn(value, interpreter);
    const last = options.at(-1) ?? "";
    const next = attached === undefined ? words[at + 1] : fixedWord(attached);
    if (interpreter.interactive === true && options.some((option) => /^(-i|--interactive)$/.test(option)))
      return { operands: [], given: "input", doubt: false };
    const gift = options.find((option) => giving.has(option));
    if (gift !== undefined && next !== undefined && (readsInput(next) || runsInput(gift, next)))
      return { operands: [], given: "input", doubt: false };
    if (gift !== undefined) return { operands: [], given: "program", doubt: false };
    if (valued.has(last) && attached === undefined) at++;
    strange = complete !== true && !valued.has(last) && attached === undefined;
  }
  return { operands: [], given: "nothing", doubt: false };
}

/** Python modules that run their standard input. */
function runsInput(option: string, { value }: ShellWord): boolean {
  return option === "-m" && /^(code|pdb|asyncio|sqlite3|IPython|bpython|ptpython)$/.test(value);
}

/** The options of one word, and what is attached to the last of them: `-uW`, `-Wignore`, `--name=value`. */
function optionsIn(
  value: string,
  { values = "", attached = "", single }: Interpreter,
): { readonly options: readonly string[]; readonly attached?: string | undefined } {
  const equals = value.indexOf("=");
  if (single === true || value.startsWith("--"))
    return equals === -1
      ? { options: [value] }
      : { options: [value.slice(0, equals)], attached: value.slice(equals + 1) };
  const all = Array.from(value.slice(1), (letter) => `-${letter}`);
  const takes = new Set(`${values} ${attached}`.split(" "));
  const end = all.findIndex((option) => takes.has(option));
  if (end === -1) return { options: all };
  const rest = value.slice(end + 2);
  const only = attached.split(" ").includes(all[end] ?? "");
  return { options: all.slice(0, end + 1), attached: rest === "" && !only ? undefined : rest };
}

/** Commands of a database shell that only print. */
const TELLING =
  /^\s*\.(tables?|schema|databases|ind(ices|exes)|dump|mode|headers?|width|stats|show|version|timer|help|quit|exit|fullschema|dbinfo|dbconfig|nullvalue|separator|changes|echo|eqp|explain|limit|print)\b[^\n|]*$/;
const REACHES_FILES =
  /\b(readfile|writefile|edit|load_extension|read_(text|blob|csv|csv_auto|json|json_auto|parquet)|glob|copy|attach|vacuum\s+into|import|install|load)\b/i;

/** SQL in a word may hold shell commands of the client: `sqlite3 a.db '.shell rm x'`. */
function statements(program: string, operands: readonly ShellWord[], { before }: Interpreter): readonly Note[] {
  if (!/^(sqlite3?|duckdb)$/.test(program) || before !== 1) return [];
  const odd = operands
    .slice(1)
    .find(({ value }) => (/^\s*\./.test(value) ? !TELLING.test(value) : REACHES_FILES.test(value)));
  return odd === undefined
    ? []
    : [{ kind: "code", message: `${program} is given ${odd.text}, which can reach files or run a program` }];
}
