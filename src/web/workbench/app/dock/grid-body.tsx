import { useSyncExternalStore, type ReactNode } from "react";
import type { View } from "../../model/workbench.ts";
import { Grid } from "../../grid/grid.tsx";
import { useBench } from "../context.tsx";
import { ask, useSurface } from "../surface.ts";

/** The table's rows. What is filtered and selected there is a person's action. */
export function GridBody({
  view,
  width,
  height,
}: {
  readonly view: View;
  readonly width: number;
  readonly height: number;
}): ReactNode {
  const { workbench, gridLooks } = useBench();
  const { id, table } = view;
  const findAsked = useSurface((surface) => surface.findAsked);
  const version = useSyncExternalStore(gridLooks.subscribe, () => gridLooks.get(id)?.version ?? 0);
  return (
    <div style={{ width, height }}>
      <Grid
        key={version}
        table={table}
        look={gridLooks.get(id)?.look}
        onLook={(look) => gridLooks.put(id, look)}
        onChangeColumn={(name) => ask({ kind: "change-column", name })}
        onEdit={(edit) => refusedWords(() => workbench.editCells(id, [edit], "person"))}
        findAsked={findAsked}
        onFilter={(key, filter) => workbench.setFilter(id, key, filter, "person")}
        onSelect={(rows) => workbench.select(id, rows, "person")}
      />
    </div>
  );
}

/** Does something; words where it is refused. */
function refusedWords(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
