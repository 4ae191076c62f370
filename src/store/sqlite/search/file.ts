import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { extendedCode, primaryCode, SQLITE, type OpenDatabase, type SqliteDatabase } from "../binding.ts";
import { makePrivate } from "../private-file.ts";

/** Another number makes the index anew: all of it comes from the journal. */
const VERSION = 2;

const TABLES = `
  CREATE TABLE journal (instance TEXT NOT NULL) STRICT;
  -- The last event of each session that was read.
  CREATE TABLE positions (session_id TEXT NOT NULL PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  -- One row for each text. Its id grows with the time of its event: see entryId.
  CREATE TABLE entries (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, seq INTEGER NOT NULL) STRICT;
  CREATE UNIQUE INDEX entries_by_place ON entries (session_id, seq);
  -- Words and where they are; the texts themselves stay in the journal. The session is a word of its own column. Short beginnings of words
  -- have lists of their own: otherwise those of all words that begin so would be merged for each search.
  CREATE VIRTUAL TABLE texts USING fts5 (text, place, content = '', contentless_delete = 1, prefix = '2 3',
    tokenize = 'unicode61 remove_diacritics 2');
`;

export function indexPathOf(database: string): string {
  return join(dirname(database), "search.db");
}

/** Opens the index of this journal; one of another journal, another version, or a damaged one is made anew. */
export function openIndexFile(open: OpenDatabase, path: string, instance: string): SqliteDatabase {
  try {
    const database = connect(open, path);
    if (isOurs(database, instance)) return database;
    database.close();
  } catch (error) {
    if (!isBroken(error)) throw error;
  }
  removeIndexFile(path);
  const database = connect(open, path);
  database.exec(`BEGIN; ${TABLES} PRAGMA user_version = ${VERSION}; COMMIT`);
  database.prepare("INSERT INTO journal (instance) VALUES (?)").run(instance);
  return database;
}

export function removeIndexFile(path: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
}

/** Nothing is lost when such a file is removed. */
export function isBroken(error: unknown): boolean {
  const code = primaryCode(error);
  return code === SQLITE.corrupt || code === SQLITE.notADatabase || extendedCode(error) === SQLITE.shortRead;
}

function connect(open: OpenDatabase, path: string): SqliteDatabase {
  const database = open(makePrivate(path));
  database.exec(`
    -- Words of deleted texts do not stay in the file: their pages are given back, and the rest of a page is overwritten.
    PRAGMA auto_vacuum = INCREMENTAL;
    PRAGMA secure_delete = FAST;
    PRAGMA journal_mode = WAL;
    -- A power cut may undo the last passes, never half of one; the journal has what they read.
    PRAGMA synchronous = NORMAL;
    PRAGMA temp_store = MEMORY;
  `);
  return database;
}

function isOurs(database: SqliteDatabase, instance: string): boolean {
  const { user_version } = database.prepare("PRAGMA user_version").get() as { readonly user_version: number };
  if (user_version !== VERSION) return false;
  const row = database.prepare("SELECT instance FROM journal").get() as { readonly instance: string } | undefined;
  return row?.instance === instance;
}
