import { useEffect, useState, useSyncExternalStore } from "react";
import type { Workbench } from "../model/workbench.ts";
import type { PageSql } from "./page-sql.ts";
import {
  PAGE_SOURCE,
  pageTables,
  serverSources,
  serverTables,
  type SourceTables,
  type SqlClient,
  type SqlSource,
} from "./sources.ts";

const PAGE: SqlSource = { id: PAGE_SOURCE, name: "Open tables", kind: "page" };

/** The open tables first, then the connections of the server. */
export function useSources(client: SqlClient | undefined): {
  readonly list: readonly [SqlSource, ...SqlSource[]];
  readonly trouble: string | undefined;
  /** Those of the server are on their way. */
  readonly isLoading: boolean;
  /** The server has none for this person. */
  readonly isWithout: boolean;
} {
  const [answer, setAnswer] = useState<Loaded<readonly SqlSource[]>>({});
  useEffect(() => (client === undefined ? undefined : asked(() => serverSources(client), setAnswer)), [client]);
  const { value, trouble } = answer;
  return {
    list: [PAGE, ...(value ?? [])],
    trouble,
    isLoading: client !== undefined && value === undefined && trouble === undefined,
    isWithout: value?.length === 0,
  };
}

/** What a source has. */
export function useTables(options: {
  readonly workbench: Pick<Workbench, "views" | "subscribe">;
  readonly sql: PageSql;
  readonly client: SqlClient | undefined;
  readonly source: SqlSource;
}): { readonly listed: SourceTables | undefined; readonly trouble: string | undefined } {
  const { workbench, sql, client, source } = options;
  useSyncExternalStore(
    (changed) => workbench.subscribe(changed),
    () => workbench.views,
  );
  const [answer, setAnswer] = useState<Loaded<SourceTables> & { readonly of?: string }>({});
  const { id, kind } = source;
  useEffect(() => {
    if (kind === "page" || client === undefined) return;
    return asked(
      () => serverTables(client, id),
      (next) => setAnswer({ ...next, of: id }),
    );
  }, [client, id, kind]);
  if (kind === "page") return { listed: pageTables(sql), trouble: undefined };
  return answer.of === id
    ? { listed: answer.value, trouble: answer.trouble }
    : { listed: undefined, trouble: undefined };
}

interface Loaded<Value> {
  readonly value?: Value;
  readonly trouble?: string;
}

/** The answer stops listening. */
function asked<Value>(ask: () => Promise<Value>, tell: (answer: Loaded<Value>) => void): () => void {
  let isOver = false;
  ask().then(
    (value) => !isOver && tell({ value }),
    (error: unknown) => !isOver && tell({ trouble: error instanceof Error ? error.message : String(error) }),
  );
  return () => {
    isOver = true;
  };
}
