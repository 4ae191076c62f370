import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";

/** Time as the server has it. */
export const after = (ms: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, ms);
  timer.unref();
  return () => clearTimeout(timer);
};

/** A signal that nobody aborts, and a token. */
export const asking = {
  principal: "tok_anna",
  get signal() {
    return new AbortController().signal;
  },
};

export interface SqlitePlace {
  readonly folder: string;
  readonly path: string;
  /** Of all files in the folder, by their names. */
  fingerprint(): Readonly<Record<string, string>>;
  remove(): void;
}

const SCHEMA = `
  CREATE TABLE ledger (id INTEGER PRIMARY KEY, note TEXT);
  CREATE INDEX ledger_note ON ledger (note);
  INSERT INTO ledger VALUES (1, 'one'), (2, 'two'), (3, NULL);
  CREATE VIEW sums AS SELECT count(*) AS total FROM ledger;
  CREATE TRIGGER echo AFTER UPDATE ON ledger BEGIN INSERT INTO ledger VALUES (99, 'echo'); END;
  CREATE VIRTUAL TABLE notes USING fts5(text);
  INSERT INTO notes VALUES ('hello world');
  CREATE TABLE people (code TEXT UNIQUE, born REAL, photo BLOB);
  CREATE TABLE entries (ledger INTEGER REFERENCES ledger (id), person TEXT UNIQUE REFERENCES people (code), kind TEXT);
  INSERT INTO people VALUES ('a', 1950.5, x'00ff'), ('b', 1999, NULL);
  INSERT INTO entries VALUES (1, 'a', 'debit'), (2, 'b', 'credit');
`;

export function makeSqlite(schema = SCHEMA): SqlitePlace {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-sqlite-"));
  const path = join(folder, "data.db");
  const database = new DatabaseSync(path);
  database.exec(schema);
  database.close();
  return {
    folder,
    path,
    fingerprint: () =>
      Object.fromEntries(
        readdirSync(folder).map((name) => [
          name,
          createHash("sha256")
            .update(readFileSync(join(folder, name)))
            .digest("hex"),
        ]),
      ),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
