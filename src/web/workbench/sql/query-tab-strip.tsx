import { Ellipsis, LoaderCircle, Plus, X } from "lucide-react";
import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import { useEffect, useRef, useState, useSyncExternalStore, type KeyboardEvent, type ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { MENU, MENU_ITEM, MENU_LINE, useMenuQuestion } from "../../ui/menu.ts";
import { titleOf } from "./history.ts";
import { SQL_LIMITS } from "./limits.ts";
import type { QueryTab, QueryTabs } from "./query-tabs.ts";

interface QueryTabStripProps {
  readonly tabs: QueryTabs;
  /** Of the part of the page that shows the query. */
  readonly panelId: string;
  readonly running: string | undefined;
  readonly close: (id: string) => void;
  /** The new one is there. */
  readonly onAdd: () => void;
}

export function queryTabId(panelId: string, id: string): string {
  return `${panelId}-tab-${id}`;
}

/** The queries of this browser. Arrows change between them, F2 renames, Delete closes. */
export function QueryTabStrip(props: QueryTabStripProps): ReactNode {
  const { tabs, panelId, running, close, onAdd } = props;
  const { tabs: list, active, closed } = useSyncExternalStore(tabs.subscribe, tabs.state);
  const question = useMenuQuestion<"rename">();
  const [renaming, setRenaming] = useState<string>();
  const renamed = list.find(({ id }) => id === (question.asked === undefined ? renaming : active));
  const strip = useRef<HTMLDivElement>(null);
  const focusActive = useFocusOfTab(strip, { active, count: list.length });
  const isFull = list.length >= SQL_LIMITS.tabs;
  const endRenaming = (): void => {
    setRenaming(undefined);
    question.end();
  };
  return (
    <div className="shrink-0 border-b bg-panel">
      <div className="flex h-9 items-center gap-1 pr-10 pl-2">
        {renamed === undefined ? (
          <div
            ref={strip}
            role="tablist"
            aria-label="Queries"
            onKeyDown={(event) => onTabKey(event, { tabs, active, close, rename: setRenaming, focusActive })}
            onWheel={(event) => {
              if (event.deltaX === 0) event.currentTarget.scrollLeft += event.deltaY;
            }}
            className="flex min-w-0 items-end gap-0.5 self-end overflow-x-auto [scrollbar-width:none]"
          >
            {list.map((tab) => (
              <Tab
                key={tab.id}
                tab={tab}
                panelId={panelId}
                isActive={tab.id === active}
                isRunning={tab.id === running}
                show={() => tabs.show(tab.id)}
                close={() => close(tab.id)}
                rename={() => setRenaming(tab.id)}
              />
            ))}
          </div>
        ) : (
          <RenameForm
            tab={renamed}
            take={(name) => tabs.rename(renamed.id, name)}
            end={(isByKey) => {
              endRenaming();
              // Whoever pressed elsewhere has the focus there.
              if (isByKey) focusActive();
            }}
          />
        )}
        <Button
          size="icon"
          variant="quiet"
          className="size-7! shrink-0"
          aria-label="New query"
          title={isFull ? `There are ${SQL_LIMITS.tabs} queries: close one first.` : "New query"}
          aria-disabled={isFull}
          onClick={() => tabs.add() && onAdd()}
        >
          <Plus aria-hidden className="size-4" />
        </Button>
        <QueryMenu {...{ list, active, tabs, close, question }} />
      </div>
      <p
        role="status"
        className={closed === undefined ? "sr-only" : "flex items-center gap-2 px-2 pb-1 text-sm text-soft"}
      >
        {closed !== undefined && (
          <>
            <span className="min-w-0 truncate">Closed {closed.tab.name}.</span>
            <Button size="small" variant="quiet" className="h-7! text-accent!" onClick={() => tabs.reopen()}>
              Undo
            </Button>
            <Button size="icon" variant="quiet" className="size-7!" aria-label="Dismiss" onClick={() => tabs.dismiss()}>
              <X aria-hidden className="size-3.5" />
            </Button>
          </>
        )}
      </p>
    </div>
  );
}

/** Keeps the active tab in sight; the answer moves the focus to it, once it is there. */
function useFocusOfTab(
  strip: { readonly current: HTMLDivElement | null },
  { active, count }: { readonly active: string; readonly count: number },
): () => void {
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    activeTab(strip.current)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [strip, active, count]);
  useEffect(() => {
    if (asked > 0) activeTab(strip.current)?.focus();
  }, [strip, asked]);
  return () => setAsked((times) => times + 1);
}

function activeTab(strip: HTMLElement | null): HTMLElement | null {
  return strip?.querySelector('[aria-selected="true"]') ?? null;
}

