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
  "run_script",
  "search_documentation",
  "search_js_api_sources",
  "undo",
];
const WITH_TABLE = [
  "add_viewer",
  "adjust_viewer",
  "apply_filter",
  "close_viewer",
  "create_column",
  "describe_tables",
  "describe_viewer",
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
        query: (sql) => Promise.reject(new Error(`no engine here for ${sql}`)),
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
