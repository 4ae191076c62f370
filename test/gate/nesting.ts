import fc from "fast-check";

/** Ways to put a command into a shell construct. `runs`: bash surely runs the inner command; the test with a real bash relies on it. */
export interface Construct {
  readonly name: string;
  readonly wrap: (inner: string) => string;
  readonly runs: boolean;
  /** Holds nothing but what the guard allows, so that an honest command stays honest in it. */
  readonly honest: boolean;
}

const inBackticks = (text: string): string => text.replaceAll(/[\\`$]/g, "\\$&");

/** A line that ends a here-document and stands nowhere in its text. */
const end = (text: string): string => `END${text.length}`;

const construct = (name: string, wrap: (inner: string) => string, more: Partial<Construct> = {}): Construct => ({
  name,
  wrap,
  runs: true,
  honest: true,
  ...more,
});

export const CONSTRUCTS: readonly Construct[] = [
  construct("first of a list", (x) => `${x}\npwd`),
  construct("second of a list", (x) => `pwd; ${x}`),
  construct("after &&", (x) => `pwd && ${x}`),
  construct("after ||", (x) => `pwd || ${x}`, { runs: false }),
  construct("behind a comment", (x) => `# a 'comment" (\n${x}`),
  construct("in the background", (x) => `{ ${x}\n} & sleep 0`),
  construct("after a background command", (x) => `sleep 0 & ${x}`),
  construct("first of a pipe", (x) => `{ ${x}\n} | cat`),
  construct("last of a pipe", (x) => `pwd | { ${x}\n}`),
  // The blank keeps `$(` and `(` apart: `$((` begins a calculation.
  construct("subshell", (x) => ` ( ${x}\n)`),
  construct("group", (x) => `{ ${x}\n}`),
  construct("group with redirections", (x) => `{ ${x}\n} > out.txt 2>&1`),
  construct("negated", (x) => `! { ${x}\n}`),
  construct("timed", (x) => `time { ${x}\n}`),
  construct("condition of if", (x) => `if ${x}\nthen pwd; fi`),
  construct("then", (x) => `if pwd; then ${x}\nfi`),
  construct("else", (x) => `if ! pwd; then pwd; else ${x}\nfi`),
  construct("elif", (x) => `if ! pwd; then pwd; elif ${x}\nthen pwd; fi`),
  construct("for", (x) => `for i in 1; do ${x}\ndone`),
  construct("for with braces", (x) => `for i in 1; { ${x}\n}`),
  construct("counting for", (x) => `for ((n = 0; n < 1; n++)); do ${x}\ndone`),
  construct("words of for", (x) => `for i in $(${x}\n); do pwd; done`),
  construct("while", (x) => `while ${x}\ndo break; done`, { honest: false }),
  construct("until", (x) => `until ! { ${x}\n}; do break; done`, { honest: false }),
  construct("case", (x) => `case a in (a) ${x}\n;; esac`),
  construct("word of case", (x) => `case $(${x}\n) in *) pwd;; esac`),
  construct("pattern of case", (x) => `case a in $(${x}\n)) pwd;; esac`),
  construct("function", (x) => `f() { ${x}\n}\nf`, { honest: false }),
  construct("function keyword", (x) => `function g ( ${x}\n)\ng`, { honest: false }),
  construct("coprocess", (x) => `coproc { ${x}\n} 2>&1\nsleep 0.05`),
  construct("substitution", (x) => `cat $(${x}\n) < in.txt`),
  construct("quoted substitution", (x) => `grep -s "a $(${x}\n) b" in.txt`),
  construct("backticks", (x) => `cat \`${inBackticks(x)}\n\` < in.txt`),
  // Braces and quotes together in quoted backticks confuse bash itself, so that the guard refuses them.
  construct("quoted backticks", (x) => `grep -s "\`${inBackticks(x)}\n\`" in.txt`, { honest: false }),
  construct("process substitution", (x) => `cat <(${x}\n)`),
  construct("output substitution", (x) => `pwd > >(${x}\n)\nsleep 0.05`),
  construct("input redirection", (x) => `cat < <(${x}\n)`),
  construct("default value", (x) => `grep -s "\${none:-$(${x}\n)}" in.txt`),
  construct("replacement", (x) => `v=aba; grep -s "\${v/b/$(${x}\n)}" in.txt`),
  construct("removal", (x) => `v=aba; grep -s "\${v#$(${x}\n)}" in.txt`),
  construct("assignment", (x) => `v=$(${x}\n)`),
  construct("assignment before a command", (x) => `v=$(${x}\n) pwd`),
  construct("list", (x) => `v=(1 $(${x}\n))`),
  construct("here-string", (x) => `cat <<< "$(${x}\n)"`),
  construct("here-document", (x) => `{ cat <<${end(x)}\ntext $(${x}\n) text\n${end(x)}\n}`),
  construct("here-document with backticks", (x) => `{ cat <<-${end(x)}\n\`${inBackticks(x)}\n\`\n${end(x)}\n}`),
  construct("test", (x) => `[[ -n $(${x}\n) ]]`),
  construct("comparison", (x) => `[[ a == $(${x}\n) ]]`),
  construct("arithmetic", (x) => ` (( 1 + $(${x}\n)0 ))`, { honest: false }),
  construct("arithmetic expansion", (x) => `grep -s $(( 1 + $(${x}\n)0 )) in.txt`, { honest: false }),
  construct("subscript", (x) => `a[$(${x}\n)0]=1`, { honest: false }),
  construct("braces", (x) => `grep -s {a,"$(${x}\n)"} in.txt`),
  construct("inside a word", (x) => `grep -s a$(${x}\n)b in.txt`),
  construct("inside a pattern", (x) => `grep -s x @(a|$(${x}\n)) in.txt`),
];

/** A command inside one to `depth` constructs. */
export function nested(
  inner: fc.Arbitrary<string>,
  constructs: readonly Construct[],
  depth: number,
): fc.Arbitrary<string> {
  return fc
    .tuple(inner, fc.array(fc.constantFrom(...constructs), { minLength: 1, maxLength: depth }))
    .map(([command, around]) => around.reduce((text, { wrap }) => wrap(text), command));
}
