import { LayoutStore } from "../desk/layout-store.ts";
import { openWorkbench, type OpenWorkbench } from "../desk/open.ts";
import { Opening } from "./opening.ts";

/** What the page has one of. */
export interface Bench {
  readonly workbench: OpenWorkbench;
  readonly layouts: LayoutStore;
  readonly opening: Opening;
}

export function openBench(): Bench {
  const workbench = openWorkbench();
  const layouts = new LayoutStore({ storage: globalThis.localStorage, now: Date.now });
  return { workbench, layouts, opening: new Opening({ workbench, layouts }) };
}
