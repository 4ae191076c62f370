import type { PageTool } from "../../../client/index.ts";
import { toCsv } from "../data/csv.ts";
import { compileFormula } from "../data/formula.ts";
import { columnOf, newTable } from "../data/make.ts";
import type { View } from "../model/workbench.ts";
import { columnNamed } from "../viewers/look.ts";
import { ScriptError, type MadeColumn, type ScriptDone } from "./script/answer.ts";
import { runScript } from "./script/run.ts";
import { tableTools } from "./table-tools.ts";
import { csvHead, current, schema, string, text, type ActionOptions } from "./tool-parts.ts";

/** The agent's filter on a table. */
const FILTER_KEY = "agent";

/** What the workbench offers beside document 000's tools. */
export function actionTools(options: ActionOptions): readonly PageTool[] {
  return [
    createColumn(options),
    applyFilter(options),
    sortRows(options),
    closeViewer(options),
    ...tableTools(options),
    runScriptTool(options),
    exportCsv(options),
    undo(options),
  ];
}

function createColumn({ workbench }: ActionOptions): PageTool {
  return {
    name: "create_column",
    description:
      "Adds a column to the table, made from a formula such as ${WEIGHT} / (${HEIGHT} / 100) ^ 2. A column of the same name that was made from a formula is replaced.",
    tier: "page",
    schema: schema({ name: string("The name of the new column"), formula: string("An expression over columns") }, [
      "name",
      "formula",
    ]),
    handler: (args) => {
      const view = current(workbench);
      const name = text(args, "name");
      const there = view.table.columns.find((column) => column.name === name);
      if (there !== undefined && there.formula === undefined)
        throw new Error(`the table has a column ${name} of its own; choose another name`);
      const column = compileFormula(text(args, "formula"), view.table).column(name);
      workbench.putColumn(view.id, column, "agent");
      return `Added column ${name} (${column.type}) to ${view.table.name}`;
    },
  };
}

function applyFilter({ workbench }: ActionOptions): PageTool {
  return {
    name: "apply_filter",
    description:
      'Shows only the rows for which an expression is true, such as ${AGE} > 40 and ${SEX} = "F". Replaces the filter that this tool set before; an empty expression takes it away. Filters of the person stay.',
    tier: "page",
    schema: schema({ expression: string("A condition over columns; empty: no filter") }, ["expression"]),
    handler: (args) => {
      const view = current(workbench);
      const { expression } = args;
      if (typeof expression !== "string") throw new Error("expression must be a text");
      const filter = expression.trim() === "" ? undefined : ({ kind: "formula", expression } as const);
      workbench.setFilter(view.id, FILTER_KEY, filter, "agent");
      const { table } = view;
      const others = [...table.filters.keys()].filter((key) => key !== FILTER_KEY).length;
      const also = others === 0 ? "" : ` ${others} more ${others === 1 ? "filter is" : "filters are"} set in the page.`;
      return `${table.filtered.count} of ${table.rowCount} rows are shown.${also}`;
    },
  };
}

function sortRows({ workbench, sort }: ActionOptions): PageTool {
  return {
    name: "sort_rows",
    description: "Puts the rows of the grid in the order of one or more columns. No columns: the order of the table.",
    tier: "page",
    schema: schema(
      {
        columns: { type: "array", items: { type: "string" }, maxItems: MOST_KEYS, description: "The first decides" },
        descending: { type: "boolean", description: "Absent: ascending" },
      },
      ["columns"],
    ),
    handler: (args) => {
      const view = current(workbench);
      const { columns, descending = false } = args;
      if (!Array.isArray(columns) || columns.length > MOST_KEYS || !columns.every((name) => typeof name === "string"))
        throw new Error(`columns must be a list of at most ${MOST_KEYS} names`);
      if (typeof descending !== "boolean") throw new Error("descending must be true or false");
      const keys = columns.map((name) => ({ column: columnNamed(view.table, name).name, descending }));
      sort(view.id, keys);
      const order = keys.map(({ column }) => column).join(", then by ");
      return keys.length === 0
        ? "The rows are in the order of the table."
        : `The rows are sorted by ${order}, ${descending ? "descending" : "ascending"}.`;
    },
  };
}

/** Sort keys of one call. */
const MOST_KEYS = 5;

function closeViewer({ workbench }: ActionOptions): PageTool {
  return {
    name: "close_viewer",
    description: "Closes a viewer. list_current_viewers tells the ids.",
    tier: "page",
    schema: schema({ viewerId: string("The id of the viewer") }, ["viewerId"]),
    handler: (args) => {
      const view = current(workbench);
      const id = text(args, "viewerId");
      const viewer = view.viewers.find((one) => one.id === id);
      if (viewer === undefined) throw new Error(`there is no viewer ${id}; list_current_viewers shows which there are`);
      workbench.removeViewer(view.id, id, "agent");
      return `Closed ${viewer.title}`;
    },
  };
}

