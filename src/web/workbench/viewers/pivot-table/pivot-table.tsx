import type { ReactNode } from "react";
import { useTable } from "../../data/use-table.ts";
import { Figure } from "../drawing/figure.tsx";
import { rowsOf } from "../drawing/rows.ts";
import { countWords, rowsWords } from "../drawing/words.ts";
import { flagOf } from "../look.ts";
import { LookColumns } from "../parts/column-picker.tsx";
import { Notice, WORKING } from "../parts/notice.tsx";
import { useModel } from "../parts/use-model.ts";
import type { ViewerProps } from "../viewer.ts";
import { Cells } from "./cells.tsx";
import { MeasurePicker } from "./measure-picker.tsx";
import { pivotSteps } from "./model.ts";

export function PivotTable(props: ViewerProps): ReactNode {
  const { table, look } = props;
  const key = useTable(table, "columns", "filter");
  const model =
    useModel(table.rowCount, () => pivotSteps(table, look, rowsOf(table, look, props.id)), [table, look, key]) ??
    WORKING;
  const bar = flagOf(look, "showCommandBar") && typeof model !== "string";
  return (
    <Figure
      viewer={props}
      sentence={
        typeof model === "string"
          ? model
          : `Pivot table of ${rowsWords(table.filtered.count)}: ${countWords(model.rows.length, "row")} by ${countWords(model.columns.length, "column")}.`
      }
      top={
        flagOf(look, "showHeader") ? (
          <>
            <LookColumns label="Rows" viewer={props} name="groupByColumnNames" />
            <LookColumns label="Columns" viewer={props} name="pivotColumnNames" />
            <MeasurePicker viewer={props} />
          </>
        ) : undefined
      }
      bottom={
        bar ? (
          <span className="truncate text-xs text-soft">
            {model.cut ??
              `${countWords(model.rows.length, "group")} of ${rowsWords(table.filtered.count)}. A click on a group ${flagOf(look, "filteringEnabled") ? "filters by" : "selects"} its rows.`}
          </span>
        ) : undefined
      }
    >
      {(area) =>
        typeof model === "string" ? <Notice>{model}</Notice> : <Cells {...props} area={area} model={model} />
      }
    </Figure>
  );
}
