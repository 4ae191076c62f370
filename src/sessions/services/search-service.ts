import { defined, Failure, LIMITS, searchTerms, type SearchPage, type TextSearchQuery } from "../../protocol/index.ts";
import type { FoundText, TextSearch } from "../../store/index.ts";
import { authorize, authorizeFor, type Caller } from "../access/access.ts";
import { viewRow } from "../core/state.ts";
import type { Dependencies } from "../dependencies.ts";
import type { Registry } from "../lifecycle/registry.ts";

interface SearchServiceParts {
  readonly dependencies: Pick<Dependencies, "store" | "clock" | "log">;
  readonly registry: Pick<Registry, "get">;
  /** Absent: this store has no index of texts. */
  readonly search: TextSearch | undefined;
}

/** Finds words in conversations. The index lags behind the journal, so no commit waits for it. */
export class SearchService {
  readonly #parts: SearchServiceParts;
  /** Sessions with something that the index may not have yet. */
  #changed = new Set<string>();
  #isFollowing = false;
  #isClosed = false;
  #cancel: () => void = () => undefined;

  constructor(parts: SearchServiceParts) {
    this.#parts = parts;
  }

  /** Only what the caller may read. */
  async search(
    caller: Caller,
    { q, session, limit = LIMITS.searchHitsDefault, cursor }: TextSearchQuery,
  ): Promise<SearchPage> {
    const scope = authorize(caller, "session.read");
    const { search } = this.#parts;
    if (search === undefined) throw new Failure("unsupported", "this server has no search in conversations");
    const terms = searchTerms(q);
    const within = session === undefined ? undefined : await this.#stretches(caller, session);
    const created_by = scope === "own" ? caller.id : undefined;
    const texts = await search.search({ terms, within, created_by, cursor, limit }, this.#take());
    const hits = await this.#named(texts.found, session);
    return { hits, complete: texts.complete, ...defined({ next: texts.next }) };
  }

  /** A session's journal has grown, or the session is gone. */
  changed(session_id: string): void {
    if (this.#parts.search === undefined || this.#isClosed) return;
    // With more, the next start compares all of them, and a search in one of them looks at it anyway.
    if (this.#changed.size < LIMITS.searchChangedSessions) this.#changed.add(session_id);
    this.#followSoon(LIMITS.searchIndexDelayMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#parts.search?.close();
  }

  #followSoon(ms: number): void {
    if (this.#isFollowing || this.#isClosed) return;
    this.#isFollowing = true;
    this.#cancel = this.#parts.dependencies.clock.after(ms, () => void this.#follow());
  }

  async #follow(): Promise<void> {
    const { search, dependencies } = this.#parts;
    let isDone = true;
    try {
      isDone = (await search?.follow(this.#take())) ?? true;
    } catch (error) {
      // The next start compares, and finds what was not read.
      if (!this.#isClosed) dependencies.log.warn({ err: error }, "the search index could not be brought up to date");
    }
    this.#isFollowing = false;
    if (!isDone) this.#followSoon(LIMITS.searchPauseMs);
    else if (this.#changed.size > 0) this.#followSoon(LIMITS.searchIndexDelayMs);
  }

  #take(): readonly string[] {
    const changed = [...this.#changed];
    this.#changed = new Set();
    return changed;
  }

  /** Where the journal of a session is: its own events, and those of others that a fork begins with. */
  async #stretches(
    caller: Caller,
    id: string,
  ): Promise<readonly { session_id: string; after: number; upto: number }[]> {
    const session = await this.#parts.registry.get(id);
    authorizeFor(caller, "session.read", { state: session.state, what: `session ${id}` });
    await session.settled();
    const { lineage, seq } = session.state;
    return [...lineage, { session_id: id, after: lineage.at(-1)?.upto ?? 0, upto: seq }];
  }

  /** With the titles of their sessions. Inside one conversation all hits are its own, also those from before a fork. */
  async #named(found: readonly FoundText[], session: string | undefined): Promise<SearchPage["hits"]> {
    const ids = session === undefined ? [...new Set(found.map(({ session_id }) => session_id))] : [session];
    const { read } = this.#parts.dependencies.store;
    const rows = await Promise.all(ids.map((id) => read.session(id)));
    const titles = new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.id, viewRow(row).title] as const])));
    return found.flatMap(({ marks, ...text }) => {
      const session_id = session ?? text.session_id;
      const title = titles.get(session_id);
      // Deleted meanwhile.
      if (title === undefined) return [];
      return [{ ...text, session_id, title, marks: marks.map(([start, end]): [number, number] => [start, end]) }];
    });
  }
}
