import type { LookContext, Note } from "./look.ts";
import { PLAIN_PROGRAMS } from "./programs.ts";

/** Options and commands that give an interpreter a program inline. */
const EVALUATING: readonly { readonly programs: RegExp; readonly words: RegExp }[] = [
  { programs: /^(groovy|groovysh|scala|kotlin|kotlinc|ghc|ghci|ocaml)$/, words: /^(-e|--eval|-expression)$|^-e[^a-z]/ },
  {
    programs:
      /^(elixir|iex|raku|perl6|racket|clojure|clj|bb|octave|octave-cli|gnuplot|pry|swift|mariadb|ts-node|tsx|dc)$/,
    words: /^(-[a-zA-Z]*[eE]|-[eE][^a-z].*|--(eval|rpc-eval|print|execute|expression)(=.*)?)$/s,
  },
  { programs: /^(sbcl|ecl|ccl|clisp|gcl|abcl)$/, words: /^(--?(eval|load)(=.*)?|-[xeli])$/s },
  { programs: /^guile$/, words: /^-[cel]/ },
  { programs: /^(expect|sage|usql|smbclient)$/, words: /^(-c|--command)/ },
  { programs: /^(swipl|gprolog|yap)$/, words: /^(-[gt]|--(init-|query-|entry-)?goal)/ },
  { programs: /^erl$/, words: /^-(eval|run|s)$/ },
  { programs: /^matlab$/, words: /^-(r|batch)$/ },
  { programs: /^maxima$/, words: /^(-r|--run-string|--batch-string)/ },
  { programs: /^(lftp|hive|beeline|cqlsh|mycli|spark-sql)$/, words: /^(-[ce]|--execute)/ },
  { programs: /^(mongosh|mongo|redis-cli)$/, words: /^--eval/ },
  { programs: /^duckdb$/, words: /^-(c|s|cmd|init)$/ },
  { programs: /^(clickhouse|clickhouse-client|clickhouse-local)$/, words: /^(-q|--query)/ },
  { programs: /^(ipython|micropython)$/, words: /^-[a-zA-Z]*[cm]/ },
  { programs: /^(deno|crystal)$/, words: /^(eval|repl)$/ },
  { programs: /^(cmake)$/, words: /^-[EP]$/ },
];

/** Options of any other program whose value is surely code. */
const EVALUATES = /^--?(eval|evaluate|exec|execute|expr|eval-command|run-command|on-exit-command)(=|$)/;
/** Options that take code in some programs and a settings file in others. */
const MAY_EVALUATE = /^(-[ecrE]|--(command|code|expression|run|script|call))(=|$)/;
const LOOKS_LIKE_CODE = /[(){};$`|&<>'"]/;

/** Notes on what a program is told to run by its options. */
export function evaluates(program: string, { words }: LookContext): readonly Note[] {
  const bare = program.replace(/[-\d.]+$/, "");
  const known = EVALUATING.find(({ programs }) => programs.test(program) || programs.test(bare));
  const ends = words.findIndex(({ value }) => value === "--");
  const given = words.slice(1, ends === -1 ? undefined : ends);
  const option =
    known === undefined
      ? PLAIN_PROGRAMS.has(program)
        ? undefined
        : given.find(({ value }, index) => {
            if (EVALUATES.test(value)) return true;
            const told = value.includes("=") ? value.slice(value.indexOf("=")) : (given[index + 1]?.value ?? "");
            return MAY_EVALUATE.test(value) && LOOKS_LIKE_CODE.test(told);
          })
      : given.find(({ value }) => known.words.test(value));
  const name = option?.value.split("=")[0];
  return name === undefined
    ? []
    : [{ kind: "code", message: `${program} ${name} runs a program that is given inline` }];
}
