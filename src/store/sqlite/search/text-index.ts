import { FULL_TEXT_LIMITS } from "../../../protocol/limits/full-text.ts";
import { STORE_LIMITS } from "../../../protocol/limits/store.ts";
import type { OpenDatabase, PreparedStatement, SqliteDatabase } from "../binding.ts";
import { openIndexFile } from "./file.ts";
import { JournalReader, type SessionPlace } from "./journal-reader.ts";
import { findTexts } from "./find-texts.ts";
import { quietly } from "../stall.ts";
import { wordParts } from "./texts.ts";
import type { FoundTexts, StoredTextQuery } from "../../search.ts";

/** Texts of one millisecond: the ids of entries grow with time, and stay exact in a double until the year 2248. */
const IDS_PER_MS = 1_024;
/** A clock may be set to any time. Later texts have no order among themselves. */
const LAST_MS = Date.UTC(2248, 0);

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
  readonly free: PreparedStatement;
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
 * The words of all journals. It reads events behind the sessions, in batches; what a pass reads and its positions become durable together, so a
 * killed process continues where it was. Everything is synchronous: it has a thread of its own.
 */
export class TextIndex {
  readonly #journal: JournalReader;
  readonly #database: SqliteDatabase;
  readonly #statements: IndexStatements;
  readonly #now: () => number;
  /** Sessions that may have something new; the last one is next. */
  readonly #behind = new Set<string>();
  /** Sessions that were read in the pass under way. */
  readonly #read = new Set<string>();
  /** A pass has failed: from now on each batch has a transaction of its own, so that one session does not hold up the others. */
  #isCautious = false;
  /** The pass under way has begun its transaction. */
  #isWriting = false;
  /** How far all sessions, and then all positions, were compared since the start. */
  #compared: SessionPlace | undefined;
  #checked = "";
  #phase: "sessions" | "positions" | "done" = "sessions";
  /** Words of removed texts are still in the file: `new` ones, some that are being removed, or those of pages that are free. */
  #leftovers: "none" | "new" | "some" | "pages" = "none";