function onTabKey(
  event: KeyboardEvent,
  at: {
    readonly tabs: QueryTabs;
    readonly active: string;
    readonly close: (id: string) => void;
    readonly rename: (id: string) => void;
    readonly focusActive: () => void;
  },
): void {
  const { tabs, active, close, rename, focusActive } = at;
  const list = tabs.state().tabs;
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => tabs.step(-1),
    ArrowRight: () => tabs.step(1),
    Home: () => tabs.show(list[0]?.id ?? active),
    End: () => tabs.show(list.at(-1)?.id ?? active),
    Delete: () => close(active),
  };
  const work = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
  if (event.altKey || event.ctrlKey || event.metaKey || (work === undefined && event.key !== "F2")) return;
  event.preventDefault();
  if (work === undefined) return rename(active);
  work();
  focusActive();
}

function Tab(props: {
  readonly tab: QueryTab;
  readonly panelId: string;
  readonly isActive: boolean;
  readonly isRunning: boolean;
  readonly show: () => void;
  readonly close: () => void;
  readonly rename: () => void;
}): ReactNode {
  const { tab, panelId, isActive, isRunning, show, close, rename } = props;
  const { name, sql = "" } = tab;
  const first = titleOf(sql);
  return (
    <button
      type="button"
      role="tab"
      id={queryTabId(panelId, tab.id)}
      aria-selected={isActive}
      aria-controls={panelId}
      tabIndex={isActive ? 0 : -1}
      title={first === "" ? name : `${name}: ${first}`}
      onClick={show}
      onDoubleClick={rename}
      onAuxClick={(event) => {
        if (event.button === 1) close();
      }}
      className={classes(
        "-mb-px flex h-8 max-w-44 shrink-0 items-center gap-1.5 rounded-t-md border border-b-0 px-3 text-sm outline-offset-[-2px] max-md:max-w-32",
        isActive ? "bg-paper font-medium" : "border-transparent text-soft hover:bg-sunken",
      )}
    >
      {isRunning && <LoaderCircle aria-hidden className="size-3.5 shrink-0 animate-spin" />}
      <span className="truncate">{name}</span>
      {isRunning && <span className="sr-only">, running</span>}
    </button>
  );
}

function RenameForm(props: {
  readonly tab: QueryTab;
  readonly take: (name: string) => void;
  readonly end: (isByKey: boolean) => void;
}): ReactNode {
  const { tab, take, end } = props;
  const [name, setName] = useState(tab.name);
  return (
    <form
      className="min-w-0 flex-1"
      onSubmit={(event) => {
        event.preventDefault();
        take(name);
        end(true);
      }}
    >
      <input
        aria-label={`Name of ${tab.name}`}
        value={name}
        maxLength={SQL_LIMITS.tabNameChars}
        autoFocus
        spellCheck={false}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setName(event.target.value)}
        onBlur={() => {
          take(name);
          end(false);
        }}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          end(true);
        }}
        className="h-7 w-full max-w-60 rounded border border-line-strong/60 bg-raised px-2 text-sm"
      />
    </form>
  );
}

function QueryMenu(props: {
  readonly list: readonly QueryTab[];
  readonly active: string;
  readonly tabs: QueryTabs;
  readonly close: (id: string) => void;
  readonly question: ReturnType<typeof useMenuQuestion<"rename">>;
}): ReactNode {
  const { list, active, tabs, close, question } = props;
  const name = list.find(({ id }) => id === active)?.name ?? "";
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button
          size="icon"
          variant="quiet"
          className="size-7! shrink-0"
          aria-label="More for queries"
          title="Rename, close, all queries"
        >
          <Ellipsis aria-hidden className="size-4" />
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={question.onCloseAutoFocus}
          className={`${MENU} max-h-80 max-w-[min(24rem,95vw)] overflow-y-auto`}
        >
          <DropdownMenu.Item className={MENU_ITEM} onSelect={() => question.ask("rename")}>
            <span className="truncate">Rename {name}…</span> <kbd className="ml-auto pl-4 text-xs text-faint">F2</kbd>
          </DropdownMenu.Item>
          <DropdownMenu.Item className={MENU_ITEM} onSelect={() => close(active)}>
            <span className="truncate">Close {name}</span> <kbd className="ml-auto pl-4 text-xs text-faint">Del</kbd>
          </DropdownMenu.Item>
          <DropdownMenu.Separator className={MENU_LINE} />
          {list.map((tab) => (
            <DropdownMenu.CheckboxItem
              key={tab.id}
              className={MENU_ITEM}
              checked={tab.id === active}
              onCheckedChange={() => tabs.show(tab.id)}
            >
              <span className={classes("shrink-0 max-w-48 truncate", tab.id === active && "font-semibold")}>
                {tab.name}
              </span>
              <code className="min-w-0 truncate text-xs text-faint">{titleOf(tab.sql ?? "")}</code>
            </DropdownMenu.CheckboxItem>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
