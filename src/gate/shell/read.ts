import {
  forEachChild,
  parse,
  type Assignment,
  type Command,
  type Redirection,
  type SyntaxNode,
  type Word,
} from "unbash";
import { LIMITS } from "../../protocol/index.ts";
import { calculationOf, numericWord } from "./arithmetic.ts";
import { doubtfulBraces, hiddenBraces } from "./braces.ts";
import { uncovered } from "./coverage.ts";
import type {
  VariableBinding,
  Calculation,
  ShellScript,
  ReadResult,
  ShellAssignment,
  ShellRedirect,
  SimpleCommand,
} from "./reading.ts";
import { shellWord, shellWords, type ShellWord } from "./words.ts";

interface ReadContext {
  readonly source: string;
  readonly scope: string;
  readonly readsPipe: boolean;
  readonly writesPipe: boolean;
  readonly background: boolean;
  /** Inside of `((…))` or `$((…))`. */
  readonly calculating: boolean;
}

/** Parses a script as bash would. Anything that is not fully understood is an error. */
export function readShell(source: string): ReadResult {
  if (source.length > LIMITS.commandChars) {
    return { ok: false, error: `longer than ${LIMITS.commandChars} characters` };
  }
  if (source.includes("\0")) return { ok: false, error: "holds a NUL character" };
  if (source.includes("$\\\n")) return { ok: false, error: "a line is broken after $" };
  const slow = slowToParse(source);
  if (slow !== undefined) return { ok: false, error: slow };
  try {
    const script = parse(source);
    const reader = new ScriptReader();
    reader.visit(script, {
      source,
      scope: "",
      readsPipe: false,
      writesPipe: false,
      background: false,
      calculating: false,
    });
    const error = reader.error ?? uncovered(script, source);
    return error === undefined ? { ok: true, reading: reader } : { ok: false, error };
  } catch (error) {
    // The only thing a parser of bounded input can throw: the call stack is exhausted.
    if (error instanceof RangeError) return { ok: false, error: "nested too deeply" };
    throw error;
  }
}

/** Where parsing time is quadratic in a number, that number is bounded first. */
function slowToParse(source: string): string | undefined {
  const count = (text: string, mark: string): number => text.split(mark).length - 1;
  if (count(source, "$[") > LIMITS.shellOldArithmetic) return `more than ${LIMITS.shellOldArithmetic} times $[`;
  if (count(source, "${") > LIMITS.shellExpansions) return `more than ${LIMITS.shellExpansions} times \${`;
  const lines = source.replaceAll("\\\n", "").split("\n");
  const full = lines.some((line) => count(line, "<<") > LIMITS.shellHereDocuments);
  return full ? `more than ${LIMITS.shellHereDocuments} here-documents in a line` : undefined;
}

class ScriptReader implements ShellScript {
  readonly commands: SimpleCommand[] = [];
  readonly bindings = new Map<string, VariableBinding>();
  readonly calculations: Calculation[] = [];
  readonly reevaluations: string[] = [];
  readonly functions: string[] = [];
  error: string | undefined;
  #scopes = 0;
  #nodes = 0;

