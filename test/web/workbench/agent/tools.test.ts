import { beforeEach, describe, expect, test } from "vitest";
import type { SallyportClient } from "../../../../src/client/index.ts";
import { Databases } from "../../../../src/web/workbench/agent/databases.ts";
import { AgentTools, stepWords } from "../../../../src/web/workbench/agent/tools.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import { openWorkbench } from "../../../../src/web/workbench/model/open.ts";
import type { Workbench } from "../../../../src/web/workbench/model/workbench.ts";

const CALL = { signal: new AbortController().signal, callId: "call_1" };
const ALWAYS = [
  "find_similar_script_samples",
  "list_js_members",
  "list_open_tables",
  "open_table",
  "run_script",
  "search_documentation",
  "search_js_api_sources",
  "undo",
];
const WITH_TABLE = [
  "add_viewer",
  "adjust_viewer",
  "apply_filter",
  "change_column",
  "close_table",
  "close_viewer",
  "create_column",
  "describe_tables",
  "describe_viewer",
  "edit_cells",
  "export_csv",
  "find_similar_queries",
  "find_viewers_by_type",
  "get_available_viewers",
  "highlight_element",
  "list_all_schemas",
  "list_catalogs",
  "list_current_viewers",
  "sort_rows",
  "list_joins",
  "list_tables_in_schema",
  "list_ui_elements",
  "open_query",
  "select_rows",
  "switch_table",
  "try_sql",
];

let workbench: Workbench;
let tools: AgentTools;
let files: { name: string; text: string }[];
let sorted: unknown[];

const open = (): void => {
  workbench.addTable(
    newTable("people", [
      columnOf("AGE", [30, 41, null, 55]),
      columnOf("SEX", ["F", "M", "F", "F"]),
      columnOf("WEIGHT", [60.5, 82, 71, 58]),
    ]),
    "person",
  );
};

beforeEach(() => {
  workbench = openWorkbench();
  files = [];
  sorted = [];
  const databases = new Databases({
    // Nothing is asked of a server here: only the page's own tables are used.
    client: {} as SallyportClient,
    pageSql: () =>
      Promise.resolve({
        ask: (sql, { maxRows }) => {
          if (!sql.includes("FROM numbers")) return Promise.reject(new Error(`no engine here for ${sql}`));
          const table = newTable("Query 1", [
            columnOf(
              "n",
              Array.from({ length: 30 }, (_, row) => row),
            ),
          ]);
          return Promise.resolve({ table, isCut: maxRows > 30 });
        },
        tables: () => workbench.views.map(({ table }) => ({ name: table.name, table })),
      }),
    hasTables: () => workbench.views.length > 0,
    similar: () => [],
  });
  tools = new AgentTools({
    workbench,
    databases,
    download: (name, text) => files.push({ name, text }),
    sort: (viewId, keys) => sorted.push({ viewId, keys }),
    addTable: (table) => workbench.addTable(table, "agent"),
    readAddress: (address) =>
      address === "/cities.csv"
        ? Promise.resolve(newTable("cities", [columnOf("city", ["Rom"])]))
        : Promise.reject(new Error(`no file at ${address}`)),
  });
});

/** What the model reads; an error as the bridge tells it. */
async function call(name: string, input: Record<string, unknown> = {}): Promise<string> {
  const tool = tools.list().find((other) => other.name === name);
  if (tool === undefined) return "not offered";
  try {
    const answer = await tool.handler(input, CALL);
    if (typeof answer === "string") return answer;
    return (answer as { readonly content: readonly { readonly text: string }[] }).content
      .map(({ text }) => text)
      .join();
  } catch (error) {
    return `Error: ${(error as Error).message}`;
  }
}

