import { lexSql, type SqlToken } from "./sql-lexer.ts";

/** Without the comments that it begins with: where a platform reads comments at the top of a statement as its settings, none come from whoever wrote the statement. */
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

/** Whether every database skips it. MySQL runs what is in a `/*!` comment, and where one comment lies in another not all agree on the end. */
function isSkipped({ kind, text, closed }: SqlToken): boolean {
  if (kind === "space") return true;
  if (kind !== "comment") return false;
  return text.startsWith("--") || (closed && !text.startsWith("/*!") && !text.includes("/*", 2));
}
