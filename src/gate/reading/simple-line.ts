import { parse, type Command, type DoubleQuotedChild, type SyntaxNode, type Word, type WordPart } from "unbash";
import type { SimpleCommand } from "../shell/reading.ts";
import type { Unwrapped } from "../shell/unwrap.ts";

/**
 * The commands of a line that is nothing but simple commands joined by `|`, `&&`, `||`, `;` or line ends, all of literal words and plain
 * patterns. A text: what else it holds. Stricter than the rest of the gate on purpose: nobody looks at such a line before it runs.
 */
export function simpleCommands(source: string, shell: Unwrapped): readonly SimpleCommand[] | string {
  const [reading, ...inner] = shell.readings;
  if (shell.error !== undefined || reading === undefined) return shell.error ?? "it is empty";
  // Some disks leave them out of names.
  if (/\p{Cf}/u.test(source)) return "it has invisible characters";
  const objection = shell.notes[0]?.message ?? structure(source);
  if (objection !== undefined) return objection;
  const sets = shell.parts.find((part) => part.sets !== undefined || part.assignments.length > 0);
  if (inner.length > 0 || sets !== undefined) return "it sets a variable or runs a script";
  if (reading.functions.length > 0 || reading.bindings.size > 0) return "it sets a variable or a function";
  return reading.commands.length === 0 ? "it is empty" : reading.commands;
}

function structure(source: string): string | undefined {
  for (const { command, background } of parse(source).commands) {
    const objection = background === true ? "it runs in the background" : node(command);
    if (objection !== undefined) return objection;
  }
  return undefined;
}

function node(command: SyntaxNode): string | undefined {
  switch (command.type) {
    case "AndOr":
      return firstOf(command.commands, node);
    case "Pipeline":
      if (command.prefixes.some(({ type }) => type !== "Negation")) return "it is timed";
      return firstOf(command.commands, node);
    case "Command":
      return simple(command);
    default:
      return "it is more than simple commands";
  }
}

function simple({ name, prefix, args, redirects }: Command): string | undefined {
  if (name === undefined || prefix.some(({ type }) => type === "Assignment")) return "it sets a variable";
  for (const word of [name, ...args]) {
    if (word.type !== "Word") return "it sets a variable";
    const objection = literal(word);
    if (objection !== undefined) return objection;
  }
  return firstOf(redirects, (redirect) =>
    redirect.type === "HereDoc" || redirect.target === undefined ? "it has a here-document" : literal(redirect.target),
  );
}

function literal(word: Word): string | undefined {
  return word.parts === undefined ? bare(word.text) : firstOf(word.parts, part);
}

function part(piece: WordPart): string | undefined {
  switch (piece.type) {
    case "Literal":
      return bare(piece.text);
    case "SingleQuoted":
      return undefined;
    case "DoubleQuoted":
      return firstOf(piece.parts, (child: DoubleQuotedChild) =>
        child.type === "Literal" ? undefined : `${child.text} is known only at run time`,
      );
    case "Glob":
      return bare(piece.text);
    default:
      return `${piece.text} is known only at run time`;
  }
}

/** Outside of quotes: no character that shells of some language or setting treat specially. */
function bare(text: string): string | undefined {
  if (!/^(?:[!-~]|\\ )*$/.test(text)) return "it has unusual characters outside of quotes";
  if (/[{}$`]/.test(text)) return `${text} may become several words`;
  return /(^|[^\w^~])~/.test(text) ? `${text} may be a home folder` : undefined;
}

function firstOf<Entry>(
  entries: readonly Entry[],
  objection: (entry: Entry) => string | undefined,
): string | undefined {
  for (const entry of entries) {
    const found = objection(entry);
    if (found !== undefined) return found;
  }
  return undefined;
}
