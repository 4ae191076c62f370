import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { errorPlace, errorWords, type ErrorPlace } from "./sql-error.ts";
import type { QueryHistory } from "./history.ts";
import type { SqlTable } from "./engine.ts";
import { askSource, type SqlClient, type SqlSource } from "./sources.ts";
import type { PageSql } from "./page-sql.ts";

/** What became of the last query. */
export type QueryState =
  | { readonly kind: "none" }
  | { readonly kind: "running"; readonly since: number }
  | { readonly kind: "answered"; readonly answer: SqlTable; readonly sql: string }
  | { readonly kind: "failed"; readonly words: string; readonly place: ErrorPlace | undefined; readonly sql: string }
  | { readonly kind: "stopped" };

/** Where the last answer is stored, for when the page is loaded again. */
export interface KeptAnswers {
  readonly answer: () => { readonly sql: string; readonly answer: SqlTable } | undefined;
  readonly subscribe: (listener: () => void) => () => void;
  keepAnswer(answered: { readonly sql: string; readonly answer: SqlTable }): void;
}

const none = (): undefined => undefined;
const never = (): (() => void) => () => {};

/** One query at a time. */
export function useQuery(options: {
  readonly page: PageSql;
  readonly client: SqlClient | undefined;
  readonly history: QueryHistory;
  readonly kept?: KeptAnswers | undefined;
}): {
  readonly state: QueryState;
  readonly run: (source: SqlSource, sql: string) => void;
  readonly stop: () => void;
  readonly forget: () => void;
} {
  const { page, client, history, kept } = options;
  const [own, setState] = useState<QueryState>();
  const before = useSyncExternalStore(kept?.subscribe ?? never, kept?.answer ?? none);
  const state: QueryState = own ?? (before === undefined ? { kind: "none" } : { kind: "answered", ...before });
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const run = useCallback(
    (source: SqlSource, sql: string) => {
      if (sql.trim() === "" || running.current !== undefined) return;
      const controller = new AbortController();
      running.current = controller;
      setState({ kind: "running", since: Date.now() });
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
          kept?.keepAnswer({ sql, answer });
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
          setState(outcome);
        })
        .catch(() => {});
    },
    [page, client, history, kept],
  );
  const stop = useCallback(() => running.current?.abort(), []);
  const forget = useCallback(() => setState((now) => (now?.kind === "running" ? now : { kind: "none" })), []);
  return { state, run, stop, forget };
}
