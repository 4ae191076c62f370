import { lexSql, type SqlToken } from "./sql-lexer.ts";

/** Strips leading comments: some platforms read them as settings, which must not come from the statement's author. */
export function withoutLeadingComments(sql: string): string {
  const tokens = lexSql(sql);
  const first = tokens.findIndex((token) => !isSkipped(token));
  return first < 0
    ? ""
    : tokens
        .slice(first)
        .map(({ text }) => text)
        .join("");
}

/** Whether every database skips it. MySQL runs a `/*!` comment, and databases disagree on the end of nested comments. */
function isSkipped({ kind, text, closed }: SqlToken): boolean {
  if (kind === "space") return true;
  if (kind !== "comment") return false;
  return text.startsWith("--") || (closed && !text.startsWith("/*!") && !text.includes("/*", 2));
}
