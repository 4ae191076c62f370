import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readPagePlan } from "../../src/sim/page.ts";
import { after, Client, type Block, type Sent } from "./world.ts";

const INTRO = "This is Sallyport's demo model: scripted, no real AI. Set ANTHROPIC_API_KEY for a real one.";

/** What a page's tools answer, as far as these conversations need it. */
const PAGE: Readonly<Record<string, string>> = {
  describe_viewer:
    "Viewer properties for it:\n\nbins - int - (How many)\nxColumnName - column - (Across)\nyColumnName - column - (Up)\n",
  add_viewer: "Added viewer with ID: viewer-abcdef-abcdef-abcdef",
  list_catalogs: "shop, other",
  list_tables_in_schema: "Tables in public:\n\norders\n  Columns: 3, Rows: 12",
  list_all_schemas: "public, audit",
  describe_tables: "TABLE: orders (12 rows)",
  try_sql: "SQL Error: no such table: a\n\nThis query failed to execute.",
  create_column: "Added column BMI",
  apply_filter: "12 of 40 rows are shown.",
  export_csv: "Exported 40 rows.",
  highlight_element: "Element highlighted",
  get_available_viewers: "## Available Viewer Types:",
  list_current_viewers: "No viewers currently added.",
  search_documentation: "Found 1",
  undo: "Took back 2 actions.",
  find_viewers_by_type: "Found viewers of type Histogram: \n\n- ID: viewer-1 \n x\n\n- ID: viewer-2 \n y",
  adjust_viewer: "Adjusted viewer viewer-2",
  close_viewer: "Closed Histogram",
  sort_rows: "The rows are sorted.",
  run_script: "Returned: 108",
};

const TOOLS = Object.keys(PAGE).map((name) => ({ name: `mcp__workbench__${name}`, input_schema: { type: "object" } }));

let client: Client;
beforeAll(async () => {
  client = await Client.start();
});
afterAll(() => client.server.close());

async function converse(prompt: string, tools = TOOLS): Promise<{ calls: unknown[]; words: string | undefined }> {
  let messages: readonly Sent[] = [{ role: "user", content: prompt }];
  const calls: unknown[] = [];
  for (;;) {
    const answer = await client.ask(messages, { tools });
    const call = answer.content.find((block: Block) => block.type === "tool_use");
    if (call === undefined) return { calls, words: answer.content[0]?.text };
    const name = (call.name ?? "").replace("mcp__workbench__", "");
    calls.push([name, call.input]);
    messages = after(messages, answer, [PAGE[name] ?? "Error: what?"]);
  }
}

describe("questions about a table", () => {
  test.each([
    ["how many cars have 8 cylinders?", "108 rows have 8 in cylinders."],
    ["what is the correlation between weight and mpg?", "Pearson's correlation of 108."],
  ])("%s", async (asks, words) => {
    const { calls, words: said } = await converse(asks);
    expect(calls).toEqual([["run_script", { script: expect.stringContaining("column(") as string }]]);
    expect(said).toBe(`${INTRO} ${words}`);
  });

  test("the scripts find columns by people's words, and count and correlate rightly", async () => {
    const table = {
      columnNames: ["Name", "Cylinders", "Weight_in_lbs", "Miles_per_Gallon"],
      get: (name: string) =>
        ({ Cylinders: [8, 4, 8, null], Weight_in_lbs: [1, 2, 3, 4], Miles_per_Gallon: [2, 4, 6, 8] })[name] ?? [],
    };
    const run = (asks: string): unknown => {
      const script = readPagePlan(asks)?.steps[0]?.input([])["script"];
      // eslint-disable-next-line @typescript-eslint/no-implied-eval -- as the page's sandbox runs it
      return new Function("table", String(script))(table);
    };
    expect(run("how many cars have 8 cylinders?")).toBe(2);
    expect(run("correlation between weight and miles per gallon")).toBe(
      "Weight_in_lbs and Miles_per_Gallon: 1.0000 (4 rows)",
    );
    expect(() => run("how many cars have 3 doors?")).toThrow("there is no column like doors");
  });
});

