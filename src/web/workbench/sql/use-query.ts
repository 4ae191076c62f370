import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { errorPlace, errorWords, type ErrorPlace } from "./sql-error.ts";
import type { QueryHistory } from "./history.ts";
import { SQL_LIMITS } from "./limits.ts";
import type { SqlTable } from "./engine.ts";
import { askSource, type SqlClient, type SqlSource } from "./sources.ts";
import type { PageSql } from "./page-sql.ts";

/** What became of a query. */
export type QueryState =
  | { readonly kind: "none" }
  | { readonly kind: "running"; readonly since: number }
  | { readonly kind: "answered"; readonly answer: SqlTable; readonly sql: string }
  | { readonly kind: "failed"; readonly words: string; readonly place: ErrorPlace | undefined; readonly sql: string }
  | { readonly kind: "stopped" };

export interface KeptAnswer {
  /** The id of its tab. Absent: stored by an older page. */
  readonly tab?: string | undefined;
  readonly sql: string;
  readonly answer: SqlTable;
}

/** Where the last answer is stored, for when the page is loaded again. */
export interface KeptAnswers {
  readonly answer: () => KeptAnswer | undefined;
  readonly subscribe: (listener: () => void) => () => void;
  keepAnswer(answered: KeptAnswer): void;
}

const none = (): undefined => undefined;
const never = (): (() => void) => () => {};
const NOTHING: QueryState = { kind: "none" };

interface RunningQuery {
  readonly tab: string;
  readonly controller: AbortController;
}

/** One query at a time, of whichever tab; what became of the others is held for when their tab is shown again. */
export function useQuery(options: {
  readonly page: PageSql;
  readonly client: SqlClient | undefined;
  readonly history: QueryHistory;
  readonly kept?: KeptAnswers | undefined;
}): {
  readonly stateOf: (tab: string) => QueryState;
  /** The tab whose query runs. Absent: none does. */
  readonly runningTab: string | undefined;
  readonly run: (tab: string, source: SqlSource, sql: string) => void;
  readonly stop: () => void;
  /** What became of the query of a tab is shown no more; a running one is stopped. */
  readonly forget: (tab: string) => void;
} {
  const { page, client, history, kept } = options;
  const [states, setStates] = useState<ReadonlyMap<string, QueryState>>(new Map());
  const before = useSyncExternalStore(kept?.subscribe ?? never, kept?.answer ?? none);
  const running = useRef<RunningQuery | undefined>(undefined);
  useEffect(() => () => running.current?.controller.abort(), []);
  const set = useCallback((tab: string, state: QueryState) => setStates((known) => withState(known, tab, state)), []);
  const run = useCallback(
    (tab: string, source: SqlSource, sql: string) => {
      if (sql.trim() === "" || running.current !== undefined) return;
      const controller = new AbortController();
      running.current = { tab, controller };
      set(tab, { kind: "running", since: Date.now() });
      const where = {
        page,
        client,
        signal: controller.signal,
        now: () => performance.now(),
        name: `Query of ${source.name}`,
      };
      askSource(source, sql, where)
        .then((answer): QueryState => {
          history.add(source.id, { sql, at: Date.now(), rows: answer.table.rowCount });
          kept?.keepAnswer({ tab, sql, answer });
          return { kind: "answered", answer, sql };
        })
        .catch((error: unknown): QueryState => {
          if (controller.signal.aborted) return { kind: "stopped" };
          history.add(source.id, { sql, at: Date.now() });
          const words = error instanceof Error ? error.message : String(error);
          return { kind: "failed", words: errorWords(words), place: errorPlace(words, sql), sql };
        })
        .then((outcome) => {
          running.current = undefined;
          set(tab, outcome);
        })
        .catch(() => {});
    },
    [page, client, history, kept, set],
  );
  const stop = useCallback(() => running.current?.controller.abort(), []);
  const forget = useCallback(
    (tab: string) => {
      if (running.current?.tab === tab) running.current.controller.abort();
      else set(tab, NOTHING);
    },
    [set],
  );
  const stateOf = (tab: string): QueryState =>
    states.get(tab) ??
    (before !== undefined && (before.tab ?? tab) === tab
      ? { kind: "answered", sql: before.sql, answer: before.answer }
      : NOTHING);
  const runningTab = [...states].find(([, { kind }]) => kind === "running")?.[0];
  return { stateOf, runningTab, run, stop, forget };
}

/** The newest last; of the older ones only what needs no room. */
function withState(
  states: ReadonlyMap<string, QueryState>,
  tab: string,
  state: QueryState,
): ReadonlyMap<string, QueryState> {
  const others = [...states].filter(([id]) => id !== tab);
  const next = new Map(others.slice(-(SQL_LIMITS.tabs - 1)));
  next.set(tab, state);
  const answered = [...next].filter(([, { kind }]) => kind === "answered");
  const gone = answered.slice(0, Math.max(0, answered.length - SQL_LIMITS.tabAnswers));
  for (const [id] of gone) next.set(id, NOTHING);
  return next;
}
