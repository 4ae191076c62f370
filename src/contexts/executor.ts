import { RUNTIME_TOOLS, runtimeTools, type RuntimeTool } from "../protocol/dialects/runtime/tools.ts";
import { checkedArguments, type ToolArguments } from "./arguments.ts";
import type { ScriptGenerationContext } from "./script.ts";
import type { SQLGenerationContext } from "./sql.ts";
import type { TableViewContext } from "./table-view.ts";

export interface ContextToolCall {
  readonly callId: string;
  readonly tool: string;
  readonly args: unknown;
  /** Aborted when the answer is no longer needed. Absent: it always is. */
  readonly signal?: AbortSignal | undefined;
}

export interface PageToolOutcome {
  readonly text: string;
  readonly isError: boolean;
}

export interface BrowserToolExecutorOptions {
  /** Null: no table is shown. A function is called each time. */
  readonly tableView: TableViewContext | null | (() => TableViewContext | null);
  /** Called for each SQL tool call; the caller caches it. Null, or a null result: there is no connection. */
  readonly sql: (() => Promise<SQLGenerationContext | null>) | null;
  /** Whether a connection is chosen now. Absent: there is one if `sql` is given. */
  readonly hasConnection?: (() => boolean) | undefined;
  /** Called once, at the first script tool call. */
  readonly script: () => ScriptGenerationContext;
}

type TextArguments = Readonly<Record<string, string>>;
type ViewerLook = Readonly<Record<string, unknown>>;

/** Runs document 000's 19 tools in the page that shows the data. */
export class BrowserToolExecutor {
  readonly #options: BrowserToolExecutorOptions;
  #script: ScriptGenerationContext | undefined;

  constructor(options: BrowserToolExecutorOptions) {
    this.#options = options;
  }

  /** The tools available now: those of the open view, of the chosen connection, and those for scripts. */
  tools(): readonly RuntimeTool[] {
    const { sql, hasConnection } = this.#options;
    const isConnected = sql !== null && (hasConnection?.() ?? true);
    const isTableView = this.#tableView() !== null;
    return runtimeTools({ ...NONE, isTableView, connectionId: isConnected ? "any" : undefined });
  }

  /** The text for the model. Never rejects: a failure is `Error: …`. */
  async execute(call: ContextToolCall): Promise<string> {
    return (await this.run(call)).text;
  }

  /** The same, and whether it failed. */
  async run(call: ContextToolCall): Promise<PageToolOutcome> {
    try {
      const tool = RUNTIME_TOOLS.find(({ name }) => name === call.tool);
      if (tool === undefined) throw new Error(`unknown tool "${call.tool}"`);
      return { text: await this.#route(call, checkedArguments(tool, call.args)), isError: false };
    } catch (error) {
      return { text: `Error: ${error instanceof Error ? error.message : String(error)}`, isError: true };
    }
  }

  #route(call: ContextToolCall, args: ToolArguments): Promise<string> {
    if (TABLE_TOOLS.has(call.tool)) return this.#inTable(call.tool, args);
    if (SQL_TOOLS.has(call.tool)) return this.#inDatabase(call, args);
    return this.#forScripts(call.tool, args);
  }

  async #inTable(tool: string, args: ToolArguments): Promise<string> {
    const view = this.#tableView();
    if (view === null) throw new Error("no active table view");
    const { viewerType = "", viewerId = "", elementId = "", description = "" } = args as TextArguments;
    const look = args["viewerProperties"] as ViewerLook;
    switch (tool) {
      case "add_viewer":
        return view.addViewer(viewerType, look);
      case "describe_viewer":
        return view.describeViewer(viewerType);
      case "list_current_viewers":
        return view.listCurrentViewers();
      case "adjust_viewer":
        return view.adjustViewer(viewerId, look);
      case "find_viewers_by_type":
        return view.findViewersByType(viewerType);
      case "get_available_viewers":
        return view.getAvailableViewers();
      case "highlight_element":
        return (await view.highlightElement(elementId, description)) ?? "Element highlighted";
      default:
        return view.listUIElements();
    }
  }

  async #inDatabase({ tool, signal }: ContextToolCall, args: ToolArguments): Promise<string> {
    const context = await this.#database();
    const { schemaName = "", catalogName = "", sql = "", description = "", prompt = "" } = args as TextArguments;
    const tables = args["tables"] as readonly string[];
    switch (tool) {
      case "list_tables_in_schema":
        return (await context.listTables(false, schemaName, catalogName)).description;
      case "describe_tables":
        return context.describeTables(tables);
      case "list_joins":
        return context.listJoins(tables);
      case "try_sql":
        return cancellable(context, signal, () => context.trySql(sql, description));
      case "list_all_schemas":
        return (await context.listAllSchemas(catalogName)).join(", ");
      case "list_catalogs":
        return context.listCatalogs().join(", ");
      default:
        return context.findSimilarQueries(prompt);
    }
  }

  async #forScripts(tool: string, args: ToolArguments): Promise<string> {
    this.#script ??= this.#options.script();
    const context = this.#script;
    const { description = "", language, query = "", expression = "" } = args as TextArguments;
    const maxResults = args["maxResults"] as number | undefined;
    switch (tool) {
      case "find_similar_script_samples":
        return context.findSimilarScriptSamples(description, language ?? undefined);
      case "search_documentation":
        return context.searchDocumentation(query, maxResults);
      case "list_js_members":
        return context.listJsMembers(expression);
      default:
        return context.searchJsApiSources(query, maxResults);
    }
  }

  #tableView(): TableViewContext | null {
    const { tableView } = this.#options;
    return typeof tableView === "function" ? tableView() : tableView;
  }

  async #database(): Promise<SQLGenerationContext> {
    const { sql, hasConnection } = this.#options;
    const context = sql === null || hasConnection?.() === false ? null : await sql();
    if (context === null) throw new Error("No database connection available for SQL tools");
    return context;
  }
}

const NONE = { repoFiles: [], metadata: {} };
const SCRIPT_TOOLS = namesOf(runtimeTools({ ...NONE, isTableView: false }));
const TABLE_TOOLS = namesOf(runtimeTools({ ...NONE, isTableView: true }), SCRIPT_TOOLS);
const SQL_TOOLS = namesOf(runtimeTools({ ...NONE, isTableView: false, connectionId: "any" }), SCRIPT_TOOLS);

function namesOf(tools: readonly RuntimeTool[], without: ReadonlySet<string> = new Set()): ReadonlySet<string> {
  return new Set(tools.map(({ name }) => name).filter((name) => !without.has(name)));
}

/** A query that is no longer needed is ended. */
async function cancellable(
  context: SQLGenerationContext,
  signal: AbortSignal | undefined,
  run: () => Promise<string>,
): Promise<string> {
  signal?.throwIfAborted();
  const cancel = (): void => context.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    return await run();
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}
