/** Length of one name or text in the sentence. */
const SHOWN_CHARS = 80;

type CallWords = (text: (name: string) => string) => string;

const WORDS: Readonly<Record<string, CallWords>> = {
  add_viewer: (text) => `Adding ${text("viewerType")} viewer`,
  describe_viewer: (text) => `Getting available properties for ${text("viewerType")} viewer`,
  list_current_viewers: () => "Listing currently open viewers",
  adjust_viewer: () => "Setting properties to the viewer",
  find_viewers_by_type: (text) => `Searching for ${text("viewerType")} viewers`,
  get_available_viewers: () => "Getting available viewer types",
  highlight_element: (text) => `Highlighting: ${text("elementId")}`,
  list_ui_elements: () => "Looking for available UI elements",
  list_tables_in_schema: (text) => `Listing tables in ${text("schemaName")}`,
  describe_tables: (text) => `Reading the columns of ${text("tables")}`,
  list_joins: (text) => `Looking for joins of ${text("tables")}`,
  try_sql: (text) => `Testing SQL: ${text("description") || text("sql")}`,
  list_all_schemas: (text) => `Listing schemas of ${text("catalogName")}`,
  list_catalogs: () => "Listing catalogs",
  find_similar_queries: (text) => `Searching for similar queries: ${text("prompt")}`,
  find_similar_script_samples: (text) => `Searching for similar scripts: ${text("description")}`,
  search_documentation: (text) => `Searching documentation for: ${text("query")}`,
  list_js_members: (text) => `Listing members of ${text("expression")}`,
  search_js_api_sources: (text) => `Searching the JS API for: ${text("query")}`,
};

/** What a tool does, for the person who watches: `Adding Scatter plot viewer…`. Works for any tool. */
export function toolWords(tool: string, input: unknown): string {
  const name = tool.replace(/^mcp__.+?__/, "");
  const words = Object.hasOwn(WORDS, name) ? WORDS[name] : undefined;
  if (words === undefined) return `Running ${shown(name.replaceAll("_", " "))}…`;
  const given: object = typeof input === "object" && input !== null ? input : {};
  const said = words((argument) => shown((given as Readonly<Record<string, unknown>>)[argument]));
  // A missing argument leaves no gap.
  return `${said.replaceAll(/ {2,}/g, " ").replace(/[: ]+$/, "")}…`;
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : Array.isArray(value) ? value.map(String).join(", ") : "";
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS - 1).trimEnd()}…` : line;
}
