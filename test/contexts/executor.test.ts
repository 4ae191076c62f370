import { describe, expect, test } from "vitest";
import {
  BrowserToolExecutor,
  pageToolsOf,
  ScriptGenerationContext,
  TableViewContext,
  toolWords,
} from "../../src/contexts/index.ts";
import type { PageTool } from "../../src/client/index.ts";
import { RUNTIME_TOOLS } from "../../src/protocol/index.ts";
import { Database, executorOf, scriptHost, sqlContext, TablePage } from "./page.ts";

/** Of each tool: arguments, the words for who watches, and the answer of the pages in `page.ts`. */
const CALLS: Readonly<Record<string, readonly [args: object, words: string, answer: string | RegExp]>> = {
  add_viewer: [
    { viewerType: "Scatter plot", viewerProperties: { xColumnName: "AGE" } },
    "Adding Scatter plot viewer…",
    "Added viewer with ID: viewer-000000-aaaaaa-bbbbbb",
  ],
  describe_viewer: [
    { viewerType: "Histogram" },
    "Getting available properties for Histogram viewer…",
    /^Viewer properties for Histogram:\n\n/,
  ],
  list_current_viewers: [{}, "Listing currently open viewers…", "No viewers currently added."],
  adjust_viewer: [
    { viewerId: "viewer-1", viewerProperties: { bins: 3 } },
    "Setting properties to the viewer…",
    "Viewer with ID viewer-1 not found. Please add a new viewer instead.",
  ],
  find_viewers_by_type: [
    { viewerType: "Histogram" },
    "Searching for Histogram viewers…",
    "No viewers of type Histogram found.",
  ],
  get_available_viewers: [{}, "Getting available viewer types…", /^## Available Viewer Types:\n\n/],
  highlight_element: [
    { elementId: "Edit top menu", description: "here" },
    "Highlighting: Edit top menu…",
    "Element highlighted",
  ],
  list_ui_elements: [{}, "Looking for available UI elements…", /^Available UI elements:\n\n/],
  list_tables_in_schema: [
    { schemaName: "public", catalogName: "shop" },
    "Listing tables in public…",
    /^Tables in public:\n\norders\n {2}Columns: 3, Rows: 1200\n/,
  ],
  describe_tables: [
    { tables: ["public.x", "public.y"] },
    "Reading the columns of public.x, public.y…",
    "Table x not found in public\n\n---\n\nTable y not found in public",
  ],
  list_joins: [{ tables: ["x.y"] }, "Looking for joins of x.y…", "No foreign key relationships found for tables: x.y"],
  try_sql: [
    { sql: "select 1", description: "Is it there?" },
    "Testing SQL: Is it there?…",
    "Query executed successfully!\nRow count: 0\nColumns (0): ",
  ],
  list_all_schemas: [{ catalogName: "shop" }, "Listing schemas of shop…", "public, empty"],
  list_catalogs: [{}, "Listing catalogs…", "shop, archive"],
  find_similar_queries: [
    { prompt: "nothing" },
    "Searching for similar queries: nothing…",
    "No similar queries found for this connection",
  ],
  find_similar_script_samples: [
    { description: "fit a curve", language: "python" },
    "Searching for similar scripts: fit a curve…",
    "No similar script samples found.",
  ],
  search_documentation: [
    { query: "viewers", maxResults: 3 },
    "Searching documentation for: viewers…",
    "Documentation search is not available. Vector store ID not configured.",
  ],
  list_js_members: [
    { expression: "grok.chem" },
    "Listing members of grok.chem…",
    "Error: expression evaluated to null/undefined.",
  ],
  search_js_api_sources: [
    { query: "addViewer", maxResults: 3 },
    "Searching the JS API for: addViewer…",
    "JS API source search is not available. Vector store ID not configured.",
  ],
};

const NAMES = RUNTIME_TOOLS.map(({ name }) => name);
const TABLE = NAMES.slice(0, 8);
const SQL = NAMES.slice(8, 15);
const SCRIPT = NAMES.slice(15);

const call = (tool: string, args: unknown) => ({ callId: "1", tool, args });

test("the table above has all 19 tools", () => expect(Object.keys(CALLS)).toEqual(NAMES));

describe.each(RUNTIME_TOOLS)("$name", ({ name, input_schema }) => {
  const [args, words, answer] = CALLS[name] ?? [{}, "", ""];
  const required = input_schema["required"] as readonly string[];

  test("is routed and worded", async () => {
    const text = await executorOf().execute(call(name, args));
    if (typeof answer === "string") expect(text).toBe(answer);
    else expect(text).toMatch(answer);
    expect(toolWords(name, args)).toBe(words);
    expect(toolWords(`mcp__datagrok__${name}`, args)).toBe(words);
    // Whatever a model gives, there are words without holes.
    for (const strange of [null, undefined, 1, {}, { viewerType: 3 }])
      expect(toolWords(name, strange)).toMatch(/^[A-Z][^ ]*( [^ ]+)*…$/);
  });

  test("says which argument is missing or wrong, and does nothing", async () => {
    const page = new TablePage();
    const database = new Database();
    const executor = executorOf({
      tableView: new TableViewContext(page),
      sql: async () => sqlContext(database),
    });
    for (const argument of required.filter((argument) => argument !== "maxResults")) {
      const { [argument]: _, ...rest } = args as Record<string, unknown>;
      expect(await executor.run(call(name, rest))).toEqual({
        text: expect.stringMatching(`^Error: ${name} needs the argument "${argument}", an? `),
        isError: true,
      });
    }
    for (const argument of Object.keys(args)) {
      for (const wrong of [true, [1], ...(argument === "maxResults" ? [1.5, "3"] : [3])])
        expect(await executor.execute(call(name, { ...args, [argument]: wrong }))).toMatch(
          `Error: the argument "${argument}" of ${name} must be a`,
        );
    }
    expect(await executor.execute(call(name, { ...args, more: 1 }))).toBe(`Error: ${name} has no argument "more"`);
    expect(await executor.execute(call(name, "text"))).toBe(
      `Error: the arguments of ${name} must be an object, not a text`,
    );
    expect({ open: page.open, pointedAt: page.pointedAt, ran: database.ran }).toEqual({
      open: [],
      pointedAt: [],
      ran: [],
    });
  });

  test("without view and connection", async () => {
    const bare = executorOf({ tableView: null, sql: null });
    const text = await bare.execute(call(name, args));
    if (TABLE.some((tool) => tool === name)) expect(text).toBe("Error: no active table view");
    else if (SQL.some((tool) => tool === name))
      expect(text).toBe("Error: No database connection available for SQL tools");
    else if (typeof answer === "string") expect(text).toBe(answer);
  });
});

describe("what is open", () => {
  test("decides the tools", () => {
    let view: TableViewContext | null = null;
    let isConnected = false;
    const executor = executorOf({ tableView: () => view, hasConnection: () => isConnected });
    const names = () => pageToolsOf(executor).map(({ name }) => name);
    expect(names()).toEqual(SCRIPT);
    view = new TableViewContext(new TablePage());
    expect(names()).toEqual([...TABLE, ...SCRIPT]);
    isConnected = true;
    expect(names()).toEqual(NAMES);
    expect(pageToolsOf(executor, ["try_sql", "add_viewer", "x"]).map(({ name }) => name)).toEqual([
      "add_viewer",
      "try_sql",
    ]);
    expect(
      pageToolsOf(executor).map(({ name, description, schema, tier }) => ({
        name,
        tier,
        description,
        input_schema: schema,
      })),
    ).toEqual(RUNTIME_TOOLS);
  });

  test("is asked at each call, scripts once", async () => {
    let view: TableViewContext | null = null;
    let connected = false;
    let scripts = 0;
    const executor = new BrowserToolExecutor({
      tableView: () => view,
      sql: async () => (connected ? sqlContext() : null),
      script: () => {
        scripts += 1;
        return new ScriptGenerationContext(scriptHost());
      },
    });
    expect(await executor.execute(call("list_current_viewers", {}))).toBe("Error: no active table view");
    expect(await executor.execute(call("list_catalogs", {}))).toBe(
      "Error: No database connection available for SQL tools",
    );
    expect(scripts).toBe(0);
    view = new TableViewContext(new TablePage());
    connected = true;
    expect(await executor.execute(call("list_current_viewers", undefined))).toBe("No viewers currently added.");
    expect(await executor.execute(call("list_catalogs", null))).toBe("shop, archive");
    await executor.execute(call("list_js_members", { expression: "a" }));
    await executor.execute(call("list_js_members", { expression: "a" }));
    expect(scripts).toBe(1);
  });
});

describe("what fails", () => {
  test.for([
    ["a tool that is not there", "unknown", {}, 'Error: unknown tool "unknown"'],
    ["a name of all objects", "constructor", {}, 'Error: unknown tool "constructor"'],
    [
      "a catalog that is not there",
      "list_all_schemas",
      { catalogName: "x" },
      "Error: Catalog 'x' not found. Available catalogs: shop, archive",
    ],
  ] as const)("%s", async ([, tool, args, text]) => {
    expect(await executorOf().run(call(tool, args))).toEqual({ text, isError: true });
  });

  test("a connection that is not there, and a page that throws", async () => {
    const sql = () => Promise.reject(new Error("Connection with ID c9 not found"));
    expect(await executorOf({ sql }).execute(call("list_catalogs", {}))).toBe("Error: Connection with ID c9 not found");
    const page = new TablePage();
    page.addViewer = () => {
      throw new Error("the view is closed");
    };
    const executor = executorOf({ tableView: new TableViewContext(page) });
    const tools: readonly PageTool[] = pageToolsOf(executor, ["add_viewer"]);
    const more = { signal: new AbortController().signal, callId: "1" };
    const answers = tools.map((tool) => tool.handler({ viewerType: "Histogram", viewerProperties: {} }, more));
    expect(await Promise.all(answers)).toEqual([
      { content: [{ type: "text", text: "Error: the view is closed" }], isError: true },
    ]);
  });
});

test("the earlier name of the properties is understood", async () => {
  const page = new TablePage();
  const executor = executorOf({ tableView: new TableViewContext(page) });
  await executor.execute(call("add_viewer", { viewerType: "Histogram", properties: { bins: 3 } }));
  expect(page.open.map(({ look }) => look)).toEqual([{ bins: 3 }]);
  expect(
    await executor.execute(call("add_viewer", { viewerType: "Histogram", properties: {}, viewerProperties: {} })),
  ).toBe('Error: add_viewer has no argument "properties"');
});

test("a query that nobody waits for is ended", async () => {
  const database = new Database();
  const controller = new AbortController();
  database.run = () => {
    controller.abort();
    return Promise.reject(new Error("cancelled"));
  };
  const executor = executorOf({ sql: async () => sqlContext(database) });
  const asked = { ...call("try_sql", { sql: "select 1", description: "" }), signal: controller.signal };
  expect(await executor.execute(asked)).toMatch(/^SQL Error: cancelled\n/);
  expect(database.cancelled).toBe(1);
  expect(await executor.execute(asked)).toMatch(/^Error: /);
});

test.for([
  ["Read", {}, "Running Read…"],
  ["mcp__shop__add_to_cart", {}, "Running add to cart…"],
  ["constructor", {}, "Running constructor…"],
  ["search_documentation", { query: `a\n${"b".repeat(200)}` }, `Searching documentation for: a ${"b".repeat(77)}……`],
] as const)("words of %s", ([tool, input, words]) => expect(toolWords(tool, input)).toBe(words));
