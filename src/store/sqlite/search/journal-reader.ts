import { FULL_TEXT_LIMITS } from "../../../protocol/limits/full-text.ts";
import type { EventBody } from "../../../protocol/index.ts";
import type { SqliteDatabase } from "../binding.ts";
import { isBroken } from "./file.ts";
import { SEARCHED_EVENTS, searchableText, type SearchableText } from "./texts.ts";

/** An event that may have text. */
export interface SearchedEvent {
  readonly seq: number;
  readonly at: string;
  /** Absent: it has none, or its row is damaged. */
  readonly text: SearchableText | undefined;
}

/** A session's place in the list of all, newest first. */
export interface SessionPlace {
  readonly id: string;
  readonly created_at: string;
  readonly seq: number;
}

const TYPES = SEARCHED_EVENTS.map((type) => `'${type}'`).join(", ");

/** What the index reads of the journal, on a connection that cannot write. */
export class JournalReader {
  readonly #database: SqliteDatabase;
  readonly #statements;

  constructor(database: SqliteDatabase) {
    this.#database = database;
    this.#statements = {
      instance: database.prepare("SELECT instance FROM store_state"),
      creator: database.prepare("SELECT created_by FROM sessions WHERE id = ?"),
      last: database.prepare("SELECT max(seq) AS seq FROM events WHERE session_id = ?"),
      first: database.prepare("SELECT id, created_at, seq FROM sessions ORDER BY created_at DESC, id DESC LIMIT ?"),
      older: database.prepare(
        "SELECT id, created_at, seq FROM sessions WHERE (created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT ?",
      ),
      events: database.prepare(
        `SELECT seq, at, body FROM events WHERE session_id = ? AND seq > ? AND seq <= ? AND type IN (${TYPES})
         ORDER BY seq LIMIT ?`,
      ),
      event: database.prepare("SELECT seq, at, body FROM events WHERE session_id = ? AND seq = ?"),
    };
  }

  get instance(): string {
    return (this.#statements.instance.get() as { readonly instance: string }).instance;
  }

  /** Absent: there is no such session (any more). */
  creator(session_id: string): string | undefined {
    return (this.#statements.creator.get(session_id) as { readonly created_by: string } | undefined)?.created_by;
  }

  /** The last event that is stored; 0: none. Undefined: that part of the database is damaged. */
  lastSeq(session_id: string): number | undefined {
    const row = undamaged(() => this.#statements.last.get(session_id) as { readonly seq: number | null });
    return row && (row.seq ?? 0);
  }

  /** Newest first. */
  sessionsBefore(place: SessionPlace | undefined): readonly SessionPlace[] {
    const limit = FULL_TEXT_LIMITS.searchBatchSessions;
    const rows =
      place === undefined
        ? this.#statements.first.all(limit)
        : this.#statements.older.all(place.created_at, place.id, limit);
    return rows as SessionPlace[];
  }

  events(
    session_id: string,
    { after, upto }: { readonly after: number; readonly upto: number },
  ): readonly SearchedEvent[] {
    const rows = undamaged(() =>
      this.#statements.events.all(session_id, after, upto, FULL_TEXT_LIMITS.searchBatchEvents),
    );
    return ((rows ?? []) as StoredEvent[]).map(parsed);
  }

  event(session_id: string, seq: number): SearchedEvent | undefined {
    const row = undamaged(() => this.#statements.event.get(session_id, seq) as StoredEvent | undefined);
    return row === undefined ? undefined : parsed(row);
  }

  close(): void {
    this.#database.close();
  }
}

interface StoredEvent {
  readonly seq: number;
  readonly at: string;
  readonly body: string;
}

/** A damaged row hurts no other one: it has nothing to find. */
function parsed({ seq, at, body }: StoredEvent): SearchedEvent {
  try {
    return { seq, at, text: searchableText(JSON.parse(body) as EventBody) };
  } catch {
    return { seq, at, text: undefined };
  }
}

/** Undefined: a page of the journal is damaged. Everything else in it can be searched. */
function undamaged<Answer>(read: () => Answer): Answer | undefined {
  try {
    return read();
  } catch (error) {
    if (isBroken(error)) return undefined;
    throw error;
  }
}