describe("a page's tools", () => {
  const ADDED = " The page said: Added viewer with ID: viewer-abcdef-abcdef-abcdef";
  test.each([
    {
      asks: "add a histogram for the Age column",
      calls: [
        ["describe_viewer", { viewerType: "Histogram" }],
        ["add_viewer", { viewerType: "Histogram", viewerProperties: { xColumnName: "Age" } }],
      ],
      words: `The Histogram for Age is there now.${ADDED}`,
    },
    {
      asks: "clear the filter",
      calls: [["apply_filter", { expression: "" }]],
      words: "12 of 40 rows are shown.",
    },
    {
      asks: "bar chart of average horsepower by origin",
      calls: [
        [
          "add_viewer",
          {
            viewerType: "Bar chart",
            viewerProperties: { splitColumnName: "origin", valueColumnName: "horsepower", valueAggrType: "avg" },
          },
        ],
      ],
      words: ADDED.replace(" The page said: ", ""),
    },
    {
      asks: "change the histogram to 40 bins",
      calls: [
        ["find_viewers_by_type", { viewerType: "Histogram" }],
        ["adjust_viewer", { viewerId: "viewer-2", viewerProperties: { bins: 40 } }],
      ],
      words: "Adjusted viewer viewer-2",
    },
    {
      asks: "remove the histogram",
      calls: [
        ["find_viewers_by_type", { viewerType: "Histogram" }],
        ["close_viewer", { viewerId: "viewer-2" }],
      ],
      words: "Closed Histogram",
    },
    {
      asks: "sort by Horsepower, descending",
      calls: [["sort_rows", { columns: ["Horsepower"], descending: true }]],
      words: "The rows are sorted.",
    },
    {
      asks: "## Current Table: demog\n\nUser request: Show me a scatter plot of height vs `my weight`!",
      calls: [
        ["describe_viewer", { viewerType: "Scatter plot" }],
        [
          "add_viewer",
          { viewerType: "Scatter plot", viewerProperties: { xColumnName: "height", yColumnName: "my weight" } },
        ],
      ],
      words: `The Scatter plot for height and my weight is there now.${ADDED}`,
    },
    {
      asks: "show me tables in the public schema",
      calls: [
        ["list_catalogs", {}],
        ["list_tables_in_schema", { schemaName: "public", catalogName: "shop" }],
      ],
      words: "Tables in public:\n\norders\n  Columns: 3, Rows: 12",
    },
    {
      asks: "which schemas are there?",
      calls: [
        ["list_catalogs", {}],
        ["list_all_schemas", { catalogName: "shop" }],
      ],
      words: "The schemas are: public, audit",
    },
    {
      asks: "describe the tables public.orders and public.items",
      calls: [["describe_tables", { tables: ["public.orders", "public.items"] }]],
      words: "TABLE: orders (12 rows)",
    },
    {
      asks: "try sql: select * from a",
      calls: [["try_sql", { sql: "select * from a", description: "What the person asked for" }]],
      words:
        "mcp__workbench__try_sql did not work, so I stop here. It said: SQL Error: no such table: a\n\nThis query failed to execute.",
    },
    {
      asks: "add a column BMI = WEIGHT / (HEIGHT / 100) ^ 2",
      calls: [["create_column", { name: "BMI", formula: "WEIGHT / (HEIGHT / 100) ^ 2" }]],
      words: "Added column BMI",
    },
    {
      asks: "filter to AGE > 40",
      calls: [["apply_filter", { expression: "AGE > 40" }]],
      words: "12 of 40 rows are shown.",
    },
    { asks: "export it to CSV", calls: [["export_csv", {}]], words: "Exported 40 rows." },
    { asks: "undo", calls: [["undo", {}]], words: "Took back 2 actions." },
    {
      asks: "highlight the Add viewer button",
      calls: [["highlight_element", { elementId: "Add viewer button", description: "This is what you asked for" }]],
      words: "Element highlighted",
    },
    { asks: "which viewers are open?", calls: [["list_current_viewers", {}]], words: "No viewers currently added." },
    { asks: "what charts can you make?", calls: [["get_available_viewers", {}]], words: "## Available Viewer Types:" },
    {
      asks: "how do I undo?",
      calls: [["search_documentation", { query: "undo", maxResults: 3 }]],
      words: "Found 1",
    },
  ])("$asks", async ({ asks, calls, words }) => {
    expect(await converse(asks)).toEqual({ calls, words: `${INTRO} ${words}` });
  });

  test("are left alone when the page offers none that would do", async () => {
    const tools = TOOLS.filter(({ name }) => !name.endsWith("list_catalogs"));
    const { calls, words } = await converse("show me tables in the public schema", tools);
    expect(calls).toEqual([]);
    expect(words).toContain("Add a histogram for the Age column");
    expect((await converse("add a histogram for the Age column", [])).words).toContain("Create a file hello.txt");
  });

  test.each(["", "read hello.txt", "create hello.txt with hi", "compose a symphony", "x".repeat(2_000)])(
    "is not meant by %j",
    (prompt) => {
      expect(readPagePlan(prompt)).toBeUndefined();
    },
  );
});