  constructor({ open, journal, index, now }: IndexFiles) {
    const source = open(journal, { readOnly: true });
    try {
      source.exec(`PRAGMA busy_timeout = ${STORE_LIMITS.storeBusyMs}`);
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
    this.#pass(() => {
      do {
        const [session] = this.#behind;
        if (session !== undefined) this.#readSome(session);
        else if (this.#phase !== "done") this.#compare();
        else if (this.#leftovers === "none") return;
        else this.#clean();
      } while (this.#now() < end);
    });
    return this.#behind.size === 0 && this.#phase === "done" && this.#leftovers === "none";
  }

  /** Reads what is new in the stretches that are searched, or in all sessions, for a bounded time; then searches. */
  search(query: StoredTextQuery): FoundTexts {
    const complete =
      query.within === undefined ? this.follow(FULL_TEXT_LIMITS.searchCatchUpMs) : this.#readWithin(query.within);
    return { ...findTexts({ database: this.#database, journal: this.#journal }, query), complete };
  }

  close(): void {
    this.#journal.close();
    this.#database.close();
  }

  #readWithin(stretches: readonly { readonly session_id: string; readonly upto: number }[]): boolean {
    const end = this.#now() + FULL_TEXT_LIMITS.searchCatchUpMs;
    return this.#pass(() =>
      stretches.every(({ session_id, upto }) => {
        const wanted = Math.min(upto, this.#journal.lastSeq(session_id) ?? 0);
        while (this.#positionOf(session_id) < wanted && this.#now() < end) this.#readSome(session_id);
        return this.#positionOf(session_id) >= wanted;
      }),
    );
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
    const rows = this.#statements.positions.all(
      this.#checked,
      FULL_TEXT_LIMITS.searchBatchSessions,
    ) as IndexedPosition[];
    for (const { session_id } of rows)
      if (this.#journal.creator(session_id) === undefined) this.#behind.add(session_id);
    const last = rows.at(-1);
    if (last === undefined) this.#phase = "done";
    else this.#checked = last.session_id;
  }

  /** One batch of a session: what is new, or, if its journal has become shorter, what is gone. */
  #readSome(session_id: string): void {
    const position = this.#positionOf(session_id);
    const last = this.#journal.lastSeq(session_id) ?? position;
    if (last < position) this.#cut(session_id, last);
    const after = Math.min(position, last);
    const events = this.#journal.events(session_id, { after, upto: last });
    const isAll = events.length < FULL_TEXT_LIMITS.searchBatchEvents;
    const reached = isAll ? last : (events.at(-1)?.seq ?? last);
    if (reached !== position) {
      this.#write();
      for (const { seq, at, text } of events) {
        if (text === undefined) continue;
        const id = this.#entryId(Date.parse(at));
        this.#statements.addEntry.run(id, session_id, seq);
        this.#statements.addText.run(id, `${text.text}\n${wordParts(text.text)}`.replaceAll("\0", " "), session_id);
      }
      if (reached === 0) this.#statements.dropPosition.run(session_id);
      else this.#statements.setPosition.run(session_id, reached);
    }
    this.#read.add(session_id);
    if (isAll) this.#behind.delete(session_id);
    if (this.#isCautious) this.#save();
  }

  /** The journal ends here: later texts are removed. */
  #cut(session_id: string, seq: number): void {
    this.#write();
    this.#statements.dropTexts.run(session_id, seq);
    this.#statements.dropEntries.run(session_id, seq);
    this.#leftovers = "new";
  }

  /** A removed text is only marked as such until its part of the index is merged; then its pages are given back. Some pages at a time. */
  #clean(): void {
    if (this.#leftovers === "pages") {
      this.#shrink();
      return;
    }
    this.#write();
    const before = this.#changes();
    this.#statements.merge.run(
      this.#leftovers === "new" ? -FULL_TEXT_LIMITS.searchMergePages : FULL_TEXT_LIMITS.searchMergePages,
    );
    // As FTS5 says: no more than its own row was written, so nothing is left to merge.
    this.#leftovers = this.#changes() - before < 2 ? "pages" : "some";
  }

  /** Outside of a transaction: the log cannot be emptied inside of one. */
  #shrink(): void {
    this.#save();
    const { freelist_count } = this.#statements.free.get() as { readonly freelist_count: number };
    if (freelist_count > 0) {
      this.#database.exec(`PRAGMA incremental_vacuum(${FULL_TEXT_LIMITS.searchMergePages})`);
      return;
    }
    this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    this.#leftovers = "none";
  }

  #changes(): number {
    return (this.#statements.changes.get() as { readonly changes: number }).changes;
  }

  /** One transaction for all that a pass writes: FTS5 writes a part of its index for each. After an error all of it is read again. */
  #pass<Answer>(work: () => Answer): Answer {
    try {
      const answer = work();
      this.#save();
      return answer;
    } catch (error) {
      // After some errors SQLite has done so already.
      quietly(() => this.#database.exec("ROLLBACK"));
      this.#isWriting = false;
      // Before the one that failed, which would hold them up.
      const again = [...this.#read, ...this.#behind];
      this.#behind.clear();
      this.note(again);
      this.#read.clear();
      this.#isCautious = true;
      throw error;
    }
  }

  /** From here on the pass writes. */
  #write(): void {
    if (!this.#isWriting) this.#database.exec("BEGIN IMMEDIATE");
    this.#isWriting = true;
  }

  /** What was written so far stays, whatever comes. */
  #save(): void {
    if (this.#isWriting) this.#database.exec("COMMIT");
    this.#isWriting = false;
    this.#read.clear();
  }

  #positionOf(session_id: string): number {
    return (this.#statements.position.get(session_id) as { readonly seq: number } | undefined)?.seq ?? 0;
  }

  /** The first free id from this time on. */
  #entryId(ms: number): number {
    const first = Math.min(Math.max(0, Number.isNaN(ms) ? 0 : ms), LAST_MS) * IDS_PER_MS;
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
    free: statement("PRAGMA freelist_count"),
  };
}
