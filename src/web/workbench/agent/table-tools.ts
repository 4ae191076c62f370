import type { PageTool } from "../../../client/index.ts";
import { z } from "zod";
import { Bits } from "../data/bits.ts";
import { columnFormat, fitsType, type ColumnFormat } from "../data/column-format.ts";
import { convertColumn } from "../data/convert.ts";
import { toCsv } from "../data/csv.ts";
import { filterRows } from "../data/filter-rows.ts";
import type { ColumnType } from "../data/column.ts";
import type { Table } from "../data/table.ts";
import { changeWords, misfitLines } from "../model/column-words.ts";
import { count } from "../model/words.ts";
import type { View, Workbench } from "../model/workbench.ts";
import { SAMPLES } from "../samples/index.ts";
import { columnNamed } from "../viewers/look.ts";
import { editCells } from "./cell-tools.ts";
import { csvHead, current, schema, string, text, type ActionArguments, type ActionOptions } from "./tool-parts.ts";
import { OPENED_ROWS } from "./database.ts";

/** Rows of an opened answer that the model reads. */
const READ_ROWS = 20;
/** A query or a file on a server can take longer than other tools. */
const OPEN_TIMEOUT_MS = 60_000;

/** The agent's tools for whole tables, rows and columns; each is an action of the agent that can be undone. */
export function tableTools(options: ActionOptions): readonly PageTool[] {
  return [
    selectRows(options),
    changeColumn(options),
    editCells(options),
    listOpenTables(options),
    switchTable(options),
    openTable(options),
    openQuery(options),
    closeTable(options),
  ];
}

function selectRows({ workbench }: ActionOptions): PageTool {
  return {
    name: "select_rows",
    description:
      'Selects the rows for which an expression is true, such as ${AGE} > 40, in all viewers. Instead of the expression, rows can be "all", "none" or "filtered" (those that are shown). Replaces the selection; nothing is hidden.',
    tier: "page",
    schema: schema(
      {
        expression: string("A condition over columns. Absent: use rows"),
        rows: { type: "string", enum: ["all", "none", "filtered"], description: "Absent: use expression" },
      },
      [],
    ),
    handler: (args) => {
      const { id, table } = current(workbench);
      const rows = wantedRows(table, args);
      workbench.select(id, rows, "agent");
      return `${count(rows.count, "row")} of ${table.rowCount.toLocaleString("en-US")} ${rows.count === 1 ? "is" : "are"} selected.`;
    },
  };
}

function wantedRows(table: Table, { expression, rows }: ActionArguments): Bits {
  if ((expression === undefined) === (rows === undefined)) throw new Error("give either an expression or rows");
  if (expression !== undefined) {
    if (typeof expression !== "string" || expression.trim() === "")
      throw new Error('expression must be a condition such as ${AGE} > 40; to select nothing, use rows: "none"');
    return filterRows(table, { kind: "formula", expression });
  }
  switch (rows) {
    case "all":
      return Bits.all(table.rowCount);
    case "none":
      return new Bits(table.rowCount);
    case "filtered":
      return table.filtered;
    default:
      throw new Error('rows must be "all", "none" or "filtered"');
  }
}

const TYPES: readonly ColumnType[] = ["string", "int", "double", "bool", "datetime", "bigint"];

function changeColumn({ workbench }: ActionOptions): PageTool {
  return {
    name: "change_column",
    description:
      "Gives a column another name, type or format. A format only changes how values are shown. Values that the new type cannot hold become missing; the answer says how many and which. Viewers, filters and formulas follow a new name.",
    tier: "page",
    schema: schema(
      {
        column: string("Its name"),
        newName: string("Absent: it stays"),
        type: { type: "string", enum: TYPES, description: "Absent: it stays" },
        format: { type: ["object", "null"], description: FORMAT_HELP },
      },
      ["column"],
    ),
    handler: (args) => {
      const { id, table } = current(workbench);
      const column = columnNamed(table, text(args, "column"));
      const name = args["newName"] === undefined ? column.name : text(args, "newName").trim();
      const type = args["type"] === undefined ? column.type : TYPES.find((one) => one === args["type"]);
      if (type === undefined) throw new Error(`type must be one of ${TYPES.join(", ")}`);
      const format = wantedFormat(args["format"], type);
      if (name === column.name && type === column.type && format === undefined)
        return `${column.name} has this name and type already.`;
      const converted = type === column.type ? undefined : convertColumn(column, type);
      const { format: standing, ...bare } = converted?.column ?? column;
      const shown = format === undefined ? standing : (format ?? undefined);
      workbench.replaceColumn(id, column.name, {
        column: { ...bare, name, ...(shown === undefined ? {} : { format: shown }) },
        words: changeWords({ from: column.name, name, type: converted === undefined ? undefined : type, format }),
        by: "agent",
      });
      return [
        `${name} is ${type} now.`,
        ...(converted === undefined ? [] : misfitLines(converted, { isDone: true })),
      ].join("\n");
    },
  };
}

const FORMAT_HELP =
  'How values are shown, such as {"kind":"number","style":"currency","groups":"comma","digits":2,"currency":"EUR"} (styles plain, percent, currency, scientific, short; groups comma, point, space, apostrophe, none) or {"kind":"date","style":"long","zone":"Europe/Berlin"} (styles full, day, minute, second, us, european, long, month, year, time). null: every digit, times in UTC. Absent: it stays';