  visit(node: SyntaxNode, context: ReadContext): void {
    if (this.error !== undefined) return;
    if (++this.#nodes > LIMITS.shellNodes) return this.#fail("too complicated");
    switch (node.type) {
      case "Script": {
        const first = node.errors?.[0];
        if (first !== undefined) this.#fail(`${first.message} at character ${first.pos + 1}`);
        return this.#descend(node, { ...context, source: node.source ?? context.source });
      }
      case "Statement":
        return this.#descend(node, node.background === true ? { ...context, background: true } : context);
      case "Pipeline":
        return this.#pipeline(node.commands, context);
      case "Subshell":
      case "Coproc":
        if (node.type === "Coproc") this.#bind(node.name?.value ?? "COPROC").numeric = true;
        return this.#descend(node, this.#inside(context));
      case "Function":
        this.functions.push(node.name.value);
        return this.#descend(node, this.#inside(context));
      case "CommandExpansion":
      case "ArithmeticCommandExpansion":
      case "ProcessSubstitution":
        if (node.script === undefined) this.#fail(`cannot read ${node.text}`);
        return this.#descend(node, this.#inside({ ...context, writesPipe: false, background: false }));
      case "Command":
        return this.#command(node, context);
      case "Redirected":
        this.#push({ words: [], assignments: [], redirects: node.redirects.map(redirectOf) }, node, context);
        return this.#descend(node, context);
      case "HereDoc":
        if (node.closing === undefined)
          this.#fail(`the here-document has no closing ${node.delimiter?.text ?? "line"}`);
        // Bash 5.2 rewrites such a script before it runs it, and loses a semicolon.
        if (context.calculating) this.#fail("a here-document inside of a calculation");
        return this.#descend(node, context);
      case "ArithmeticExpansion":
      case "ArithmeticCommand":
      case "ArithmeticFor":
        this.#note(node);
        return this.#descend(node, node.type === "ArithmeticFor" ? context : { ...context, calculating: true });
      default:
        this.#note(node);
        return this.#descend(node, context);
    }
  }

  /** Notes things that matter although they run nothing themselves. */
  #note(node: SyntaxNode): void {
    switch (node.type) {
      case "For":
      case "Select": {
        const binding = this.#bind(node.name.value);
        if (node.wordlist === undefined) binding.opaque = true;
        else binding.values.push(...node.wordlist.flatMap((word) => this.#words(word)));
        return;
      }
      case "Word":
        if (hiddenBraces(node)) this.#fail(`the braces in ${node.text.slice(0, 80)} can be read in two ways`);
        return;
      case "ArrayValue":
        for (const element of node.elements) this.#words(element);
        return;
      case "ArithmeticExpansion":
      case "ArithmeticCommand":
        return this.#calculate(node.expression, node.type === "ArithmeticCommand" ? node.body : node.text);
      case "ArithmeticFor":
        for (const expression of [node.initialize, node.test, node.update]) this.#calculate(expression, "for (( … ))");
        return;
      case "TestBinary":
        if (/^-(eq|ne|lt|le|gt|ge)$/.test(node.operator)) this.#subscripts([node.left, node.right]);
        return;
      case "TestUnary":
        if (node.operator === "-v" || node.operator === "-R") this.#subscripts([node.operand]);
        return;
      case "Slice":
        return this.#subscripts(node.length === undefined ? [node.offset] : [node.offset, node.length]);
      case "ParameterExpansion": {
        const { operation } = node;
        const whole = node.index !== undefined && /^[@*]$/.test(node.index.value);
        if (node.index !== undefined && !whole) this.#subscripts([node.index]);
        if (node.prefix === "!" && operation?.type !== "Names" && !whole) this.reevaluations.push(node.text);
        if (operation?.type === "Transform" && !/^[UuLQEKkAa]$/.test(operation.operand.text))
          this.reevaluations.push(node.text);
        if (operation?.type === "Default" && operation.operator.endsWith("=")) {
          this.#bind(node.parameter).values.push(shellWord(operation.operand));
        }
        return;
      }
      case "Assignment":
        if (node.index !== undefined) this.#subscripts([node.index]);
        return;
      default:
        return;
    }
  }

  #pipeline(commands: readonly SyntaxNode[], context: ReadContext): void {
    for (const [index, command] of commands.entries()) {
      const piped = {
        ...context,
        readsPipe: context.readsPipe || index > 0,
        writesPipe: context.writesPipe || index < commands.length - 1,
      };
      this.visit(command, commands.length > 1 ? this.#inside(piped) : piped);
    }
  }

  #command(node: Command, context: ReadContext): void {
    const words: ShellWord[] = node.name === undefined ? [] : [...this.#words(node.name)];
    const assignments = node.prefix
      .filter((part) => part.type === "Assignment")
      .map((part) => assignmentOf(part, node.name === undefined));
    for (const argument of node.args) {
      if (argument.type === "Word") words.push(...this.#words(argument));
      else {
        // `export A=1`: both a word of the command and an assignment.
        assignments.push(assignmentOf(argument, true));
        words.push(declarationWord(argument));
      }
    }
    for (const assignment of assignments) this.#bind(assignment.name).values.push(...assignment.values);
    this.#push({ words, assignments, redirects: node.redirects.map(redirectOf) }, node, context);
    this.#descend(node, context);
  }

  #push(
    parts: Pick<SimpleCommand, "words" | "assignments" | "redirects">,
    node: SyntaxNode,
    { source, scope, readsPipe, writesPipe, background }: ReadContext,
  ): void {
    const text =
      node.type === "Redirected" ? source.slice(node.command.end, node.end).trim() : source.slice(node.pos, node.end);
    for (const { operator, target } of parts.redirects) {
      const name = /^\{(\w+)\}/.exec(operator)?.[1];
      if (name !== undefined) this.#bind(name).numeric = true;
      if (target === undefined && operator === "") this.#fail("a redirection without a target");
      if (/[<>]&$/.test(operator) && target !== undefined && !isPlainTarget(target)) {
        this.#fail(`what ${operator}${target.text} redirects to can be read in two ways`);
      }
    }
    this.commands.push({ ...parts, readsPipe, writesPipe, background, scope, text });
    if (this.commands.length > LIMITS.shellParts) this.#fail(`more than ${LIMITS.shellParts} commands`);
  }

  #descend(node: SyntaxNode, context: ReadContext): void {
    forEachChild(node, (child) => this.visit(child, context));
  }

  #inside(context: ReadContext): ReadContext {
    return { ...context, scope: `${context.scope}/${++this.#scopes}` };
  }

