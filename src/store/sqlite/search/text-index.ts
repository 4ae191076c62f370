import { LIMITS } from "../../../protocol/limits.ts";
import type { OpenDatabase, PreparedStatement, SqliteDatabase } from "../binding.ts";
import { openIndexFile } from "./file.ts";
import { JournalReader, type SessionPlace } from "./journal-reader.ts";
import { findTexts } from "./find-texts.ts";
import { searchableText, wordParts } from "./texts.ts";
import type { FoundTexts, StoredTextQuery } from "../../search.ts";

/** Texts of one millisecond: the ids of entries grow with time, and stay exact in a double until the year 2248. */
const IDS_PER_MS = 1_024;

interface IndexStatements {
  readonly position: PreparedStatement;
  readonly setPosition: PreparedStatement;
  readonly dropPosition: PreparedStatement;
  readonly positions: PreparedStatement;
  readonly newestId: PreparedStatement;
  readonly addEntry: PreparedStatement;
  readonly addText: PreparedStatement;
  readonly dropTexts: PreparedStatement;
  readonly dropEntries: PreparedStatement;
  readonly merge: PreparedStatement;
  readonly changes: PreparedStatement;
}

interface IndexFiles {
  readonly open: OpenDatabase;
  /** The store's database. */
  readonly journal: string;
  readonly index: string;
  /** A monotonic clock, milliseconds. */
  readonly now: () => number;
}

/**
 * The words of all journals. It reads events behind the sessions, in batches; each batch and its position become durable together, so a
 * killed process continues where it was. Everything is synchronous: it has a thread of its own.
 */
export class TextIndex {
  readonly #journal: JournalReader;
  readonly #database: SqliteDatabase;
  readonly #statements: IndexStatements;
  readonly #now: () => number;
  /** Sessions that may have something new; the last one is next. */
  readonly #behind = new Set<string>();
  /** How far all sessions, and then all positions, were compared since the start. */
  #compared: SessionPlace | undefined;
  #checked = "";
  #phase: "sessions" | "positions" | "done" = "sessions";
  /** Words of removed texts are still in the file: `new` ones, or some that are being removed. */
  #leftovers: "none" | "new" | "some" = "none";

  constructor({ open, journal, index, now }: IndexFiles) {
    const source = open(journal, { readOnly: true });
    try {
      source.exec(`PRAGMA busy_timeout = ${LIMITS.storeBusyMs}`);
      this.#journal = new JournalReader(source);
      this.#database = openIndexFile(open, index, this.#journal.instance);
    } catch (error) {
      source.close();
      throw error;
    }
    this.#statements = prepare(this.#database);
    this.#now = now;
  }

  /** These may have something new, or are gone. */
  note(sessions: readonly string[]): void {
    for (const id of sessions) this.#behind.add(id);
  }

