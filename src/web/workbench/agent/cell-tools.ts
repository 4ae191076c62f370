import type { PageTool } from "../../../client/index.ts";
import { WORKBENCH_LIMITS } from "../limits.ts";
import type { CellEdit } from "../model/workbench.ts";
import { count } from "../model/words.ts";
import { columnNamed } from "../viewers/look.ts";
import { current, schema, string, type ActionArguments, type ActionOptions } from "./tool-parts.ts";

/** Other values in some cells; an action of the agent that can be undone. */
export function editCells({ workbench }: ActionOptions): PageTool {
  return {
    name: "edit_cells",
    description: `Changes the values of up to ${WORKBENCH_LIMITS.editedCells.toLocaleString("en-US")} cells. Rows are numbered from 1, as the grid shows them, whatever the sort. A value that does not fit its column's type is refused, and nothing is changed. Columns from formulas follow. To change many rows by a rule, make a column with create_column instead.`,
    tier: "page",
    schema: schema(
      {
        edits: {
          type: "array",
          maxItems: WORKBENCH_LIMITS.editedCells,
          items: schema(
            {
              row: { type: "integer", minimum: 1 },
              column: string("Its name"),
              value: { type: ["string", "number", "boolean", "null"], description: "null: missing" },
            },
            ["row", "column", "value"],
          ),
        },
      },
      ["edits"],
    ),
    handler: (args) => {
      const { id, table } = current(workbench);
      const edits = editsOf(args).map(({ row, column, text }) => ({
        row,
        column: columnNamed(table, column).name,
        text,
      }));
      workbench.editCells(id, edits, "agent");
      return `${count(edits.length, "cell")} of ${table.name} ${edits.length === 1 ? "has its" : "have their"} new value.`;
    },
  };
}

function editsOf({ edits }: ActionArguments): readonly CellEdit[] {
  if (!Array.isArray(edits) || edits.length === 0) throw new Error("edits must be a list of at least one edit");
  return edits.map((edit: unknown) => {
    const { row, column, value } = (edit ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof row !== "number" || !Number.isInteger(row) || row < 1)
      throw new Error("row must be the number of a row, from 1");
    if (typeof column !== "string") throw new Error("column must be the name of a column");
    return { row: row - 1, column, text: cellText(value) };
  });
}

function cellText(value: unknown): string {
  if (value === null) return "";
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value);
  throw new Error("value must be a text, a number, true, false or null");
}
