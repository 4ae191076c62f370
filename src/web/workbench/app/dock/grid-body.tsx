import { useSyncExternalStore, type ReactNode } from "react";
import type { View } from "../../model/workbench.ts";
import { Grid } from "../../grid/grid.tsx";
import { useBench } from "../context.tsx";
import { ask } from "../surface.ts";

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
  const version = useSyncExternalStore(gridLooks.subscribe, () => gridLooks.get(id)?.version ?? 0);
  return (
    <div style={{ width, height }}>
      <Grid
        key={version}
        table={table}
        look={gridLooks.get(id)?.look}
        onLook={(look) => gridLooks.put(id, look)}
        onChangeColumn={(name) => ask({ kind: "change-column", name })}
        onFilter={(key, filter) => workbench.setFilter(id, key, filter, "person")}
        onSelect={(rows) => workbench.select(id, rows, "person")}
      />
    </div>
  );
}
