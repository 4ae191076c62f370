import { LayoutStore } from "../model/layout-store.ts";
import { openWorkbench, type OpenWorkbench } from "../model/open.ts";
import { QueryHistory } from "../sql/history.ts";
import { PageSql } from "../sql/page-sql.ts";
import { QueryTabs } from "../sql/query-tabs.ts";
import { GridLooks } from "./grid-looks.ts";
import { TableOpener } from "./opening.ts";
import { SessionKeeper } from "./session-keeper.ts";
import { openSessionStore } from "./session-store.ts";
import { tabId } from "./tab-id.ts";

/** What exists once for each page. */
export interface Bench {
  readonly workbench: OpenWorkbench;
  readonly layouts: LayoutStore;
  readonly gridLooks: GridLooks;
  readonly opening: TableOpener;
  readonly keeper: SessionKeeper;
  readonly sql: PageSql;
  readonly queries: QueryHistory;
  readonly queryTabs: QueryTabs;
  /** Resolves when what was open before is open again. */
  readonly started: Promise<void>;
}

export function openBench(): Bench {
  const workbench = openWorkbench();
  const storage = globalThis.localStorage;
  const layouts = new LayoutStore({ storage, now: Date.now });
  const gridLooks = new GridLooks((act, unregister) => workbench.record(act, unregister));
  const opening = new TableOpener({ workbench, layouts, gridLooks });
  const keeper = new SessionKeeper({
    workbench,
    opening,
    gridLooks,
    store: openSessionStore(globalThis.indexedDB),
    tab: tabId(globalThis.sessionStorage, navigator.locks),
    now: Date.now,
  });
  const queryTabs = new QueryTabs(storage, () => crypto.randomUUID());
  globalThis.addEventListener("storage", ({ key }) => queryTabs.storageChanged(key));
  gridLooks.subscribe(() => keeper.changed());
  const started = keeper.start();
  void started.then(() => openLinked(opening));
  globalThis.addEventListener("hashchange", () => openLinked(opening));
  globalThis.addEventListener("pagehide", () => {
    opening.saveNow();
    keeper.saveNow();
  });
  // Only if something would be lost: everything else is back after a reload.
  globalThis.addEventListener("beforeunload", (event) => {
    if (!keeper.isSafe) event.preventDefault();
  });
  return {
    workbench,
    layouts,
    gridLooks,
    opening,
    keeper,
    sql: new PageSql(workbench),
    queries: new QueryHistory(storage),
    queryTabs,
    started,
  };
}

/** Opens what the address of the page names, once: after a reload the table is there anyway. */
function openLinked(opening: TableOpener): void {
  const { hash } = globalThis.location;
  if (!hash.startsWith("#table=")) return;
  const address = new URL(globalThis.location.href);
  address.hash = "";
  globalThis.history.replaceState(globalThis.history.state, "", address);
  void opening.link(hash);
}
