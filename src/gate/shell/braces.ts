import { forEachChild, type SyntaxNode, type Word, type WordPart } from "unbash";
import { LIMITS } from "../../protocol/index.ts";

/**
 * The texts that a word with braces expands to: one level of its first brace, quoting kept. Undefined: not known
 * without running something.
 */
export function braceAlternatives(parts: readonly WordPart[]): readonly string[] | undefined {
  const at = parts.findIndex((part) => part.type === "BraceExpansion");
  const brace = parts[at];
  if (brace === undefined) return undefined;
  const before = parts.slice(0, at).map(rawText).join("");
  const after = parts
    .slice(at + 1)
    .map(rawText)
    .join("");
  const choices = choicesOf(brace.text.slice(1, -1));
  return choices?.map((choice) => before + choice + after);
}

function rawText(part: WordPart): string {
  return part.text;
}

function choicesOf(inner: string): readonly string[] | undefined {
  const pieces = splitAtCommas(inner);
  if (pieces === undefined) return undefined;
  return pieces.length > 1 ? pieces : rangeOf(inner);
}

function splitAtCommas(inner: string): readonly string[] | undefined {
  const pieces: string[] = [];
  let start = 0;
  let depth = 0;
  for (let at = 0; at < inner.length; at++) {
    const character = inner[at];
    if (character === "$" || character === "`") return undefined;
    if (character === "\\") at++;
    else if (character === "'" || character === '"') {
      const end = closingQuote(inner, at);
      if (end === -1) return undefined;
      at = end;
    } else if (character === "{") depth++;
    else if (character === "}") depth--;
    else if (character === "," && depth === 0) {
      pieces.push(inner.slice(start, at));
      start = at + 1;
    }
  }
  pieces.push(inner.slice(start));
  return pieces.length > LIMITS.shellBraceWords ? undefined : pieces;
}

function closingQuote(text: string, open: number): number {
  const quote = text[open];
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === quote) return at;
    if (quote === '"' && (text[at] === "$" || text[at] === "`")) return -1;
    if (quote === '"' && text[at] === "\\") at++;
  }
  return -1;
}

function rangeOf(inner: string): readonly string[] | undefined {
  const match = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/.exec(inner);
  const [first, last] = [match?.[1], match?.[2]];
  if (first === undefined || last === undefined) return undefined;
  const letters = /[A-Za-z]/.test(first);
  if (letters !== /[A-Za-z]/.test(last)) return undefined;
  // The characters between upper and lower case have a meaning to the shell.
  if (letters && /[a-z]/.test(first) !== /[a-z]/.test(last)) return undefined;
  const from = letters ? first.charCodeAt(0) : Number(first);
  const to = letters ? last.charCodeAt(0) : Number(last);
  const step = Math.max(1, Math.abs(Number(match?.[3] ?? 1)));
  if (Math.abs(to - from) / step > LIMITS.shellBraceWords) return undefined;
  const padded = /^-?0\d/.test(first) || /^-?0\d/.test(last) ? Math.max(first.length, last.length) : 0;
  const values: string[] = [];
  for (let value = from; from <= to ? value <= to : value >= to; value += from <= to ? step : -step) {
    values.push(letters ? String.fromCharCode(value) : String(value).padStart(padded, "0"));
  }
  return values;
}

/** Whether bash sees braces where the parser sees none: `{a},b}` is two words to bash. */
export function doubtfulBraces({ text, parts }: Word): boolean {
  return hasBraces(text) && hasBraces(unescaped(parts === undefined ? text : parts.map(bareText).join("")));
}

/**
 * Whether bash may lose track of the quotes around braces. It looks for braces in the raw text and knows neither backticks nor
 * nested quotes inside double quotes: it splits "`# "⏎{ls,rm} x`" into two words, and both run.
 */
export function hiddenBraces({ text, parts }: Word): boolean {
  return hasBraces(text) && parts?.some(hidesQuotes) === true;
}

function hasBraces(text: string): boolean {
  const inner = text.slice(text.indexOf("{") + 1, text.lastIndexOf("}"));
  return text.includes("{") && text.indexOf("{") < text.lastIndexOf("}") && /,|\.\./.test(inner);
}

function bareText(part: WordPart): string {
  if (part.type === "BraceExpansion") return "";
  return part.type === "Literal" ? part.text : "x";
}

function hidesQuotes(part: WordPart): boolean {
  return (part.type === "DoubleQuoted" || part.type === "LocaleString") && part.parts.some(holdsQuotes);
}

/** Whether a double quote occurs inside double quotes. Bash skips only `$(…)` as a whole. */
function holdsQuotes(node: SyntaxNode): boolean {
  switch (node.type) {
    case "CommandExpansion":
      return !node.text.startsWith("$(") && node.text.includes('"');
    case "Literal":
    case "ArithmeticExpansion":
      return unescaped(node.text).includes('"');
    case "DoubleQuoted":
    case "LocaleString":
      return true;
    default: {
      let found = false;
      forEachChild(node, (child) => {
        found ||= holdsQuotes(child);
      });
      return found;
    }
  }
}

function unescaped(text: string): string {
  return text.replaceAll(/\\[\s\S]/g, "");
}