describe("what is offered", () => {
  test("depends on what is open", () => {
    const names = (): readonly string[] =>
      tools
        .list()
        .map(({ name }) => name)
        .toSorted();
    expect(names()).toEqual(ALWAYS);
    const before = tools.key;
    open();
    expect(names()).toEqual([...ALWAYS, ...WITH_TABLE].toSorted());
    expect(tools.key).not.toBe(before);
  });

  test("has words for a person, each", () => {
    open();
    for (const { name } of tools.list()) {
      const words = stepWords(`mcp__workbench__${name}`, { viewerType: "Histogram", name: "X", expression: "a" });
      expect([name, words]).toEqual([name, expect.stringMatching(/^[A-Z].*\S$/)]);
    }
  });
});

describe("viewers", () => {
  test("are added, listed, adjusted, found and taken back", async () => {
    open();
    const added = await call("add_viewer", {
      viewerType: "histogram",
      viewerProperties: { valueColumnName: "age", bins: 12 },
    });
    const [id = ""] = /viewer-[a-z0-9]{6}-[a-z0-9]{6}-[a-z0-9]{6}$/.exec(added) ?? [];
    expect(added).toBe(`Added viewer with ID: ${id}`);
    expect(await call("list_current_viewers")).toContain(`- ID: ${id}, Type: Histogram`);
    expect(workbench.current?.viewers[0]?.look).toEqual({ valueColumnName: "AGE", bins: 12 });
    expect(await call("adjust_viewer", { viewerId: id, viewerProperties: { bins: 5 } })).toBe(`Adjusted viewer ${id}`);
    expect(workbench.current?.viewers[0]?.look).toEqual({ valueColumnName: "AGE", bins: 5 });
    expect(await call("find_viewers_by_type", { viewerType: "Histogram" })).toContain(`- ID: ${id}`);
    expect(await call("undo")).toMatch(/^Took back: /);
    expect(workbench.current?.viewers[0]?.look).toEqual({ valueColumnName: "AGE", bins: 12 });
    expect(await call("undo", { all: true })).toBe("Took back 1 action.");
    expect(await call("list_current_viewers")).toBe("No viewers currently added.");
    expect(await call("undo")).toBe("There is nothing to take back.");
  });

  test.each([
    [
      "add_viewer",
      { viewerType: "Histogram", viewerProperties: { valueColumnName: "nobody" } },
      /no column "nobody".*AGE, WEIGHT/s,
    ],
    ["add_viewer", { viewerType: "Histogram", viewerProperties: { binz: 3 } }, /binz.*bins/s],
    ["add_viewer", { viewerType: "Histogram", viewerProperties: { bins: -3 } }, /bins/],
    ["add_viewer", { viewerType: "Google map", viewerProperties: {} }, /Google map is not available/],
    ["add_viewer", { viewerType: "Nonsense", viewerProperties: {} }, /no such type of viewer.*Scatter plot/s],
    ["add_viewer", { viewerType: "Histogram" }, /^Error: /],
    ["describe_viewer", { viewerType: "Nonsense" }, /^Error describing viewer Nonsense: /],
    [
      "adjust_viewer",
      { viewerId: "viewer-x", viewerProperties: {} },
      /^Viewer with ID viewer-x not found. Please add a new viewer instead.$/,
    ],
  ])("%s with %j changes nothing", async (name, input, words) => {
    open();
    expect(await call(name, input)).toMatch(words);
    expect([workbench.current?.viewers, workbench.actions.filter(({ by }) => by === "agent")]).toEqual([[], []]);
  });

  test("every type can be described and added as it is", async () => {
    open();
    const types = /\n\n(.+)\n\n/.exec(await call("get_available_viewers"))?.[1]?.split(", ") ?? [];
    expect(types).toHaveLength(23);
    for (const viewerType of types) {
      expect(await call("describe_viewer", { viewerType })).toMatch(
        new RegExp(`^Viewer properties for ${viewerType}:\n\n(?:\\w+ - \\w+ - \\(.+\\)\n?)+$`),
      );
      expect(await call("add_viewer", { viewerType, viewerProperties: {} })).toMatch(/^Added viewer with ID: viewer-/);
    }
  });
});