  /** Reads what is new for so long. True: nothing is left. */
  follow(ms: number): boolean {
    const end = this.#now() + ms;
    do {
      const [session] = this.#behind;
      if (session !== undefined) this.#readSome(session);
      else if (this.#phase !== "done") this.#compare();
      else if (this.#leftovers === "none") return true;
      else this.#clean();
    } while (this.#now() < end);
    return this.#behind.size === 0 && this.#phase === "done" && this.#leftovers === "none";
  }

  /** Reads what is new in the stretches that are searched, or in all sessions, for a bounded time; then searches. */
  search(query: StoredTextQuery): FoundTexts {
    const complete = query.within === undefined ? this.follow(LIMITS.searchCatchUpMs) : this.#readWithin(query.within);
    return { ...findTexts({ database: this.#database, journal: this.#journal }, query), complete };
  }

  close(): void {
    this.#journal.close();
    this.#database.close();
  }

  #readWithin(stretches: readonly { readonly session_id: string; readonly upto: number }[]): boolean {
    const end = this.#now() + LIMITS.searchCatchUpMs;
    return stretches.every(({ session_id, upto }) => {
      const wanted = Math.min(upto, this.#journal.lastSeq(session_id));
      while (this.#positionOf(session_id) < wanted && this.#now() < end) this.#readSome(session_id);
      return this.#positionOf(session_id) >= wanted;
    });
  }

  /** Looks for sessions that have grown, and for positions of sessions that are gone or older than their position. */
  #compare(): void {
    if (this.#phase === "sessions") {
      const sessions = this.#journal.sessionsBefore(this.#compared);
      for (const { id, seq } of sessions) if (seq !== this.#positionOf(id)) this.#behind.add(id);
      this.#compared = sessions.at(-1);
      if (this.#compared === undefined) this.#phase = "positions";
      return;
    }
    const rows = this.#statements.positions.all(this.#checked, LIMITS.searchBatchSessions) as IndexedPosition[];
    for (const { session_id } of rows)
      if (this.#journal.creator(session_id) === undefined) this.#behind.add(session_id);
    const last = rows.at(-1);
    if (last === undefined) this.#phase = "done";
    else this.#checked = last.session_id;
  }

  /** One batch of a session: what is new, or, if its journal has become shorter, what is gone. */
  #readSome(session_id: string): void {
    const position = this.#positionOf(session_id);
    const last = this.#journal.lastSeq(session_id);
    if (last < position) this.#cut(session_id, last);
    const after = Math.min(position, last);
    const events = this.#journal.events(session_id, { after, upto: last });
    const isAll = events.length < LIMITS.searchBatchEvents;
    const reached = isAll ? last : (events.at(-1)?.seq ?? last);
    if (reached !== position) {
      this.#together(() => {
        for (const { seq, at, body } of events) {
          const found = searchableText(body);
          if (found === undefined) continue;
          const id = this.#entryId(Date.parse(at));
          this.#statements.addEntry.run(id, session_id, seq);
          this.#statements.addText.run(id, `${found.text}\n${wordParts(found.text)}`.replaceAll("\0", " "), session_id);
        }
        if (reached === 0) this.#statements.dropPosition.run(session_id);
        else this.#statements.setPosition.run(session_id, reached);
      });
    }
    if (isAll) this.#behind.delete(session_id);
  }

  /** The journal ends here: later texts are removed. */
  #cut(session_id: string, seq: number): void {
    this.#together(() => {
      this.#statements.dropTexts.run(session_id, seq);
      this.#statements.dropEntries.run(session_id, seq);
    });
    this.#leftovers = "new";
  }

  /** A removed text is only marked as such until its part of the index is merged. Some pages at a time. */
  #clean(): void {
    const before = this.#changes();
    this.#statements.merge.run(this.#leftovers === "new" ? -LIMITS.searchMergePages : LIMITS.searchMergePages);
    // As FTS5 says: no more than its own row was written, so nothing is left to merge.
    this.#leftovers = this.#changes() - before < 2 ? "none" : "some";
  }

  #changes(): number {
    return (this.#statements.changes.get() as { readonly changes: number }).changes;
  }

  #together(work: () => void): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#database.exec("COMMIT");
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  #positionOf(session_id: string): number {
    return (this.#statements.position.get(session_id) as { readonly seq: number } | undefined)?.seq ?? 0;
  }

  /** The first free id from this time on. */
  #entryId(ms: number): number {
    const first = Math.max(0, Number.isNaN(ms) ? 0 : ms) * IDS_PER_MS;
    for (let from = first; ; from += IDS_PER_MS) {
      const row = this.#statements.newestId.get(from, from + IDS_PER_MS - 1) as { readonly id: number | null };
      const id = row.id === null ? from : row.id + 1;
      if (id < from + IDS_PER_MS) return id;
    }
  }
}

interface IndexedPosition {
  readonly session_id: string;
}

function prepare(database: SqliteDatabase): IndexStatements {
  const statement = (sql: string): PreparedStatement => database.prepare(sql);
  return {
    position: statement("SELECT seq FROM positions WHERE session_id = ?"),
    setPosition: statement(
      "INSERT INTO positions (session_id, seq) VALUES (?, ?) ON CONFLICT (session_id) DO UPDATE SET seq = excluded.seq",
    ),
    dropPosition: statement("DELETE FROM positions WHERE session_id = ?"),
    positions: statement("SELECT session_id FROM positions WHERE session_id > ? ORDER BY session_id LIMIT ?"),
    newestId: statement("SELECT max(id) AS id FROM entries WHERE id BETWEEN ? AND ?"),
    addEntry: statement("INSERT INTO entries (id, session_id, seq) VALUES (?, ?, ?)"),
    addText: statement("INSERT INTO texts (rowid, text, place) VALUES (?, ?, ?)"),
    dropTexts: statement("DELETE FROM texts WHERE rowid IN (SELECT id FROM entries WHERE session_id = ? AND seq > ?)"),
    dropEntries: statement("DELETE FROM entries WHERE session_id = ? AND seq > ?"),
    merge: statement("INSERT INTO texts (texts, rank) VALUES ('merge', ?)"),
    changes: statement("SELECT total_changes() AS changes"),
  };
}