function exportCsv({ workbench, download }: ActionOptions): PageTool {
  return {
    name: "export_csv",
    description:
      "Gives the person the table as a CSV file: all rows, those that are shown, or those that are selected.",
    tier: "page",
    schema: schema(
      { rows: { type: "string", enum: ["all", "filtered", "selected"], description: "Absent: filtered" } },
      [],
    ),
    handler: (args) => {
      const { table } = current(workbench);
      const which = args["rows"] ?? "filtered";
      const rows = which === "all" ? undefined : which === "selected" ? table.selected : table.filtered;
      const count = rows?.count ?? table.rowCount;
      if (count === 0) throw new Error(which === "selected" ? "no rows are selected" : "no rows are shown");
      // An agent may have made the texts, also those that a spreadsheet would run.
      const csv = toCsv(table, { rows, safeForSpreadsheets: true });
      download(`${table.name}.csv`, csv);
      return `Exported ${count} rows to ${table.name}.csv. It begins with:\n\n${csvHead(csv)}`;
    },
  };
}

function undo({ workbench }: ActionOptions): PageTool {
  return {
    name: "undo",
    description: "Takes back what you did in the page: the last action, or all of them. What the person did stays.",
    tier: "page",
    schema: schema({ all: { type: "boolean", description: "Absent: only the last one" } }, []),
    handler: (args) => {
      const mine = workbench.actions.filter(({ by, undone }) => by === "agent" && !undone);
      const last = mine.at(-1);
      if (last === undefined) return "There is nothing to take back.";
      if (args["all"] === true) {
        const count = workbench.undoAgent();
        return `Took back ${count} ${count === 1 ? "action" : "actions"}.`;
      }
      workbench.undo(last.id);
      return `Took back: ${last.words}`;
    },
  };
}

function runScriptTool({ workbench, addTable }: ActionOptions): PageTool {
  return {
    name: "run_script",
    description:
      "Runs JavaScript over the current table, in a sandbox without network. In it: table.name, table.rowCount, table.columnNames, table.get(name) (values of a column, null where missing), table.type(name), table.filtered and table.selected (row numbers), print(...), output.addColumn(name, values), output.addTable(name, { column: values }). `await` and `return` may be used; what is returned comes back as JSON. At most 10 seconds.",
    tier: "page",
    schema: schema({ script: string("The body of an async function") }, ["script"]),
    handler: async (args, { signal }) => {
      const view = workbench.current;
      try {
        const done = await runScript(text(args, "script"), view?.table, signal);
        const made = take({ workbench, addTable }, view, done);
        return words(done, made);
      } catch (error) {
        if (!(error instanceof ScriptError) || error.lines.length === 0) throw error;
        throw new Error(`${error.message}\n\nIt had printed:\n${error.lines.join("\n")}`, { cause: error });
      }
    },
  };
}

/** Everything is checked and made before anything is put into the page. */
function take(
  { workbench, addTable }: Pick<ActionOptions, "workbench" | "addTable">,
  view: View | undefined,
  done: ScriptDone,
): readonly string[] {
  const columns = done.columns.map((column) => {
    if (view === undefined) throw new Error("there is no table to add a column to; use output.addTable");
    if (column.values.length !== view.table.rowCount)
      throw new Error(
        `column ${column.name} has ${column.values.length} values, but ${view.table.name} has ${view.table.rowCount} rows`,
      );
    return { view, column: made(column) };
  });
  const tables = done.tables.map((table) => newTable(table.name, table.columns.map(made)));
  for (const { view, column } of columns) workbench.putColumn(view.id, column, "agent");
  for (const table of tables) addTable(table);
  return [
    ...columns.map(({ column }) => `Added column ${column.name} (${column.type}).`),
    ...tables.map((table) => `Opened table ${table.name} (${table.rowCount} rows).`),
  ];
}

function made({ name, values }: MadeColumn): ReturnType<typeof columnOf> {
  return columnOf(name, values);
}

function words(done: ScriptDone, made: readonly string[]): string {
  const printed = done.lines.length === 0 ? [] : [`Printed:\n${done.lines.join("\n")}${done.cut ? "\n… (cut)" : ""}`];
  const returned = done.result === undefined ? [] : [`Returned: ${done.result}${done.resultCut ? "… (cut)" : ""}`];
  const all = [...printed, ...returned, ...made];
  return all.length === 0 ? "The script ended. It printed and returned nothing." : all.join("\n\n");
}
