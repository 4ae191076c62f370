import type { HitKind, SearchTerm } from "../protocol/index.ts";

/** A stretch of one session's journal. */
export interface SearchedStretch {
  readonly session_id: string;
  /** Exclusive. */
  readonly after: number;
  /** Inclusive. */
  readonly upto: number;
}

export interface StoredTextQuery {
  readonly terms: readonly SearchTerm[];
  /** Only these stretches, whoever began them. Absent: all sessions. */
  readonly within?: readonly SearchedStretch[] | undefined;
  /** Only sessions that this principal created. */
  readonly created_by?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** A text with all terms. */
export interface FoundText {
  readonly session_id: string;
  readonly seq: number;
  readonly at: string;
  readonly kind: HitKind;
  /** Of a call. */
  readonly tool?: string;
  readonly snippet: string;
  readonly marks: readonly (readonly [start: number, end: number])[];
}

export interface FoundTexts {
  /** Newest first. */
  readonly found: readonly FoundText[];
  readonly next?: string;
  /** Whether everything that was stored before the search was searched. */
  readonly complete: boolean;
}

/** Finds words in journals. It follows the journal: nothing in it is the only copy of anything. */
export interface TextSearch {
  /** First takes up what the sessions that `changed` have new, for a bounded time. */
  search(query: StoredTextQuery, changed: readonly string[]): Promise<FoundTexts>;
  /** Takes up some of what is new, also of sessions that were deleted. True: nothing is left. */
  follow(changed: readonly string[]): Promise<boolean>;
  close(): Promise<void>;
}
