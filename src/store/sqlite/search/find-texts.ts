import { FULL_TEXT_LIMITS } from "../../../protocol/limits/full-text.ts";
import { Failure } from "../../../protocol/failure.ts";
import type { SearchTerm } from "../../../protocol/index.ts";
import type { SqliteDatabase } from "../binding.ts";
import type { JournalReader } from "./journal-reader.ts";
import { snippetOf } from "./snippet.ts";
import type { FoundText, FoundTexts, SearchedStretch, StoredTextQuery } from "../../search.ts";

interface SearchSources {
  readonly database: SqliteDatabase;
  readonly journal: JournalReader;
}

interface TextCandidate {
  readonly id: number;
  readonly session_id: string;
  readonly seq: number;
}

const CANDIDATES = `
  SELECT entries.id AS id, entries.session_id AS session_id, entries.seq AS seq
  FROM (SELECT rowid FROM texts WHERE texts MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?) AS hit
  JOIN entries ON entries.id = hit.rowid ORDER BY entries.id DESC`;

/** Examines a bounded number of texts, newest first. A page may be short, or empty, and have a `next`. */
export function findTexts({ database, journal }: SearchSources, query: StoredTextQuery): Omit<FoundTexts, "complete"> {
  const before = query.cursor === undefined ? Number.MAX_SAFE_INTEGER : fromSearchCursor(query.cursor);
  const isVisible = visibility(journal, query);
  const candidates = database
    .prepare(CANDIDATES)
    .all(matchOf(query), before, FULL_TEXT_LIMITS.searchedTexts) as TextCandidate[];
  const found: FoundText[] = [];
  for (const candidate of candidates) {
    if (!isVisible(candidate)) continue;
    const text = textAt(journal, candidate, query.terms);
    if (text === undefined) continue;
    found.push(text);
    if (found.length === query.limit) return { found, ...nextAfter(candidate, candidates) };
  }
  const last = candidates.at(-1);
  return {
    found,
    ...(last !== undefined && candidates.length === FULL_TEXT_LIMITS.searchedTexts
      ? { next: toSearchCursor(last.id) }
      : {}),
  };
}

function nextAfter(candidate: TextCandidate, candidates: readonly TextCandidate[]): { readonly next?: string } {
  const isLast = candidate === candidates.at(-1) && candidates.length < FULL_TEXT_LIMITS.searchedTexts;
  return isLast ? {} : { next: toSearchCursor(candidate.id) };
}

function textAt(journal: JournalReader, place: TextCandidate, terms: readonly SearchTerm[]): FoundText | undefined {
  const { session_id, seq } = place;
  const { at, text } = journal.event(session_id, seq) ?? {};
  if (at === undefined || text === undefined) return undefined;
  const { kind, tool } = text;
  return { session_id, seq, at, kind, ...(tool === undefined ? {} : { tool }), ...snippetOf(text.text, terms) };
}

/** A session that was deleted, or that somebody else created, is not there. What a fork began with belongs to the fork. */
function visibility(
  journal: JournalReader,
  { within, created_by }: StoredTextQuery,
): (place: TextCandidate) => boolean {
  if (within !== undefined)
    return ({ session_id, seq }) =>
      within.some((stretch) => stretch.session_id === session_id && seq > stretch.after && seq <= stretch.upto);
  const known = new Map<string, boolean>();
  return ({ session_id }) => {
    const before = known.get(session_id);
    if (before !== undefined) return before;
    const creator = journal.creator(session_id);
    const isVisible = creator !== undefined && (created_by === undefined || creator === created_by);
    known.set(session_id, isVisible);
    return isVisible;
  };
}

/** In the language of FTS5. Words hold letters and digits only, so nothing in them is part of that language. */
function matchOf({ terms, within }: StoredTextQuery): string {
  const texts = terms.map(({ words, isPrefix }) => `"${words.join(" ")}"${isPrefix ? " *" : ""}`);
  const match = `{text} : (${texts.join(" AND ")})`;
  return within === undefined ? match : `${match} AND {place} : (${within.map(placeOf).join(" OR ")})`;
}

function placeOf({ session_id }: SearchedStretch): string {
  return `"${session_id.replaceAll('"', "")}"`;
}

function toSearchCursor(id: number): string {
  return Buffer.from(JSON.stringify(["texts", id])).toString("base64url");
}

function fromSearchCursor(cursor: string): number {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (Array.isArray(value) && value.length === 2 && value[0] === "texts" && Number.isSafeInteger(value[1]))
      return Number(value[1]);
  } catch {
    // The error below covers this.
  }
  throw new Failure("cursor_invalid", "This cursor is not one of this list: start again without a cursor.");
}
