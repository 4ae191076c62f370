import { ChangeListeners } from "../data/listeners.ts";
import type { SimilarQuery } from "../../../contexts/hosts.ts";
import { SQL_LIMITS } from "./limits.ts";

/** A query that a person has run. */
interface PastQuery {
  readonly sql: string;
  /** Milliseconds since 1970; of the last time. */
  readonly at: number;
  /** Absent: it failed. */
  readonly rows?: number | undefined;
}

/** Queries by source, the newest first. */
type Past = Readonly<Record<string, readonly PastQuery[]>>;

/** Where they are kept; `localStorage` of a page. */
type Shelf = Pick<Storage, "getItem" | "setItem">;

const PLACE = "sallyport.workbench.sql";

/** Never throws: a history that cannot be kept is no reason not to run a query. */
export class QueryHistory {
  readonly #shelf: Shelf | undefined;
  readonly #listeners = new ChangeListeners();
  #past: Past;

  constructor(shelf: Shelf | undefined) {
    this.#shelf = shelf;
    this.#past = readPast(shelf);
  }

  of(source: string): readonly PastQuery[] {
    return this.#past[source] ?? NONE;
  }

  add(source: string, query: PastQuery): void {
    this.#past = withQuery(this.#past, source, query);
    this.#keep();
  }

  clear(source: string): void {
    const { [source]: _, ...others } = this.#past;
    this.#past = others;
    this.#keep();
  }

  /** Those that hold most of the words, the newer first where equal. For an agent that looks for examples. */
  similar(source: string, prompt: string): readonly SimilarQuery[] {
    const wanted = wordsOf(prompt);
    return this.of(source)
      .filter(({ rows }) => rows !== undefined)
      .map((query, age) => ({ query, age, shared: [...wordsOf(query.sql)].filter((word) => wanted.has(word)).length }))
      .filter(({ shared }) => shared > 0)
      .toSorted((one, other) => other.shared - one.shared || one.age - other.age)
      .slice(0, SQL_LIMITS.similar)
      .map(({ query }) => ({
        name: titleOf(query.sql),
        description: `Run by a person; ${query.rows} rows`,
        sql: query.sql,
      }));
  }

  readonly subscribe = this.#listeners.add;

  #keep(): void {
    try {
      this.#shelf?.setItem(PLACE, JSON.stringify(this.#past));
    } catch {
      // Full or forbidden: it stays for as long as the page.
    }
    this.#listeners.tell();
  }
}

const NONE: readonly PastQuery[] = [];

/** The first line that says something. */
export function titleOf(sql: string): string {
  const line = sql.split("\n").find((each) => each.trim() !== "" && !each.trim().startsWith("--")) ?? sql;
  return line.trim().slice(0, 80);
}

function withQuery(past: Past, source: string, query: PastQuery): Past {
  const sql = query.sql.trim();
  if (sql === "" || sql.length > SQL_LIMITS.historyChars) return past;
  const others = (past[source] ?? []).filter((known) => known.sql !== sql);
  const { [source]: _, ...rest } = past;
  // The source of the last query stands first: those that nobody asks any more fall out at the end.
  const kept = Object.entries(rest).slice(0, SQL_LIMITS.historySources - 1);
  return Object.fromEntries([[source, [{ ...query, sql }, ...others].slice(0, SQL_LIMITS.history)], ...kept]);
}

/** Short words and those of SQL itself say nothing about what is asked for. */
const COMMON = new Set(
  "select from where group order having limit join left inner outer with and not null count the for all are was show give list what which".split(
    " ",
  ),
);

function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? [];
  return new Set(words.map((word) => word.replace(/s$/, "")).filter((word) => word.length > 2 && !COMMON.has(word)));
}

function readPast(shelf: Shelf | undefined): Past {
  try {
    const read: unknown = JSON.parse(shelf?.getItem(PLACE) ?? "{}");
    if (typeof read !== "object" || read === null) return {};
    return Object.fromEntries(
      Object.entries(read)
        .slice(0, SQL_LIMITS.historySources)
        .map(([source, queries]) => [
          source,
          Array.isArray(queries) ? queries.filter(isPast).slice(0, SQL_LIMITS.history) : [],
        ]),
    );
  } catch {
    return {};
  }
}

function isPast(value: unknown): value is PastQuery {
  const query = value as Partial<PastQuery> | null;
  return typeof query === "object" && query !== null && typeof query.sql === "string" && typeof query.at === "number";
}
