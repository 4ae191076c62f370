/** The kind of a token. `quoted` is a quoted identifier; databases skip `space` and `comment`. */
type SqlTokenKind = "word" | "number" | "string" | "dollar" | "quoted" | "comment" | "space" | "symbol";

export interface SqlToken {
  readonly kind: SqlTokenKind;
  readonly text: string;
  /** Number of open parentheses around it; a parenthesis itself counts as outside. */
  readonly depth: number;
  /** False if a quote or comment is still open at the end of the text. */
  readonly closed: boolean;
}

const SPACE = /\s+/y;
const WORD = /[\p{L}_][\p{L}\p{N}_$]*/uy;
const NUMBER = /(?:0x[0-9a-f]+|\d[\d_]*(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)/iy;
const DOLLAR = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy;

interface SqlPiece {
  readonly kind: SqlTokenKind;
  readonly end: number;
  readonly closed: boolean;
}

/** The tokens of a text; joined they are the text again. Never fails: an unclosed token extends to the end. */
export function lexSql(sql: string): readonly SqlToken[] {
  const tokens: SqlToken[] = [];
  let depth = 0;
  let at = 0;
  while (at < sql.length) {
    const { kind, end, closed } = pieceAt(sql, at);
    const text = sql.slice(at, end);
    if (text === ")" && kind === "symbol") depth = Math.max(0, depth - 1);
    tokens.push({ kind, text, depth, closed });
    if (text === "(" && kind === "symbol") depth += 1;
    at = end;
  }
  return tokens;
}

/** Without what a database skips. */
export function significant(tokens: readonly SqlToken[]): readonly SqlToken[] {
  return tokens.filter(({ kind }) => kind !== "space" && kind !== "comment");
}

/** The statements of a text, without what is skipped; empty ones are left out. */
export function statementsOf(tokens: readonly SqlToken[]): readonly (readonly SqlToken[])[] {
  const statements: SqlToken[][] = [[]];
  for (const token of significant(tokens)) {
    if (token.kind === "symbol" && token.text === ";") statements.push([]);
    else statements.at(-1)?.push(token);
  }
  return statements.filter((statement) => statement.length > 0);
}

function pieceAt(sql: string, at: number): SqlPiece {
  const two = sql.slice(at, at + 2);
  if (two === "--") return { kind: "comment", end: lineEnd(sql, at), closed: true };
  if (two === "/*") return blockComment(sql, at);
  if (/^[eE]'/.test(two)) return quotedPiece(sql, { at: at + 1, quote: "'", kind: "string", escapes: true });
  const first = sql.charAt(at);
  if (first === "'") return quotedPiece(sql, { at, quote: "'", kind: "string", escapes: false });
  if (first === '"' || first === "`") return quotedPiece(sql, { at, quote: first, kind: "quoted", escapes: false });
  if (first === "$") return dollarQuote(sql, at);
  const space = matchEnd(SPACE, sql, at);
  if (space !== undefined) return { kind: "space", end: space, closed: true };
  const word = matchEnd(WORD, sql, at);
  if (word !== undefined) return { kind: "word", end: word, closed: true };
  const number = matchEnd(NUMBER, sql, at);
  if (number !== undefined) return { kind: "number", end: number, closed: true };
  return { kind: "symbol", end: at + 1, closed: true };
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function lineEnd(sql: string, at: number): number {
  const end = sql.slice(at).search(/[\r\n]/);
  return end === -1 ? sql.length : at + end;
}

/** Comments nest, as in PostgreSQL. */
function blockComment(sql: string, from: number): SqlPiece {
  let open = 0;
  for (let at = from; at < sql.length; at += 1) {
    if (sql.startsWith("/*", at)) {
      open += 1;
      at += 1;
    } else if (sql.startsWith("*/", at)) {
      open -= 1;
      at += 1;
      if (open === 0) return { kind: "comment", end: at + 1, closed: true };
    }
  }
  return { kind: "comment", end: sql.length, closed: false };
}

interface Quote {
  /** The position of the opening quote. */
  readonly at: number;
  readonly quote: string;
  readonly kind: "string" | "quoted";
  /** Whether a backslash escapes the next character. */
  readonly escapes: boolean;
}

function quotedPiece(sql: string, { at, quote, kind, escapes }: Quote): SqlPiece {
  for (let index = at + 1; index < sql.length; index += 1) {
    const character = sql.charAt(index);
    if (escapes && character === "\\") index += 1;
    else if (character === quote) {
      // A doubled quote is part of the text.
      if (sql.charAt(index + 1) !== quote) return { kind, end: index + 1, closed: true };
      index += 1;
    }
  }
  return { kind, end: sql.length, closed: false };
}

function dollarQuote(sql: string, at: number): SqlPiece {
  const open = matchEnd(DOLLAR, sql, at);
  if (open === undefined) return { kind: "symbol", end: at + 1, closed: true };
  const mark = sql.slice(at, open);
  const close = sql.indexOf(mark, open);
  if (close === -1) return { kind: "dollar", end: sql.length, closed: false };
  return { kind: "dollar", end: close + mark.length, closed: true };
}