/** Null: none. Undefined: it stays. */
function wantedFormat(value: unknown, type: ColumnType): ColumnFormat | null | undefined {
  if (value === undefined || value === null) return value;
  const read = columnFormat.safeParse(value);
  if (!read.success) throw new Error(`this format cannot be read: ${z.prettifyError(read.error)}`);
  if (!fitsType(read.data, type)) throw new Error(`a column of type ${type} has no format of kind ${read.data.kind}`);
  return read.data;
}

function listOpenTables({ workbench }: ActionOptions): PageTool {
  return {
    name: "list_open_tables",
    description: "Lists the open tables: names, rows, columns, and which one is shown. Other tools work on that one.",
    tier: "page",
    schema: schema({}, []),
    handler: () => {
      if (workbench.views.length === 0) return "No table is open. open_table opens a sample or a file of this server.";
      return workbench.views
        .map(({ id, table }) => {
          const shown = id === workbench.current?.id ? " (shown)" : "";
          return `- ${table.name}${shown}: ${count(table.rowCount, "row")}, ${count(table.columns.length, "column")}`;
        })
        .join("\n");
    },
  };
}

function viewNamed(workbench: Workbench, name: string): View {
  const { views } = workbench;
  const exact = views.filter(({ table }) => table.name === name);
  const alike = exact.length > 0 ? exact : views.filter(({ table }) => table.name.toLowerCase() === name.toLowerCase());
  const [view] = alike;
  if (view !== undefined && alike.length === 1) return view;
  const names = views.map(({ table }) => table.name).join(", ");
  throw new Error(`there is no open table ${name}; open are: ${names}`);
}

function switchTable({ workbench }: ActionOptions): PageTool {
  return {
    name: "switch_table",
    description:
      "Shows another of the open tables. From then on your tools work on it. list_open_tables tells the names.",
    tier: "page",
    schema: schema({ name: string("The name of an open table") }, ["name"]),
    handler: (args) => {
      const { id, table } = viewNamed(workbench, text(args, "name"));
      workbench.switchTo(id, "agent");
      return `${table.name} is shown: ${count(table.rowCount, "row")}. Columns: ${columnList(table)}`;
    },
  };
}

function closeTable({ workbench }: ActionOptions): PageTool {
  return {
    name: "close_table",
    description: "Closes an open table with its viewers. The person can take that back.",
    tier: "page",
    schema: schema({ name: string("The name of an open table") }, ["name"]),
    handler: (args) => {
      const { id, table } = viewNamed(workbench, text(args, "name"));
      workbench.closeView(id, "agent");
      return `Closed ${table.name}. Shown now: ${workbench.current?.table.name ?? "no table"}`;
    },
  };
}

function openTable({ addTable, readAddress }: ActionOptions): PageTool {
  const samples = SAMPLES.map(({ id, about }) => `${id} (${about})`).join(" ");
  return {
    name: "open_table",
    description: `Opens a sample, or a file of this server by its address, as a table of its own. Files of the person's computer are opened by the person. Samples: ${samples}`,
    tier: "page",
    timeoutMs: OPEN_TIMEOUT_MS,
    schema: schema(
      {
        sample: { type: "string", enum: SAMPLES.map(({ id }) => id), description: "Absent: use address" },
        address: string("A path such as /data/people.csv. Absent: use sample"),
      },
      [],
    ),
    handler: async (args, { signal }) => {
      const { sample, address } = args;
      if ((sample === undefined) === (address === undefined)) throw new Error("give either a sample or an address");
      const made = SAMPLES.find(({ id }) => id === sample)?.make();
      if (made === undefined && sample !== undefined)
        throw new Error(`there is no such sample; samples: ${SAMPLES.map(({ id }) => id).join(", ")}`);
      const { table } = addTable(made ?? (await readAddress(text(args, "address"), signal)));
      return `Opened ${table.name}: ${count(table.rowCount, "row")}. Columns: ${columnList(table)}`;
    },
  };
}

const TOLD_COLUMNS = 100;

function columnList({ columns }: Table): string {
  const told = columns.slice(0, TOLD_COLUMNS).map(({ name, type }) => `${name} (${type})`);
  const more = columns.length - told.length;
  return more > 0 ? `${told.join(", ")} and ${more} more` : told.join(", ");
}

function openQuery({ databases, addTable }: ActionOptions): PageTool {
  return {
    name: "open_query",
    description: `Runs a SQL query that only reads, in the database that the SQL tools work on, and opens its answer as a table of its own: at most ${OPENED_ROWS.toLocaleString("en-US")} rows. Use try_sql first. The first rows come back.`,
    tier: "page",
    timeoutMs: OPEN_TIMEOUT_MS,
    schema: schema({ sql: string("The query"), name: string("Of the table. Absent: Query") }, ["sql"]),
    handler: async (args, { signal }) => {
      const sql = text(args, "sql");
      const name = args["name"] === undefined ? "Query" : text(args, "name").trim();
      const { database } = await databases.open();
      if ((await database.connection.classify(sql)) === "writes")
        throw new Error("only queries that read can be opened, and this statement would change data");
      const { table, isCut } = await database.ask(sql, { signal, name });
      signal.throwIfAborted();
      if (table.columns.length === 0) throw new Error("the statement gives no columns to make a table of");
      const opened = addTable(table).table;
      const head = toCsv(opened, { rows: Bits.of(opened.rowCount, firstRows(opened.rowCount)) });
      const cut = isCut ? ` There are more: these are the first ${OPENED_ROWS.toLocaleString("en-US")}.` : "";
      return `Opened ${opened.name}: ${count(opened.rowCount, "row")}.${cut} It begins with:\n\n${csvHead(head)}`;
    },
  };
}

function firstRows(rows: number): readonly number[] {
  return Array.from({ length: Math.min(rows, READ_ROWS) }, (_, row) => row);
}
