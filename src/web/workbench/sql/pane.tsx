import { History, PanelLeft, Play, Square } from "lucide-react";
import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import {
  useId,
  useRef,
  useState,
  useSyncExternalStore,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from "react";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { MENU, MENU_ITEM, MENU_LINE } from "../../ui/menu.ts";
import type { Workbench } from "../model/workbench.ts";
import { SchemaBrowser } from "./browser.tsx";
import { SqlEditor, type EditorHandle } from "./editor.tsx";
import { titleOf, type QueryHistory } from "./history.ts";
import { SQL_LIMITS } from "./limits.ts";
import type { PageSql } from "./page-sql.ts";
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
    // Another query must not ask what this one was not written for.
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
      <div className="flex flex-wrap items-center gap-2 p-2 py-1.5">
        <Button
          size="icon"
          variant="quiet"
          className="md:hidden"
          aria-label="Tables"
          aria-expanded={isListed}
          onClick={() => setIsListed(!isListed)}
        >
          <PanelLeft aria-hidden className="size-4" />
        </Button>
        <SourceSelect
          sources={sources.list}
          chosen={tab.source}
          choose={(id) => {
            tabs.ask(tab.id, id);
            if (state.kind !== "running") forget(tab.id);
          }}
        />
        {state.kind === "running" ? (
          <Button size="small" variant="danger" onClick={stop}>
            <Square aria-hidden className="size-3.5" /> Stop
          </Button>
        ) : (
          <Button
            size="small"
            variant="primary"
            disabled={text.trim() === "" || found === undefined || running !== undefined}
            title={running === undefined ? "Ctrl+Enter" : `${running.name} is running: one query runs at a time.`}
            onClick={runIt}
          >
            <Play aria-hidden className="size-3.5" /> Run
          </Button>
        )}
        <HistoryMenu history={history} source={source} choose={setText} />
        <PanelTrouble sources={sources} tab={tab} tabs={tabs} isFound={found !== undefined} />
      </div>
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

/** Why a query cannot be run, or not be stored. */
function PanelTrouble(props: {
  readonly sources: ReturnType<typeof useSources>;
  readonly tab: QueryTab;
  readonly tabs: QueryTabs;
  readonly isFound: boolean;
}): ReactNode {
  const { sources, tab, tabs, isFound } = props;
  const words = [
    sources.trouble,
    isFound || sources.isLoading || sources.trouble !== undefined
      ? undefined
      : `The connection ${tab.source} is not there for you: choose what is asked.`,
    tabs.isTooLong(tab.id)
      ? `More than ${SQL_LIMITS.tabChars.toLocaleString("en")} characters: the text is not kept when the page is loaded again.`
      : undefined,
  ].filter((each) => each !== undefined);
  if (words.length === 0) return undefined;
  return (
    <span role="alert" className="text-sm text-bad">
      {words.join(" ")}
    </span>
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

const KINDS = { page: "", postgres: " (PostgreSQL)", sqlite: " (SQLite)" } as const;

function SourceSelect(props: {
  readonly sources: readonly SqlSource[];
  /** Its id; it may be gone. */
  readonly chosen: string;
  readonly choose: (id: string) => void;
}): ReactNode {
  return (
    <Select
      aria-label="What is asked"
      className="h-8! w-auto! max-w-36 py-0 md:max-w-56"
      value={props.chosen}
      onChange={(event) => props.choose(event.target.value)}
    >
      {props.sources.every(({ id }) => id !== props.chosen) && <option value={props.chosen}>{props.chosen}</option>}
      {props.sources.map(({ id, name, kind }) => (
        <option key={id} value={id}>
          {name}
          {KINDS[kind]}
        </option>
      ))}
    </Select>
  );
}

function HistoryMenu(props: {
  readonly history: QueryHistory;
  readonly source: SqlSource;
  readonly choose: (sql: string) => void;
}): ReactNode {
  const { history, source, choose } = props;
  const past = useSyncExternalStore(history.subscribe, () => history.of(source.id));
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <Button size="small" variant="quiet" disabled={past.length === 0}>
          <History aria-hidden className="size-4" /> Earlier
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className={`${MENU} max-h-80 max-w-[min(36rem,95vw)] overflow-y-auto`}
        >
          {past.map(({ sql, rows }) => (
            <DropdownMenu.Item key={sql} className={MENU_ITEM} title={sql} onSelect={() => choose(sql)}>
              <code className="min-w-0 flex-1 truncate text-[13px]">{titleOf(sql)}</code>
              <span className={`text-xs ${rows === undefined ? "text-bad" : "text-faint"}`}>
                {rows === undefined ? "failed" : `${rows.toLocaleString("en")} ${rows === 1 ? "row" : "rows"}`}
              </span>
            </DropdownMenu.Item>
          ))}
          <DropdownMenu.Separator className={MENU_LINE} />
          <DropdownMenu.Item className={MENU_ITEM} onSelect={() => history.clear(source.id)}>
            Forget these
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
