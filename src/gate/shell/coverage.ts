import { forEachChild, type SyntaxNode } from "unbash";

/**
 * The parser is lenient: it reads `ls (` as `ls` without an error. So everything it read is compared with the source here.
 * A character that belongs to no node, separator or keyword is an error, because the guard must not judge what it did not
 * see.
 */

/** Separators allowed where a line may break. */
const N = String.raw`[\s;]*`;
const DO = String.raw`${N}(do|\{)${N}_?${N}(done|\})`;

/** What may occur between the children of a node; `_` is a child. */
const SHAPES: Partial<Record<SyntaxNode["type"], RegExp>> = {
  Script: new RegExp(`^${N}(_${N})*$`),
  CompoundList: new RegExp(`^${N}(_${N})*$`),
  Statement: /^_\s*&?$/,
  AndOr: /^_(\s*(&&|\|\|)\s*_)*$/,
  Pipeline: /^_(\s*(\|&?)?\s*_)*$/,
  Command: /^(_\s*)*$/,
  Redirected: /^(_\s*)*$/,
  If: new RegExp(`^if${N}_${N}then${N}_(${N}(else${N})?_)*${N}fi$`),
  Elif: new RegExp(`^elif${N}_${N}then${N}_$`),
  For: new RegExp(`^for\\s+_(${N}in(\\s*_)*)?${DO}$`),
  Select: new RegExp(`^select\\s+_(${N}in(\\s*_)*)?${DO}$`),
  ArithmeticFor: new RegExp(`^for\\s*\\(\\([\\s;_]*\\)\\)${DO}$`),
  While: new RegExp(`^(while|until)${N}_${DO}$`),
  Function: /^(function\s+)?_\s*(\(\s*\))?\s*_$/,
  Coproc: /^coproc\s+(_\s+)?_$/,
  Subshell: new RegExp(`^\\(${N}_${N}\\)$`),
  BraceGroup: new RegExp(`^\\{${N}_${N}\\}$`),
  Case: /^case\s+_\s*in\s*(_[\s;]*)*esac$/,
  CaseItem: new RegExp(`^\\(?\\s*_(\\s*\\|\\s*_)*\\s*\\)${N}_?${N}(;;&|;;|;&)?$`),
  TestCommand: /^\[\[\s*_\s*\]\]$/,
  TestUnary: /^(-\w\s*)?_$/,
  TestBinary: /^_\s*(==?|!=|=~|<|>|-\w\w)\s*_$/,
  TestLogical: /^_(\s*(&&|\|\|)\s*_)*$/,
  TestNot: /^(_\s*)+$/,
  TestGroup: /^\(\s*_\s*\)$/,
  Redirect: /^_?([<>]|>>|<>|<&|>&|>\||&>|&>>)\s*_$/,
  HereString: /^_?<<<\s*_$/,
  HereDoc: /^_?<<-?\s*_$/,
  Assignment: /^\w+(\[_\])?\+?=_$/,
  ArrayValue: /^\((\s*_)*\s*\)$/,
  DoubleQuoted: /^"_*"$/,
  LocaleString: /^\$"_*"$/,
  CommandExpansion: /^(\$\(_\)|`_`|`[\s\S]*`|\$\{\s_\}|\$\{\|_\})$/,
  ProcessSubstitution: /^[<>]\(_\)$/,
  ArithmeticCommandExpansion: /^(\$\(_\)|`_`|`[\s\S]*`|\$\{\s_\}|\$\{\|_\})$/,
};

/** The text of nodes without a shape must hold nothing that the shell would expand. */
const NOTHING_TO_RUN = /^(?:[^\\`$]|\$(?![({'"[A-Za-z_0-9!@*#?-])|\\[\s\S]?)*$/;

/** Marks an operator broken over two lines: no shape matches it. */
const BROKEN = "\n\n";

interface SourceSpan {
  readonly pos: number;
  readonly end: number;
}

class Coverage {
  readonly #source: string;
  /** Bodies of here-documents, which lie outside their commands. In source order. */
  readonly #bodies: readonly SourceSpan[];

  constructor(source: string, bodies: readonly SourceSpan[]) {
    this.#source = source;
    this.#bodies = bodies;
  }

  /** The text of a node with every child as `_`, without comments and line continuations. */
  skeleton(node: SyntaxNode, children: readonly SourceSpan[]): string | undefined {
    let text = "";
    let at = node.pos;
    for (const child of children) {
      if (child.pos < at || child.end > node.end) return undefined;
      text += `${this.#gap(at, child.pos)}_`;
      at = child.end;
    }
    return text + this.#gap(at, node.end);
  }

  #gap(start: number, end: number): string {
    if (start === end) return "";
    let text = "";
    let at = start;
    for (const body of this.#bodiesFrom(start)) {
      if (body.end > end || body.pos < at) break;
      text += this.#source.slice(at, body.pos);
      at = body.end;
    }
    text += this.#source.slice(at, end);
    if (/[<>&|;()]\\\n[<>&|;()]/.test(text)) return BROKEN;
    return text
      .replaceAll("\\\n", "")
      .replaceAll(/(^|[\s;&|()])#[^\n]*/g, "$1")
      .replaceAll(/\s+/g, " ");
  }

  *#bodiesFrom(start: number): Iterable<SourceSpan> {
    let low = 0;
    let high = this.#bodies.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#bodies[middle]?.pos ?? 0) < start) low = middle + 1;
      else high = middle;
    }
    for (let at = low; at < this.#bodies.length; at++) {
      const body = this.#bodies[at];
      if (body !== undefined) yield body;
    }
  }
}