describe("columns, filters, files", () => {
  test("a column is made from a formula; the table's own are not replaced", async () => {
    open();
    expect(await call("create_column", { name: "DOUBLE", formula: "${AGE} * 2" })).toBe(
      "Added column DOUBLE (int) to people",
    );
    expect(await call("create_column", { name: "DOUBLE", formula: "AGE * 2.5" })).toMatch(/^Added column DOUBLE/);
    expect(await call("create_column", { name: "AGE", formula: "1" })).toBe(
      "Error: the table has a column AGE of its own; choose another name",
    );
    expect(await call("create_column", { name: "X", formula: "nope + 1" })).toMatch(/^Error: .*nope/);
    expect(workbench.current?.table.columns.map(({ name }) => name)).toEqual(["AGE", "SEX", "WEIGHT", "DOUBLE"]);
  });

  test("a filter is set, replaced and taken away; the person's stays", async () => {
    open();
    const view = workbench.current;
    if (view === undefined) throw new Error("no view");
    workbench.setFilter(view.id, "column:SEX", { kind: "categories", column: "SEX", values: ["F"] }, "person");
    expect(await call("apply_filter", { expression: "AGE > 40" })).toBe(
      "1 of 4 rows are shown. 1 more filter is set in the page.",
    );
    expect(await call("apply_filter", { expression: "AGE >" })).toMatch(/^Error: /);
    expect(view.table.filtered.count).toBe(1);
    expect(await call("apply_filter", { expression: "" })).toBe(
      "3 of 4 rows are shown. 1 more filter is set in the page.",
    );
  });

  test("a file is handed to the person", async () => {
    open();
    expect(await call("export_csv", { rows: "all" })).toMatch(
      /^Exported 4 rows to people.csv. It begins with:\n\nAGE,SEX,WEIGHT/,
    );
    expect(files.map(({ name }) => name)).toEqual(["people.csv"]);
    expect(await call("export_csv", { rows: "selected" })).toBe("Error: no rows are selected");
  });
});

describe("the grid and its viewers", () => {
  test("rows are sorted by columns that are named in people's words", async () => {
    open();
    expect(await call("sort_rows", { columns: ["weight"], descending: true })).toBe(
      "The rows are sorted by WEIGHT, descending.",
    );
    expect(await call("sort_rows", { columns: ["nosuch"] })).toBe(
      'Error: There is no column "nosuch". Columns: AGE, SEX, WEIGHT.',
    );
    expect(await call("sort_rows", { columns: "AGE" })).toBe("Error: columns must be a list of at most 5 names");
    expect(sorted).toEqual([{ viewId: workbench.views[0]?.id, keys: [{ column: "WEIGHT", descending: true }] }]);
  });

  test("a viewer is closed by its id, and comes back with undo", async () => {
    open();
    await call("add_viewer", { viewerType: "Histogram", viewerProperties: { valueColumnName: "age" } });
    const id = workbench.current?.viewers[0]?.id ?? "";
    expect(await call("close_viewer", { viewerId: "viewer-x" })).toBe(
      "Error: there is no viewer viewer-x; list_current_viewers shows which there are",
    );
    expect(await call("close_viewer", { viewerId: id })).toBe("Closed Histogram of AGE");
    expect(workbench.current?.viewers).toEqual([]);
    expect(await call("undo")).toContain("Took back");
    expect(workbench.current?.viewers.map((viewer) => viewer.type)).toEqual(["Histogram"]);
  });

  test("what cannot be understood is not told as taking the filter away", () => {
    expect([
      stepWords("apply_filter", { filter: "x" }),
      stepWords("apply_filter", { expression: "" }),
      stepWords("apply_filter", { expression: "${AGE} > 1" }),
    ]).toEqual(["Filtering…", "Taking the filter away…", "Filtering to ${AGE} > 1…"]);
  });
});

