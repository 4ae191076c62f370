import type { ListedTable } from "./sources.ts";
import { SQL_LIMITS } from "./limits.ts";
import { DUCKDB_FUNCTIONS, DUCKDB_KEYWORDS, FUNCTIONS, KEYWORDS, TYPES } from "./words.ts";

interface SqlSuggestion {
  readonly label: string;
  /** What is written. */
  readonly apply: string;
  readonly type: "table" | "column" | "function" | "keyword" | "type";
  readonly detail?: string | undefined;
}

/** What may stand at a place of a query, and where the word there begins. */
export interface SqlSuggestions {
  readonly from: number;
  readonly options: readonly SqlSuggestion[];
}

/** A word that is being written, in quotes or not, and what it belongs to: `orders.tot`, `"My table"."na`. */
const HERE = /(?:(?<owner>[\p{L}_][\p{L}\p{N}_$]*|"[^"\n]*")\s*\.\s*)?(?<word>"[^"\n]*|[\p{L}_][\p{L}\p{N}_$]*)?$/u;
const AFTER_TABLE_WORD = /\b(?:from|join|into|describe|summarize|pivot|unpivot)\s+$/i;

/** Undefined: nothing is being written there. */
export function suggestSql(
  sql: string,
  at: number,
  {
    tables: listed,
    isPage,
    isAsked,
  }: { readonly tables: readonly ListedTable[]; readonly isPage: boolean; readonly isAsked: boolean },
): SqlSuggestions | undefined {
  const before = sql.slice(0, at);
  const tables = listed.slice(0, SQL_LIMITS.suggestedTables);
  const { owner, word = "" } = HERE.exec(before)?.groups ?? {};
  const from = at - word.length;
  if (owner !== undefined) {
    const table = tableCalled(owner, sql, tables);
    return table === undefined ? undefined : { from, options: columnsOf([table]) };
  }
  const wantsTable = AFTER_TABLE_WORD.test(before.slice(0, from));
  if (word === "" && !wantsTable && !isAsked) return undefined;
  if (wantsTable) return { from, options: tables.map(tableSuggestion) };
  const mentioned = tables.filter((table) => isMentioned(table, sql));
  const names = [...columnsOf(mentioned.length > 0 ? mentioned : tables), ...tables.map(tableSuggestion)];
  return { from, options: word.startsWith('"') ? names : [...names, ...(isPage ? PAGE_WORDS : COMMON_WORDS)] };
}

const tableSuggestion = ({ name, written, rows }: ListedTable): SqlSuggestion => ({
  label: name,
  apply: written,
  type: "table",
  detail: rows === undefined ? undefined : `${rows.toLocaleString("en")} rows`,
});

/** Each name once: the same column of two tables is one word. */
function columnsOf(tables: readonly ListedTable[]): readonly SqlSuggestion[] {
  const found = new Map<string, SqlSuggestion>();
  for (const { columns } of tables)
    for (const { name, written, type } of columns) {
      if (found.size >= SQL_LIMITS.suggestedColumns) return [...found.values()];
      if (!found.has(name)) found.set(name, { label: name, apply: written, type: "column", detail: type });
    }
  return [...found.values()];
}

const plain = (text: string): string => text.replaceAll('"', "").toLowerCase();
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

function isMentioned({ written }: ListedTable, sql: string): boolean {
  return new RegExp(String.raw`(?<![\p{L}\p{N}_"])${escaped(written)}(?![\p{L}\p{N}_"])`, "iu").test(sql);
}

/** By its name, or by the one that the query gives it: `orders AS o`, `orders o`. */
function tableCalled(owner: string, sql: string, tables: readonly ListedTable[]): ListedTable | undefined {
  const wanted = plain(owner);
  const named = tables.find(({ name, written }) => plain(name) === wanted || plain(written) === wanted);
  if (named !== undefined) return named;
  const alias = escaped(owner);
  return tables.find(({ written }) =>
    new RegExp(String.raw`(?<![\p{L}\p{N}_"])${escaped(written)}\s+(?:as\s+)?${alias}(?![\p{L}\p{N}_"])`, "iu").test(
      sql,
    ),
  );
}

const wordsOf = (words: readonly string[], type: "keyword" | "function" | "type"): readonly SqlSuggestion[] =>
  words.map((label) => ({ label, apply: type === "function" ? `${label}(` : label, type }));

const COMMON_WORDS = [...wordsOf(KEYWORDS, "keyword"), ...wordsOf(FUNCTIONS, "function")];
const PAGE_WORDS = [
  ...COMMON_WORDS,
  ...wordsOf(DUCKDB_KEYWORDS, "keyword"),
  ...wordsOf(DUCKDB_FUNCTIONS, "function"),
  ...wordsOf(TYPES, "type"),
];
