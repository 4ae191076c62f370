import { lstatSync, statSync } from "node:fs";
import { type SqliteDatabase, loadSqlite } from "./binding.ts";
import { tryLock } from "./lock.ts";
import { refuseLost } from "./record.ts";
import { refuseWhatIsLost } from "./refuse-lost.ts";
import { wordsOf } from "./stall.ts";

export interface Examined {
  /** Problems that SQLite reports; empty: the file is intact. */
  readonly problems: readonly string[];
  readonly sessions: number;
  /** Ids of sessions and approvals, and positions of events, whose rows cannot be read. */
  readonly damaged: readonly string[];
}

const PROBLEMS = 20;

const DAMAGED = [
  "SELECT 'session ' || id AS place FROM sessions WHERE NOT json_valid(state)",
  "SELECT 'approval ' || id AS place FROM approvals WHERE NOT json_valid(body)",
  "SELECT 'event ' || session_id || '/' || seq AS place FROM events WHERE NOT json_valid(body)",
];

/** Examines a database without changing it, even while a server uses it. */
export async function examineDatabase(path: string): Promise<Examined> {
  const open = await loadSqlite();
  let database: SqliteDatabase | undefined;
  try {
    database = open(path, { readOnly: true });
    const rows = database.prepare(`PRAGMA integrity_check(${PROBLEMS})`).all() as {
      readonly integrity_check: string;
    }[];
    const problems = rows.map(({ integrity_check }) => integrity_check).filter((line) => line !== "ok");
    const { n } = database.prepare("SELECT count(*) AS n FROM sessions").get() as { readonly n: number };
    return { problems, sessions: n, damaged: DAMAGED.flatMap((sql) => placesOf(database, sql)) };
  } catch (error) {
    return { problems: [wordsOf(error)], sessions: 0, damaged: [] };
  } finally {
    database?.close();
  }
}

/** Why a server would refuse to open this database, in its words; undefined: it would open it. Nothing is changed. */
export async function startProblem(path: string, options: { readonly isServed: boolean }): Promise<string | undefined> {
  const open = await loadSqlite();
  try {
    if (!options.isServed) tryLock(open, path);
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) refuseLost(path, undefined);
    else if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
      return `${path} is not a file, or a link to one that is not there: the database belongs there.`;
    // A running server writes its record a little later than the database.
    else if (!options.isServed) refuseWhatIsLost(open, path);
    return undefined;
  } catch (error) {
    return wordsOf(error);
  }
}

function placesOf(database: SqliteDatabase | undefined, sql: string): readonly string[] {
  const rows = database?.prepare(`${sql} LIMIT ${PROBLEMS}`).all() ?? [];
  return (rows as { readonly place: string }[]).map(({ place }) => place);
}
