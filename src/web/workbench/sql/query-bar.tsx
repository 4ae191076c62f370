import { History, PanelLeft, Play, Square } from "lucide-react";
import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import { useSyncExternalStore, type ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { MENU, MENU_ITEM, MENU_LINE } from "../../ui/menu.ts";
import { titleOf, type QueryHistory } from "./history.ts";
import { SQL_LIMITS } from "./limits.ts";
import type { QueryTab, QueryTabs } from "./query-tabs.ts";
import { PAGE_SOURCE, type SqlSource } from "./sources.ts";
import type { QueryState } from "./use-query.ts";
import type { useSources } from "./use-sources.ts";

interface QueryBarProps {
  readonly tabs: QueryTabs;
  readonly tab: QueryTab;
  readonly history: QueryHistory;
  readonly sources: ReturnType<typeof useSources>;
  readonly state: QueryState;
  /** The query that runs, this one or another. */
  readonly running: QueryTab | undefined;
  readonly canRun: boolean;
  readonly run: () => void;
  readonly stop: () => void;
  /** Whether the tables are listed, on a phone. */
  readonly isListed: boolean;
  readonly list: (isListed: boolean) => void;
  readonly choose: (source: string) => void;
  readonly setText: (text: string) => void;
}

/** What is asked, and the buttons of a query. */
export function QueryBar(props: QueryBarProps): ReactNode {
  const { tabs, tab, history, sources, state, running, canRun, run, stop, isListed, list, choose, setText } = props;
  const found = sources.list.some(({ id }) => id === tab.source);
  return (
    <div className="flex flex-wrap items-center gap-2 p-2 py-1.5">
      <Button
        size="icon"
        variant="quiet"
        className="md:hidden"
        aria-label="Tables"
        aria-expanded={isListed}
        onClick={() => list(!isListed)}
      >
        <PanelLeft aria-hidden className="size-4" />
      </Button>
      <SourceSelect sources={sources.list} chosen={tab.source} choose={choose} />
      {state.kind === "running" ? (
        <Button size="small" variant="danger" onClick={stop}>
          <Square aria-hidden className="size-3.5" /> Stop
        </Button>
      ) : (
        <Button
          size="small"
          variant="primary"
          disabled={!canRun}
          title={running === undefined ? "Ctrl+Enter" : `${running.name} is running: one query runs at a time.`}
          onClick={run}
        >
          <Play aria-hidden className="size-3.5" /> Run
        </Button>
      )}
      <HistoryMenu history={history} source={found ? tab.source : PAGE_SOURCE} choose={setText} />
      <PanelTrouble sources={sources} tab={tab} tabs={tabs} isFound={found} />
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
  readonly source: string;
  readonly choose: (sql: string) => void;
}): ReactNode {
  const { history, source, choose } = props;
  const past = useSyncExternalStore(history.subscribe, () => history.of(source));
  return (
    <DropdownMenu.Root modal={false}>
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
          <DropdownMenu.Item className={MENU_ITEM} onSelect={() => history.clear(source)}>
            Forget these
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
