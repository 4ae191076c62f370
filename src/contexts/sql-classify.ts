import { lexSql, statementsOf, type SqlToken } from "./sql-lexer.ts";

const READS: ReadonlySet<string> = new Set([
  "SELECT",
  "WITH",
  "VALUES",
  "TABLE",
  "SHOW",
  "DESCRIBE",
  "DESC",
  "EXPLAIN",
]);

/** Unquoted, anywhere: in a query they write, or begin another statement if a database needs no `;` between them. */
const WRITES: ReadonlySet<string> = new Set(
  (
    "ALTER BACKUP BULK CALL CREATE DBCC DELETE DENY DROP DUMPFILE EXEC EXECUTE GRANT INSERT INTO KILL LOCK MERGE OUTFILE " +
    "RECONFIGURE RENAME RESTORE REVOKE SET SHUTDOWN TRUNCATE UPDATE UPSERT WAITFOR"
  ).split(" "),
);

/**
 * What SQL of an unknown database would do, for a page without a parser for it. `reads` only if it reads in every dialect;
 * if any dialect might read it differently, it is `writes`, and the person is asked.
 */
export function classifySql(sql: string): "reads" | "writes" {
  const tokens = lexSql(sql);
  const statements = statementsOf(tokens);
  if (statements.length === 0 || isAmbiguous(tokens)) return "writes";
  return statements.every(readsOnly) ? "reads" : "writes";
}

function readsOnly(statement: readonly SqlToken[]): boolean {
  const first = statement.find(({ text }) => text !== "(");
  if (first === undefined || !READS.has(first.text.toUpperCase())) return false;
  return !statement.some(
    ({ kind, text }, index) => kind === "word" && WRITES.has(text.toUpperCase()) && statement[index - 1]?.text !== ".",
  );
}

/** Whether databases differ on where a quote or a comment ends: a statement may be hidden there. */
function isAmbiguous(tokens: readonly SqlToken[]): boolean {
  let brackets = 0;
  for (const [index, { kind, text, closed }] of tokens.entries()) {
    if (!closed) return true;
    // Oracle's q'[ … ]' ends where its own bracket does.
    if (kind === "string" && /^n?q$/i.test(tokens[index - 1]?.text ?? "")) return true;
    if (text === "[") brackets += 1;
    if (text === "]") brackets -= 1;
    if (isOpaque(kind) && (brackets !== 0 || differs(kind, text))) return true;
    // Some databases treat a single \r as a line end, others do not.
    if (kind === "space" && /\r(?!\n)/.test(text)) return true;
    if (text === "#" && hidesRest(tokens, index)) return true;
  }
  return false;
}

function isOpaque(kind: SqlToken["kind"]): boolean {
  return kind === "string" || kind === "quoted" || kind === "comment" || kind === "dollar";
}

/** In MySQL `#` starts a comment: a quote that begins on that line is none there. */
function hidesRest(tokens: readonly SqlToken[], from: number): boolean {
  for (let index = from + 1; index < tokens.length; index += 1) {
    const { kind, text } = tokens[index] ?? { kind: "space", text: "\n" };
    if (kind === "space" && /[\r\n]/.test(text)) return false;
    if (isOpaque(kind) || text === "[") return true;
  }
  return false;
}

function differs(kind: SqlToken["kind"], text: string): boolean {
  switch (kind) {
    case "dollar":
      return true;
    case "string":
    case "quoted":
      return text.includes("\\");
    case "comment":
      // MySQL runs what is in `/*! … */`, and treats `--` as a comment only before a space.
      if (text.startsWith("--")) return !/^--(?:\s|$)/.test(text);
      return text.startsWith("/*!") || text.includes("/*", 2);
    default:
      return false;
  }
}
