import type { FilterSpec } from "../data/filter.ts";
import { viewPath } from "./acts.ts";
import { normalise } from "./dock.ts";
import type { Act } from "./history.ts";
import { renamed, type SavedLayout } from "./layout.ts";
import type { DeskState } from "./state.ts";
import type { Doer, OpenViewer } from "./workbench.ts";

/** All viewers and filters of a view at once. Throws, before anything has changed, where a filter does not fit the table. */
export function layoutAct(
  state: DeskState,
  viewId: string,
  options: {
    readonly layout: SavedLayout;
    readonly viewers: readonly { readonly saved: string; readonly viewer: OpenViewer }[];
    readonly by: Doer;
  },
): Act {
  const { layout, by } = options;
  const path = viewPath(viewId);
  const ids = new Map(options.viewers.map(({ saved, viewer }) => [saved, viewer.id]));
  const viewers = options.viewers.map(({ viewer }) => viewer);
  const dock = normalise(renamed(layout.dock, ids));
  const filters = new Map<string, FilterSpec>(layout.filters);
  return {
    by,
    words: `Applied a layout of ${layout.table}`,
    viewId,
    writes: [`${path}/viewer`, `${path}/filter`],
    makes: viewers.map(({ id }) => `${path}/viewer/${id}`),
    reads: [`${path}/column`],
    run: () => {
      const before = state.view(viewId);
      const { table } = before;
      const filtersBefore = table.filters;
      table.setFilters(filters);
      state.put({ ...before, viewers, dock });
      return () => {
        table.setFilters(filtersBefore);
        state.put({ ...state.view(viewId), viewers: before.viewers, dock: before.dock });
      };
    },
  };
}
