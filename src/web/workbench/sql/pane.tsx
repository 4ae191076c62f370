import { History, PanelLeft, Play, Square } from "lucide-react";
import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import { useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { MENU, MENU_ITEM, MENU_LINE } from "../../ui/menu.ts";
import type { Workbench } from "../model/workbench.ts";
import { SchemaBrowser } from "./browser.tsx";
import { SqlEditor, type EditorHandle } from "./editor.tsx";
import { titleOf, type QueryHistory } from "./history.ts";
import type { PageSql } from "./page-sql.ts";
import { SqlResult } from "./result.tsx";
import { PAGE_SOURCE, type ListedTable, type SqlClient, type SqlSource } from "./sources.ts";
import { useQuery, type KeptAnswers } from "./use-query.ts";
import { useSources, useTables } from "./use-sources.ts";

interface SqlPaneProps {
  readonly workbench: Pick<Workbench, "views" | "addTable" | "subscribe">;
  readonly sql: PageSql;
  readonly history: QueryHistory;
  /** Absent: there is no server to ask. */
  readonly client: SqlClient | undefined;
  /** Absent: answers are gone when the page is loaded again. */
  readonly kept?: KeptAnswers | undefined;
}

/** Queries over the open tables and over the server's connections. Fills its parent, which must have a height. */
export function SqlPane({ workbench, sql, history, client, kept }: SqlPaneProps): ReactNode {
  const sources = useSources(client);
  const [sourceId, setSourceId] = useState<string>(PAGE_SOURCE);
  const source = sources.list.find(({ id }) => id === sourceId) ?? sources.list[0];
  const tables = useTables({ workbench, sql, client, source });
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>({});
  const [isListed, setIsListed] = useState(false);
  const { state, run, stop, forget } = useQuery({ page: sql, client, history, kept });
  const editor = useRef<EditorHandle>(null);
  const first = tables.listed?.tables[0];
  const text = drafts[source.id] ?? (first === undefined ? "" : `SELECT *\nFROM ${first.written}\nLIMIT 100`);
  const setText = (next: string): void => setDrafts((before) => ({ ...before, [source.id]: next }));
  const isRunning = state.kind === "running";
  const runIt = (): void => run(source, text);
  const place = state.kind === "failed" && state.sql === text ? state.place : undefined;
  const insert = (name: string): void => editor.current?.write(name);
  return (
    <section aria-label="SQL" className="flex h-full min-h-0 flex-col bg-paper">
      <div className="flex flex-wrap items-center gap-2 py-1.5 pr-10 pl-2">
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
          chosen={source}
          choose={(id) => {
            setSourceId(id);
            forget();
          }}
        />
        {isRunning ? (
          <Button size="small" variant="danger" onClick={stop}>
            <Square aria-hidden className="size-3.5" /> Stop
          </Button>
        ) : (
          <Button size="small" variant="primary" disabled={text.trim() === ""} title="Ctrl+Enter" onClick={runIt}>
            <Play aria-hidden className="size-3.5" /> Run
          </Button>
        )}
        <HistoryMenu history={history} source={source} choose={setText} />
        {sources.trouble !== undefined && (
          <span role="alert" className="text-sm text-bad">
            {sources.trouble}
          </span>
        )}
      </div>
      <div className="flex min-h-0 flex-1 max-md:flex-col">
        <aside
          aria-label="Tables"
          className={`${isListed ? "flex max-h-48" : "hidden"} min-h-0 flex-col overflow-hidden px-2 pb-2 md:flex md:max-h-none md:w-60 md:shrink-0`}
        >
          <SchemaBrowser key={source.id} {...tables} empty={emptyWords(source)} insert={insert} />
        </aside>
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <div className="flex h-[38%] min-h-24 shrink-0 px-2 pb-2">
            <SqlEditor
              key={source.id}
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
    </section>
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
  readonly chosen: SqlSource;
  readonly choose: (id: string) => void;
}): ReactNode {
  return (
    <Select
      aria-label="What is asked"
      className="h-8! w-auto! max-w-36 py-0 md:max-w-56"
      value={props.chosen.id}
      onChange={(event) => props.choose(event.target.value)}
    >
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