/** Describes the first node whose text is not accounted for; undefined when there is none. */
export function uncovered(script: SyntaxNode, source: string): string | undefined {
  const coverage = new Coverage(source, bodiesOf(script));
  const pending: SyntaxNode[] = [script];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const children: SyntaxNode[] = [];
    forEachChild(node, (child) => void children.push(child));
    const inline = children.filter((child) => child.type !== "HereDocBody");
    const skeleton = ownText(node, inline, coverage);
    const broken = children.find((child) => isBroken(child, node, source));
    if (broken !== undefined)
      return `a line is broken inside of ${JSON.stringify(source.slice(broken.pos, broken.end).slice(0, 80))}`;
    if (skeleton === undefined || !fits(node, skeleton)) {
      return `cannot account for all of ${JSON.stringify(source.slice(node.pos, node.end).slice(0, 80))}`;
    }
    for (const child of children) {
      if (child.type === "Script" && child.source !== undefined) {
        const nested = uncovered(child, child.source);
        if (nested !== undefined) return nested;
      } else pending.push(child);
    }
  }
  return undefined;
}

/**
 * Bash removes a backslash and line end before anything else, so `3\\⏎<f` redirects and `$\\⏎"x"` is quoted. The parser does so
 * only in some places. A line may be broken between words, or after one.
 */
function isBroken(node: SyntaxNode, parent: SyntaxNode, source: string): boolean {
  const quoted = parent.type === "DoubleQuoted" || parent.type === "LocaleString" || parent.type === "HereDocBody";
  // In double quotes, bash removes it from backticks, even inside single quotes.
  if (quoted && node.type === "CommandExpansion" && /^`[\s\S]*'/.test(node.text) && node.text.includes("\\\n"))
    return true;
  const bare =
    (node.type === "Word" && node.parts === undefined) ||
    (node.type === "Literal" && !quoted) ||
    node.type === "HereDocDelimiter";
  if (!bare) return false;
  for (let at = source.indexOf("\\\n", node.pos); at !== -1 && at < node.end; at = source.indexOf("\\\n", at + 2)) {
    if (/\S/.test(source.charAt(at + 2))) return true;
  }
  return false;
}

function ownText(node: SyntaxNode, children: readonly SyntaxNode[], coverage: Coverage): string | undefined {
  // A script in escaped backticks has its own source, so its position in this one is unknown.
  const apart = children.some((child) => child.type === "Script" && child.source !== undefined);
  if (apart) return "`_`";
  if (node.type === "If")
    return coverage.skeleton(
      node,
      children.toSorted((left, right) => left.pos - right.pos),
    );
  return coverage.skeleton(node, children);
}

function fits(node: SyntaxNode, skeleton: string): boolean {
  if (node.type === "Word" || node.type === "HereDocBody") {
    const whole = node.parts === undefined;
    return whole ? (node.type === "Word" ? plain(node.text) : true) : /^_+$/.test(skeleton);
  }
  const shape = SHAPES[node.type];
  if (shape !== undefined) return shape.test(skeleton);
  if (node.type === "SingleQuoted" || node.type === "AnsiCQuoted" || node.type === "HereDocDelimiter") return true;
  if (node.type === "SimpleExpansion" || node.type === "ParameterExpansion") return !/`|.\$[({]/.test(skeleton);
  if (node.type === "ArithmeticExpansion") return /^(\$\(\(\s*_?\s*\)\)|\$\[\s*_?\s*\])$/.test(skeleton);
  // Bash has no single quotes in arithmetic; the parser does, and would swallow what follows.
  if (node.type.startsWith("Arithmetic") && skeleton.includes("'")) return false;
  if (node.type === "ArithmeticWord") return !/`|\$[({]/.test(skeleton) && node.parts?.some(isOddQuote) !== true;
  if (node.type === "Unknown") return false;
  return NOTHING_TO_RUN.test(skeleton);
}

function isOddQuote({ type }: SyntaxNode): boolean {
  return type === "SingleQuoted" || type === "AnsiCQuoted" || type === "LocaleString";
}

/** Free of expansions: a backslash escapes the next character, a dollar that names nothing is a dollar. */
function plain(text: string): boolean {
  return NOTHING_TO_RUN.test(text);
}

function bodiesOf(script: SyntaxNode): readonly SourceSpan[] {
  const bodies: SourceSpan[] = [];
  const pending: SyntaxNode[] = [script];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.type === "HereDoc") {
      bodies.push({ pos: node.body.pos, end: node.closing?.end ?? node.body.end });
    }
    forEachChild(node, (child) => {
      if (child.type !== "Script" || child.source === undefined) pending.push(child);
    });
  }
  return bodies.toSorted((left, right) => left.pos - right.pos);
}
