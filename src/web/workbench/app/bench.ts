import { LayoutStore } from "../desk/layout-store.ts";
import { openWorkbench, type OpenWorkbench } from "../desk/open.ts";
import { QueryHistory } from "../sql/history.ts";
import { PageSql } from "../sql/page-sql.ts";
import { GridLooks } from "./grid-looks.ts";
import { Opening } from "./opening.ts";

/** What the page has one of. */
export interface Bench {
  readonly workbench: OpenWorkbench;
  readonly layouts: LayoutStore;
  readonly gridLooks: GridLooks;
  readonly opening: Opening;
  readonly sql: PageSql;
  readonly queries: QueryHistory;
}

export function openBench(): Bench {
  const workbench = openWorkbench();
  const storage = globalThis.localStorage;
  const layouts = new LayoutStore({ storage, now: Date.now });
  const gridLooks = new GridLooks();
  const opening = new Opening({ workbench, layouts, gridLooks });
  globalThis.addEventListener("pagehide", () => opening.saveNow());
  return {
    workbench,
    layouts,
    gridLooks,
    opening,
    sql: new PageSql(workbench),
    queries: new QueryHistory(storage),
  };
}
