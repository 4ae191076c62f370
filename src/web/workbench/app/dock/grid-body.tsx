import type { ReactNode } from "react";
import type { View } from "../../desk/workbench.ts";
import { Grid } from "../../grid/grid.tsx";
import { useBench } from "../context.tsx";

/** The table's rows. What is filtered and selected there is a person's deed. */
export function GridBody({
  view,
  width,
  height,
}: {
  readonly view: View;
  readonly width: number;
  readonly height: number;
}): ReactNode {
  const { workbench } = useBench();
  const { id, table } = view;
  return (
    <div style={{ width, height }}>
      <Grid
        table={table}
        onFilter={(key, filter) => workbench.setFilter(id, key, filter, "person")}
        onSelect={(rows) => workbench.select(id, rows, "person")}
      />
    </div>
  );
}