  /** The words of a place where braces expand. */
  #words(word: Word): readonly ShellWord[] {
    if (doubtfulBraces(word)) this.#fail(`the braces in ${word.text.slice(0, 80)} can be read in two ways`);
    return shellWords(word);
  }

  #subscripts(words: readonly Word[]): void {
    for (const word of words) this.calculations.push(numericWord(word));
  }

  #calculate(expression: Parameters<typeof calculationOf>[0], text: string): void {
    const { calculation, assigned } = calculationOf(expression, text);
    this.calculations.push(calculation);
    for (const name of assigned) this.#bind(name).numeric = true;
  }

  #bind(name: string): VariableBinding {
    const known = this.bindings.get(name) ?? { values: [], numeric: false, opaque: false };
    this.bindings.set(name, known);
    return known;
  }

  #fail(error: string): void {
    this.error ??= error;
  }
}

function assignmentOf(node: Assignment, lasting: boolean): ShellAssignment {
  const values =
    node.value.type === "ArrayValue"
      ? node.value.elements.flatMap((word) => shellWords(word))
      : [shellWord(node.value)];
  return { name: node.name, text: node.text, values, lasting };
}

function declarationWord(node: Assignment): ShellWord {
  const value = node.value.type === "Word" ? shellWord(node.value) : undefined;
  return {
    text: node.text,
    value: value === undefined ? node.text : `${node.name}=${value.value}`,
    fixed: value?.fixed === true,
    splits: false,
    opens: false,
    pieces: [{ kind: "text", text: node.text, quoted: true }],
  };
}

function redirectOf(node: Redirection): ShellRedirect {
  const descriptor =
    node.descriptor === undefined
      ? ""
      : node.descriptor.type === "FileDescriptor"
        ? String(node.descriptor.value)
        : `{${node.descriptor.name}}`;
  const operator = descriptor + node.operator;
  if (node.type === "HereDoc") {
    const fixed = node.body.parts === undefined || node.body.parts.every((part) => part.type === "Literal");
    const text =
      node.delimiter?.quoted === true ? node.body.text : node.body.text.replaceAll(/\\([$`\\]|\n)/g, unescaped);
    return {
      operator,
      access: "feed",
      feed: fixed ? (node.operator === "<<-" ? text.replaceAll(/^\t+/gm, "") : text) : undefined,
    };
  }
  const target = node.target === undefined ? undefined : shellWord(node.target);
  if (node.type === "HereString") {
    return { operator, target, access: "feed", feed: target?.fixed === true ? target.value : undefined };
  }
  return { operator: target === undefined ? "" : operator, target, access: accessOf(node.operator, target) };
}

/**
 * Bash reads `>&-rm` as `>&-` and the word `rm`, and expands a file after `>&` twice: `>&'$(rm x)'` runs rm. So only
 * descriptors and plain names are accepted there.
 */
function isPlainTarget({ fixed, value, text }: ShellWord): boolean {
  return fixed && (text === "-" || /^[\w./+@%:=,][\w./+@%:=,-]*$/.test(value));
}

function unescaped(_whole: string, character: string): string {
  return character === "\n" ? "" : character;
}

function accessOf(operator: string, target: ShellWord | undefined): ShellRedirect["access"] {
  if (operator === "<") return "read";
  if (operator === "<>") return "both";
  if (operator === "<&") return "descriptor";
  // `>&2`, `>&-`, `2>&1-` copy a descriptor; `>& file` writes one.
  if (operator === ">&") return target?.fixed === true && /^(\d+-?|-)$/.test(target.value) ? "descriptor" : "write";
  return "write";
}
