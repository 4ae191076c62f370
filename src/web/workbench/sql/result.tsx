import { CircleAlert, Database, LoaderCircle, TableProperties } from "lucide-react";
import { useEffect, useState, useSyncExternalStore, type ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import type { Table } from "../data/table.ts";
import { Grid } from "../grid/grid.tsx";
import type { EngineState, PageSql } from "./page-sql.ts";
import type { QueryState } from "./use-query.ts";

interface ResultProps {
  readonly state: QueryState;
  readonly page: PageSql;
  readonly open: (table: Table) => void;
  /** Before the first query. */
  readonly start: ReactNode;
}

/** What became of the query: at work, its rows, or why there are none. */
export function SqlResult({ state, page, open, start }: ResultProps): ReactNode {
  const engine = useSyncExternalStore(page.subscribe, () => page.state);
  switch (state.kind) {
    case "none":
      return <div className="grid flex-1 place-items-center p-4 text-center text-sm text-soft">{start}</div>;
    case "running":
      return <Running since={state.since} engine={engine} />;
    case "stopped":
      return (
        <p role="status" className="grid flex-1 place-items-center p-4 text-sm text-soft">
          The query was stopped.
        </p>
      );
    case "failed":
      return (
        <div role="alert" className="m-2 overflow-auto rounded-lg border border-bad/40 bg-bad-soft p-3 text-sm">
          <p className="flex items-center gap-2 font-medium text-bad">
            <CircleAlert aria-hidden className="size-4" />
            {state.place === undefined ? "The query failed" : `Line ${state.place.line}, column ${state.place.column}`}
          </p>
          <p className="mt-1 font-mono text-[13px] break-words whitespace-pre-wrap">{state.words}</p>
        </div>
      );
    case "answered":
      return <Answered key={state.answer.table.id} state={state} open={open} />;
  }
}

function Running({ since, engine }: { readonly since: number; readonly engine: EngineState }): ReactNode {
  const seconds = useSeconds(since);
  if (engine.kind !== "loading")
    return (
      <p role="status" className="flex flex-1 items-center justify-center gap-2 p-4 text-sm text-soft">
        <LoaderCircle aria-hidden className="size-4 animate-spin" /> Running …{" "}
        <span aria-hidden className="tabular-nums">
          {seconds} s
        </span>
      </p>
    );
  const percent = engine.share === undefined ? undefined : Math.round(engine.share * 100);
  return (
    <div className="grid flex-1 place-items-center p-4">
      <div className="w-full max-w-xs space-y-2 text-center text-sm text-soft">
        <Database aria-hidden className="mx-auto size-6 text-faint" />
        <p role="status">Loading the SQL engine, once (33 MB) …</p>
        <progress
          aria-label="SQL engine"
          className="h-2 w-full accent-accent"
          max={100}
          {...(percent === undefined ? {} : { value: percent })}
        />
      </div>
    </div>
  );
}

function useSeconds(since: number): number {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.round((now - since) / 1_000));
}

function Answered({
  state,
  open,
}: {
  readonly state: Extract<QueryState, { kind: "answered" }>;
  readonly open: (table: Table) => void;
}): ReactNode {
  const { table, isCut, ms } = state.answer;
  const rows = `${table.rowCount.toLocaleString("en")} ${table.rowCount === 1 ? "row" : "rows"}`;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-y bg-panel px-2.5 py-1 text-sm">
        <p role="status" className="text-soft">
          {rows} · {ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`}
          {isCut && <span className="text-warn"> · there are more: these are the first ones</span>}
        </p>
        <Button size="small" className="ml-auto h-7" onClick={() => open(table)}>
          <TableProperties aria-hidden className="size-4" /> Open as table
        </Button>
      </div>
      <div className="min-h-0 flex-1">
        <Grid table={table} footer="quiet" label="Answer" onFilter={(key, spec) => table.setFilter(key, spec)} />
      </div>
    </div>
  );
}
