import { lexSql, significant, statementsOf, type SqlToken } from "./sql-lexer.ts";

/** How many rows a test of a query reports. One more is read, to see whether there are more. */
export const TEST_ROWS = 10;

export interface TestedSql {
  readonly sql: string;
  /** The limit that was added. Absent: the statement has its own, or takes none. */
  readonly limit?: number | undefined;
}

/** The first words of statements that can have a LIMIT. */
const QUERIES: ReadonlySet<string> = new Set(["SELECT", "WITH", "VALUES", "TABLE", "FROM", "("]);
const CHANGES: ReadonlySet<string> = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

/**
 * A query as it is tested: without a trailing `;`, and with a limit if it has none. Words in strings, comments, names and
 * subqueries do not count as a limit; other statements get none.
 */
export function testedSql(sql: string): TestedSql {
  const text = withoutTrailing(sql);
  const statement = statementsOf(lexSql(text)).at(-1);
  if (statement === undefined || !takesLimit(statement) || hasLimit(statement)) return { sql: text };
  const limit = TEST_ROWS + 1;
  return { sql: `${text} LIMIT ${limit}`, limit };
}

/** Without comments and space at the end, where a limit would be lost, and without one `;`. */
function withoutTrailing(sql: string): string {
  const tokens = lexSql(sql);
  let last = tokens.findLastIndex(({ kind }) => kind !== "space" && kind !== "comment");
  if (tokens[last]?.text === ";")
    last = tokens.findLastIndex((token, index) => index < last && token.kind !== "space" && token.kind !== "comment");
  return tokens
    .slice(0, last + 1)
    .map(({ text }) => text)
    .join("")
    .trimStart();
}

function takesLimit(statement: readonly SqlToken[]): boolean {
  const first = statement[0];
  if (first === undefined || !QUERIES.has(first.text.toUpperCase())) return false;
  return !topLevel(statement).some(({ kind, text }) => kind === "word" && CHANGES.has(text.toUpperCase()));
}

function hasLimit(statement: readonly SqlToken[]): boolean {
  const tokens = topLevel(significant(statement));
  return tokens.some((token, index) => {
    if (token.kind !== "word") return false;
    const [before, after] = [tokens[index - 1], tokens[index + 1]];
    if (after === undefined || isName(before)) return false;
    switch (token.text.toUpperCase()) {
      case "LIMIT":
        return after.kind !== "symbol" || ["(", "?", "$", ":", "@", "-", "+"].includes(after.text);
      case "FETCH":
        return ["FIRST", "NEXT"].includes(after.text.toUpperCase());
      case "TOP":
        return after.kind === "number" && ["SELECT", "DISTINCT", "ALL"].includes(before?.text.toUpperCase() ?? "");
      default:
        return false;
    }
  });
}

/** Whether what follows is a column's name: `t.limit`, `AS limit`. */
function isName(before: SqlToken | undefined): boolean {
  return before !== undefined && (before.text === "." || before.text.toUpperCase() === "AS");
}

function topLevel(tokens: readonly SqlToken[]): readonly SqlToken[] {
  return tokens.filter(({ depth }) => depth === 0);
}
