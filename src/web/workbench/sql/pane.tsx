import {
  useId,
  useRef,
  useState,
  useSyncExternalStore,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from "react";
import type { Workbench } from "../model/workbench.ts";
import { SchemaBrowser } from "./browser.tsx";
import { SqlEditor, type EditorHandle } from "./editor.tsx";
import type { QueryHistory } from "./history.ts";
import type { PageSql } from "./page-sql.ts";
import { QueryBar } from "./query-bar.tsx";
import { queryTabId, QueryTabStrip } from "./query-tab-strip.tsx";
import type { QueryTab, QueryTabs } from "./query-tabs.ts";
import { SqlResult } from "./result.tsx";
import type { ListedTable, SqlClient, SqlSource } from "./sources.ts";
import { useQuery, type KeptAnswers, type QueryState } from "./use-query.ts";
import { useSources, useTables } from "./use-sources.ts";

interface SqlPaneProps {
  readonly workbench: Pick<Workbench, "views" | "addTable" | "subscribe">;
  readonly sql: PageSql;
  readonly history: QueryHistory;
  readonly tabs: QueryTabs;
  /** Absent: there is no server to ask. */
  readonly client: SqlClient | undefined;
  /** Absent: answers are gone when the page is loaded again. */
  readonly kept?: KeptAnswers | undefined;
}

/** Queries over the open tables and over the server's connections. Fills its parent, which must have a height. */
export function SqlPane(props: SqlPaneProps): ReactNode {
  const { workbench, sql, history, tabs, client, kept } = props;
  const { tabs: list, active } = useSyncExternalStore(tabs.subscribe, tabs.state);
  const { stateOf, runningTab, run, stop, forget } = useQuery({ page: sql, client, history, kept });
  const panelId = useId();
  const editor = useRef<EditorHandle>(null);
  const tab = list.find(({ id }) => id === active);
  if (tab === undefined) return undefined;
  const close = (id: string): void => {
    forget(id);
    tabs.close(id);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!event.altKey || event.ctrlKey || event.metaKey || !/^Page(?:Up|Down)$/.test(event.key)) return;
    event.preventDefault();
    tabs.step(event.key === "PageDown" ? 1 : -1);
  };
  return (
    <section aria-label="SQL" onKeyDown={onKeyDown} className="flex h-full min-h-0 flex-col bg-paper">
      <QueryTabStrip
        tabs={tabs}
        panelId={panelId}
        running={runningTab}
        close={close}
        onAdd={() => editor.current?.focus()}
      />
      <QueryPanel
        {...{ workbench, sql, history, tabs, client, tab, editor, panelId, stop, forget }}
        state={stateOf(tab.id)}
        running={list.find(({ id }) => id === runningTab)}
        run={(source, text) => run(tab.id, source, text)}
      />
    </section>
  );
}

interface QueryPanelProps extends Omit<SqlPaneProps, "kept"> {
  readonly tab: QueryTab;
  readonly panelId: string;
  readonly editor: RefObject<EditorHandle | null>;
  readonly state: QueryState;
  /** The query that runs, this one or another. */
  readonly running: QueryTab | undefined;
  readonly run: (source: SqlSource, text: string) => void;
  readonly stop: () => void;
  readonly forget: (tab: string) => void;
}

/** One query: what it asks, its text, and what became of it. */
function QueryPanel(props: QueryPanelProps): ReactNode {
  const { workbench, sql, history, tabs, client, tab, panelId, editor, state, running, run, stop, forget } = props;
  const sources = useSources(client);
  const found = sources.list.find(({ id }) => id === tab.source);
  const source = found ?? sources.list[0];
  const tables = useTables({ workbench, sql, client, source });
  const [isListed, setIsListed] = useState(false);
  const first = tables.listed?.tables[0];
  const proposed = found === undefined || first === undefined ? "" : `SELECT *\nFROM ${first.written}\nLIMIT 100`;
  const text = tab.sql ?? proposed;
  const setText = (next: string): void => {
    if (next !== text) tabs.write(tab.id, next);
  };
  const runIt = (): void => {
    // A query must not run on a connection that it was not written for.
    if (found === undefined || running !== undefined) return;
    tabs.write(tab.id, text);
    run(found, text);
  };
  const place = state.kind === "failed" && state.sql === text ? state.place : undefined;
  return (
    <div
      role="tabpanel"
      id={panelId}
      aria-labelledby={queryTabId(panelId, tab.id)}
      className="flex min-h-0 flex-1 flex-col"
    >
      <QueryBar
        {...{ tabs, tab, history, sources, state, running, isListed, setText, stop }}
        canRun={text.trim() !== "" && found !== undefined && running === undefined}
        run={runIt}
        list={setIsListed}
        choose={(id) => {
          tabs.ask(tab.id, id);
          if (state.kind !== "running") forget(tab.id);
        }}
      />
      <div className="flex min-h-0 flex-1 max-md:flex-col">
        <aside
          aria-label="Tables"
          className={`${isListed ? "flex max-h-48" : "hidden"} min-h-0 flex-col overflow-hidden px-2 pb-2 md:flex md:max-h-none md:w-60 md:shrink-0`}
        >
          <SchemaBrowser
            key={source.id}
            {...tables}
            empty={emptyWords(source)}
            insert={(name) => editor.current?.write(name)}
          />
        </aside>
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <div className="flex h-[38%] min-h-24 shrink-0 px-2 pb-2">
            <SqlEditor
              id={tab.id}
              kind={source.kind}
              value={text}
              onChange={setText}
              run={runIt}
              place={place}
              tables={tables.listed?.tables ?? NO_TABLES}
              handle={editor}
            />
          </div>
          <SqlResult
            state={state}
            page={sql}
            open={(table) => workbench.addTable(table, "person")}
            start={sources.isWithout ? NO_CONNECTIONS : "Ctrl+Enter runs the query."}
          />
        </div>
      </div>
    </div>
  );
}

const NO_TABLES: readonly ListedTable[] = [];

const NO_CONNECTIONS = (
  <span>
    Ctrl+Enter runs the query over the open tables. The server has no connection to a database for you: an admin adds
    one with <code className="rounded bg-sunken px-1">sallyport connection add</code>.
  </span>
);

function emptyWords(source: SqlSource): ReactNode {
  return source.kind === "page"
    ? "No table is open. Open a file, or choose a connection."
    : "There is nothing in it that you may read.";
}
