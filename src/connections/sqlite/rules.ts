/**
 * What a statement may do in an SQLite file. While it prepares a statement, SQLite asks about each action, at any depth: in a view, a
 * trigger, a WITH. Whatever is not listed here is refused.
 */

/** SQLite's action codes, with words for a person. */
const ACTIONS: ReadonlyMap<number, string> = new Map([
  [1, "CREATE INDEX"],
  [2, "CREATE TABLE"],
  [3, "CREATE TEMP INDEX"],
  [4, "CREATE TEMP TABLE"],
  [5, "CREATE TEMP TRIGGER"],
  [6, "CREATE TEMP VIEW"],
  [7, "CREATE TRIGGER"],
  [8, "CREATE VIEW"],
  [9, "DELETE"],
  [10, "DROP INDEX"],
  [11, "DROP TABLE"],
  [12, "DROP TEMP INDEX"],
  [13, "DROP TEMP TABLE"],
  [14, "DROP TEMP TRIGGER"],
  [15, "DROP TEMP VIEW"],
  [16, "DROP TRIGGER"],
  [17, "DROP VIEW"],
  [18, "INSERT"],
  [19, "PRAGMA"],
  [22, "a transaction"],
  [23, "UPDATE"],
  [24, "ATTACH"],
  [25, "DETACH"],
  [26, "ALTER TABLE"],
  [27, "REINDEX"],
  [28, "ANALYZE"],
  [29, "CREATE VIRTUAL TABLE"],
  [30, "DROP VIRTUAL TABLE"],
  [32, "a savepoint"],
]);
const PRAGMA = 19;
const READ = 20;
const SELECT = 21;
const FUNCTION = 31;
const RECURSIVE = 33;

/** Functions with effects, or a way out of the database. Most are not built in; a build that has them must not use them here. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  "load_extension",
  "writefile",
  "readfile",
  "edit",
  "fts3_tokenizer",
  "lsmode",
  "sqlite_crashme",
]);

/** Pragmas that describe the tables and indices that they name. */
const TELLING: ReadonlySet<string> = new Set([
  "table_info",
  "table_xinfo",
  "table_list",
  "index_list",
  "index_info",
  "index_xinfo",
  "foreign_key_list",
  "collation_list",
  "function_list",
  "module_list",
  "pragma_list",
  "compile_options",
]);
/** Pragmas that only read when they get no value. */
const TELLING_BARE: ReadonlySet<string> = new Set([
  "application_id",
  "data_version",
  "encoding",
  "freelist_count",
  "page_count",
  "page_size",
  "schema_version",
  "user_version",
]);

/** Undefined: it only reads. Otherwise what it would do. */
export function refusalOf(action: number, first: string | null, second: string | null): string | undefined {
  switch (action) {
    case READ: {
      // A PRAGMA that is read as a table.
      const name = /^pragma_(.*)$/i.exec(first ?? "")?.[1]?.toLowerCase();
      const tells = name === undefined || TELLING.has(name) || TELLING_BARE.has(name);
      return tells ? undefined : `PRAGMA ${name}`;
    }
    case SELECT:
    case RECURSIVE:
      return undefined;
    case FUNCTION: {
      const name = (second ?? "").toLowerCase();
      return FUNCTIONS.has(name) ? `the function ${name}` : undefined;
    }
    case PRAGMA: {
      const name = (first ?? "").toLowerCase();
      if (TELLING.has(name) || (second === null && TELLING_BARE.has(name))) return undefined;
      return second === null ? `PRAGMA ${name}` : `PRAGMA ${name} with a value`;
    }
    default: {
      const what = ACTIONS.get(action) ?? `an action of SQLite (${action})`;
      return first === null || action === 22 || action === 32 || action === 24 ? what : `${what} on ${first}`;
    }
  }
}

const BLANK = /\s|;/;

/** True: nothing but blanks, semicolons and comments. A comment that is not closed goes to the end, as in SQLite. */
export function isIdle(text: string): boolean {
  let index = 0;
  while (index < text.length) {
    if (text.startsWith("--", index)) {
      const end = text.indexOf("\n", index);
      index = end < 0 ? text.length : end + 1;
    } else if (text.startsWith("/*", index)) {
      const end = text.indexOf("*/", index + 2);
      index = end < 0 ? text.length : end + 2;
    } else if (BLANK.test(text.charAt(index))) index += 1;
    else return false;
  }
  return true;
}