describe("the page's own database", () => {
  test("is told by its tables, and is not written to", async () => {
    open();
    expect(await call("list_catalogs")).toBe("page");
    expect(await call("list_all_schemas", { catalogName: "page" })).toBe("main");
    expect(await call("list_tables_in_schema", { schemaName: "public", catalogName: "page" })).toBe(
      "Tables in public:\n\npeople\n  Columns: 3, Rows: 4",
    );
    expect(await call("describe_tables", { tables: ["main.people"] })).toContain("AGE (int) Range: 30 to 55");
    expect(await call("try_sql", { sql: "drop table people", description: "" })).toBe(
      "SQL was not executed: this connection only reads, and the statement would change data. Please revise the query so that it only reads.",
    );
    expect(await call("try_sql", { sql: "select 1;", description: "" })).toBe(
      "SQL Error: no engine here for select 1 LIMIT 11\n\nThis query failed to execute. Please revise the SQL based on the schema information.",
    );
  });
});

describe("tables, rows and types", () => {
  const agentActions = (): readonly string[] =>
    workbench.actions.filter(({ by, undone }) => by === "agent" && !undone).map(({ words }) => words);

  test("rows are selected by a condition, and that is the agent's action", async () => {
    open();
    expect(await call("select_rows", { expression: "${AGE} > 40" })).toBe("2 rows of 4 are selected.");
    expect([...(workbench.current?.table.selected.rows() ?? [])]).toEqual([1, 3]);
    expect(await call("select_rows", { rows: "none" })).toBe("0 rows of 4 are selected.");
    expect(agentActions()).toHaveLength(1);
    expect(await call("undo")).toBe("Took back: Cleared the selection");
    expect(workbench.current?.table.selected.count).toBe(0);
  });

  test.each([
    ["select_rows", {}, /either an expression or rows/],
    ["select_rows", { expression: "${NOBODY} = 1" }, /NOBODY/],
    ["select_rows", { rows: "some" }, /"all", "none" or "filtered"/],
    ["change_column", { column: "AGE", type: "colour" }, /type must be one of string, int/],
    ["change_column", { column: "AGE", newName: "SEX" }, /has a column SEX already/],
    ["change_column", { column: "NOBODY", newName: "X" }, /NOBODY/],
    ["change_column", { column: "AGE", format: { kind: "date", style: "day" } }, /no format of kind date/],
    ["change_column", { column: "AGE", format: { kind: "number", style: "loud" } }, /cannot be read/],
    ["edit_cells", { edits: [] }, /at least one/],
    ["edit_cells", { edits: [{ row: 0, column: "AGE", value: 1 }] }, /from 1/],
    ["edit_cells", { edits: [{ row: 1, column: "AGE", value: "old" }] }, /not a number/],
    [
      "edit_cells",
      {
        edits: [
          { row: 1, column: "AGE", value: 3 },
          { row: 9, column: "SEX", value: "F" },
        ],
      },
      /no row 9/,
    ],
    ["switch_table", { name: "nobody" }, /no open table nobody; open are: people/],
    ["close_table", { name: "nobody" }, /no open table nobody/],
    ["open_table", {}, /either a sample or an address/],
    ["open_table", { sample: "nobody" }, /no such sample/],
    ["open_table", { address: "/nobody.csv" }, /no file at/],
    ["open_query", { sql: "delete from people" }, /would change data/],
    ["open_query", { sql: "select 1" }, /no engine here/],
  ])("%s with %j changes nothing", async (name, input, words) => {
    open();
    expect(await call(name, input)).toMatch(words);
    expect([workbench.views.length, agentActions()]).toEqual([1, []]);
  });

  test("a query's answer becomes a table, of which the first rows are read", async () => {
    open();
    const answer = await call("open_query", { sql: "SELECT n FROM numbers", name: "Numbers" });
    expect(answer).toMatch(/^Opened Numbers: 30 rows\. There are more: these are the first 100,000\. It begins with:/);
    expect(answer.split("\n").slice(-2)).toEqual(["18\r", "19"]);
    expect(workbench.current?.table.name).toBe("Numbers");
    expect(await call("undo")).toBe("Took back: Opened Numbers");
    expect(workbench.current?.table.name).toBe("people");
  });

  test("tables are listed, opened, switched and closed, and each is taken back", async () => {
    open();
    expect(await call("open_table", { address: "/cities.csv" })).toBe("Opened cities: 1 row. Columns: city (string)");
    expect(await call("list_open_tables")).toBe("- people: 4 rows, 3 columns\n- cities (shown): 1 row, 1 column");
    expect(await call("switch_table", { name: "PEOPLE" })).toMatch(
      /^people is shown: 4 rows\. Columns: AGE \(int\), SEX/,
    );
    expect(await call("close_table", { name: "cities" })).toBe("Closed cities. Shown now: people");
    expect(agentActions()).toEqual(["Opened cities", "Showed people", "Closed cities"]);
    expect(await call("undo", { all: true })).toBe("Took back 3 actions.");
    expect(workbench.views.map(({ table }) => table.name)).toEqual(["people"]);
    expect(await call("close_table", { name: "people" })).toBe("Closed people. Shown now: no table");
    expect(await call("list_open_tables")).toMatch(/^No table is open/);
    expect(await call("open_table", { sample: "words" })).toMatch(/^Opened /);
  });

  test("cells and formats are changed, and taken back", async () => {
    open();
    const table = workbench.current?.table;
    const before = table?.columns;
    const edits = [
      { row: 1, column: "age", value: 31 },
      { row: 2, column: "SEX", value: null },
    ];
    expect(await call("edit_cells", { edits })).toBe("2 cells of people have their new value.");
    expect(await call("export_csv", {})).toContain("31,F,60.5\r\n41,,82");
    const format = { kind: "number", style: "currency", groups: "comma", currency: "EUR" };
    await call("change_column", { column: "WEIGHT", format });
    expect(table?.column("WEIGHT")?.format).toEqual(format);
    await call("change_column", { column: "WEIGHT", format: null });
    expect(table?.column("WEIGHT")?.format).toBeUndefined();
    expect(agentActions()).toEqual([
      "Changed 2 cells of people",
      "Changed the format of WEIGHT to EUR",
      "Took the format of WEIGHT away",
    ]);
    await call("undo", { all: true });
    expect(table?.columns).toEqual(before);
  });

  test("a column gets another type and name; what does not fit is told", async () => {
    open();
    const view = workbench.current;
    if (view === undefined) throw new Error("no view");
    const before = view.table.columns;
    workbench.addViewer(view.id, "Histogram", { valueColumnName: "WEIGHT" }, "person");
    await call("apply_filter", { expression: "WEIGHT > 59" });
    expect(await call("change_column", { column: "weight", newName: "kg", type: "int" })).toBe(
      "kg is int now.\n1 value did not fit and is missing (row 1: “60.5”).",
    );
    expect(workbench.current?.viewers[0]?.look).toEqual({ valueColumnName: "kg" });
    expect([...view.table.filters.values()]).toEqual([{ kind: "formula", expression: "${kg} > 59" }]);
    expect([...view.table.filtered.rows()]).toEqual([1, 2]);
    expect(await call("undo")).toBe("Took back: Renamed WEIGHT to kg; Changed the type of kg to int");
    expect(view.table.columns).toEqual(before);
    expect(workbench.current?.viewers[0]?.look).toEqual({ valueColumnName: "WEIGHT" });
    expect([...view.table.filtered.rows()]).toEqual([0, 1, 2]);
  });
});

describe("documentation and scripts", () => {
  test("are searched in the workbench's own", async () => {
    expect(await call("search_documentation", { query: "save a layout", maxResults: 2 })).toMatch(
      /^Found [12] relevant documentation sections:\n\n\*\*Source\*\*: workbench\.md › .*\(score: 0\.\d\d\)/,
    );
    expect(await call("search_js_api_sources", { query: "addColumn", maxResults: 1 })).toContain("output.addColumn");
    expect(await call("find_similar_script_samples", { description: "outliers", language: "javascript" })).toContain(
      "Find outliers",
    );
    expect(await call("list_js_members", { expression: "output" })).toBe('["addColumn","addTable"]');
  });
});
