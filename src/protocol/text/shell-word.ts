/** A text as one word of a shell's command line. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quoted(text);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Words that mean something to a shell at the beginning of a command. */
const RESERVED = new Set(
  "if then else elif fi case esac for select while until do done in function time coproc".split(" "),
);

/** A program and its arguments as a shell's command line that runs exactly these. */
export function commandLine([program = "", ...rest]: readonly string[]): string {
  const isPlain = /^[\w./-]+$/.test(program) && !RESERVED.has(program);
  return [isPlain ? program : quoted(program), ...rest.map(shellWord)].join(" ");
}
