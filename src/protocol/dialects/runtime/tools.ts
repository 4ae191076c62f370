import type { Tier } from "../../sessions/approvals.ts";
import type { RuntimeContext } from "./context.ts";

/** A tool that the page executes, by the page's own name; the model knows it as `mcp__datagrok__<name>`. */
export interface RuntimeTool {
  readonly name: string;
  readonly tier: Tier;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** The page's name in those of its tools. */
export const RUNTIME_PAGE = "datagrok";
const PREFIX = `mcp__${RUNTIME_PAGE}__`;

/** The page's own name for its tools; other names are unchanged. */
export function shownToolName(tool: string): string {
  return tool.startsWith(PREFIX) ? tool.slice(PREFIX.length) : tool;
}

type SchemaProperties = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Everything is required except `optional`; no other properties are allowed. */
function schema(properties: SchemaProperties, optional: readonly string[] = []): RuntimeTool["input_schema"] {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, required, additionalProperties: false };
}

const text = (description: string): SchemaProperties[string] => ({ type: "string", description });
const viewerType = text("A type as get_available_viewers names it, such as Scatter plot");
const viewerProperties = {
  type: "object",
  description: "Properties by the names that describe_viewer gives, such as xColumnName",
};
const tables = {
  type: "array",
  items: { type: "string" },
  description: "Tables as schema.table or catalog.schema.table",
};
const query = text("What to look for");
const maxResults = { type: "integer", description: "How many results at most" };

const TABLE: readonly RuntimeTool[] = [
  {
    name: "add_viewer",
    tier: "page",
    description: "Adds a viewer to the table view. Ask describe_viewer first which properties its type has.",
    input_schema: schema({ viewerType, viewerProperties }),
  },
  {
    name: "describe_viewer",
    tier: "read",
    description: "Tells what a type of viewer shows and lists all of its properties.",
    input_schema: schema({ viewerType }),
  },
  {
    name: "list_current_viewers",
    tier: "read",
    description: "Lists the viewers that are open now, with id, type and the properties that were set.",
    input_schema: schema({}),
  },
  {
    name: "adjust_viewer",
    tier: "page",
    description: "Changes properties of a viewer that is open, by its id.",
    input_schema: schema({ viewerId: text("The id that add_viewer or a list gave"), viewerProperties }),
  },
  {
    name: "find_viewers_by_type",
    tier: "read",
    description: "Finds the open viewers of one type, with their ids and properties.",
    input_schema: schema({ viewerType }),
  },
  {
    name: "get_available_viewers",
    tier: "read",
    description: "Lists all types of viewers that can be added.",
    input_schema: schema({}),
  },
  {
    name: "highlight_element",
    tier: "page",
    description: "Points the user to an element of the page.",
    input_schema: schema({
      elementId: text("An id that list_ui_elements gave"),
      description: text("What the user should do there"),
    }),
  },
  {
    name: "list_ui_elements",
    tier: "read",
    description: "Lists the elements of the page that can be highlighted, with ids and descriptions.",
    input_schema: schema({}),
  },
];

const SQL: readonly RuntimeTool[] = [
  {
    name: "list_tables_in_schema",
    tier: "read",
    description: "Lists the tables of a database schema with what is known of each.",
    input_schema: schema({ schemaName: text("The schema"), catalogName: text("The catalog that it belongs to") }),
  },
  {
    name: "describe_tables",
    tier: "read",
    description: "Tells the columns of tables in detail. Tables are named schema.table.",
    input_schema: schema({ tables }),
  },
  {
    name: "list_joins",
    tier: "read",
    description: "Lists the foreign keys that lead from and to the named tables.",
    input_schema: schema({ tables }),
  },
  {
    name: "try_sql",
    tier: "page",
    description: "Runs a query to test it. Answers row count, columns and a sample; at most 10 rows are read.",
    input_schema: schema({ sql: text("The query"), description: text("What it is meant to find") }),
  },
  {
    name: "list_all_schemas",
    tier: "read",
    description: "Lists the schemas of a catalog.",
    input_schema: schema({ catalogName: text("The catalog") }),
  },
  {
    name: "list_catalogs",
    tier: "read",
    description: "Lists the catalogs of the database connection.",
    input_schema: schema({}),
  },
  {
    name: "find_similar_queries",
    tier: "read",
    description: "Finds queries on this connection that were made for a similar wish.",
    input_schema: schema({ prompt: text("The wish in plain words") }),
  },
];

const SCRIPT: readonly RuntimeTool[] = [
  {
    name: "find_similar_script_samples",
    tier: "read",
    description: "Finds scripts of the Datagrok code base that do something similar.",
    input_schema: schema(
      {
        description: text("What the script should do"),
        language: text("Only scripts in this language, such as python; all if left out"),
      },
      ["language"],
    ),
  },
  {
    name: "search_documentation",
    tier: "read",
    description: "Searches Datagrok's documentation and API references.",
    input_schema: schema({ query, maxResults }),
  },
  {
    name: "list_js_members",
    tier: "read",
    description: "Lists the members of a JavaScript namespace, to see whether something is really there.",
    input_schema: schema({ expression: text("Names with dots, such as grok.chem") }),
  },
  {
    name: "search_js_api_sources",
    tier: "read",
    description: "Searches the sources of Datagrok's JavaScript API, to see how something is called.",
    input_schema: schema({ query, maxResults }),
  },
];

/** Document 000's 19 tools. */
export const RUNTIME_TOOLS: readonly RuntimeTool[] = [...TABLE, ...SQL, ...SCRIPT];

/** The tools for a message's context: those of the open view, of the chosen connection, and always those for scripts. */
export function runtimeTools({ isTableView, connectionId }: RuntimeContext): readonly RuntimeTool[] {
  return [...(isTableView ? TABLE : []), ...(connectionId === undefined ? [] : SQL), ...SCRIPT];
}
