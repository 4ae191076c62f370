import type { PageTool } from "../../../client/index.ts";
import {
  BrowserToolExecutor,
  pageToolsOf,
  ScriptGenerationContext,
  SQLGenerationContext,
  TableViewContext,
  toolWords,
} from "../../../contexts/index.ts";
import type { View } from "../model/workbench.ts";
import type { Databases } from "./databases.ts";
import { actionTools } from "./actions.ts";
import { scriptHost } from "./script-host.ts";
import type { ActionOptions } from "./tool-parts.ts";
import { tableViewHost } from "./table-host.ts";

/** What the tools of this page are called by: models see `mcp__workbench__<tool>`. */
export const PAGE_NAME = "workbench";

/** A query on a server can take longer than other tools. */
const SQL_TIMEOUT_MS = 60_000;

/** What needs no open table. */
const ALWAYS = new Set(["run_script", "undo", "list_open_tables", "open_table"]);

interface AgentToolsOptions extends ActionOptions {
  readonly databases: Databases;
}

/** The workbench's tools for agents: document 000's and its own. Which of them are offered depends on what is open. */
export class AgentTools {
  readonly #options: AgentToolsOptions;
  readonly #executor: BrowserToolExecutor;
  readonly #actions: readonly PageTool[];
  #view: { readonly of: View; readonly context: TableViewContext } | undefined;
  #sql: { readonly id: string; readonly context: SQLGenerationContext } | undefined;
  #script: ScriptGenerationContext | undefined;

  constructor(options: AgentToolsOptions) {
    this.#options = options;
    this.#executor = new BrowserToolExecutor({
      tableView: () => this.tableView,
      sql: () => this.#openSql(),
      hasConnection: () => options.databases.isUsable,
      script: () => (this.#script ??= new ScriptGenerationContext(scriptHost())),
    });
    this.#actions = actionTools(options);
  }

  /** The context of the view that is shown; null: none is. */
  get tableView(): TableViewContext | null {
    const view = this.#options.workbench.current;
    if (view === undefined) return null;
    if (this.#view?.of.id !== view.id) {
      this.#view = { of: view, context: new TableViewContext(tableViewHost(this.#options.workbench, view)) };
    }
    return this.#view.context;
  }

  /** Those that can be used now. */
  list(): readonly PageTool[] {
    const own = pageToolsOf(this.#executor).map((tool) => (tool.name === "try_sql" ? patient(tool) : tool));
    const isOpen = this.tableView !== null;
    const { isUsable } = this.#options.databases;
    const isOffered = (name: string): boolean => (name === "open_query" ? isUsable : isOpen || ALWAYS.has(name));
    return [...own, ...this.#actions.filter(({ name }) => isOffered(name))];
  }

  /** A mark that changes when `list` would. */
  get key(): string {
    return `${this.tableView !== null}.${this.#options.databases.isUsable}`;
  }

  async #openSql(): Promise<SQLGenerationContext> {
    const { id, database } = await this.#options.databases.open();
    if (this.#sql?.id !== id) {
      const { defaultCatalog, catalogs, connection } = database;
      this.#sql = { id, context: new SQLGenerationContext(id, defaultCatalog, catalogs, connection) };
    }
    return this.#sql.context;
  }
}

function patient(tool: PageTool): PageTool {
  return { ...tool, timeoutMs: SQL_TIMEOUT_MS };
}

/** As document 000's tools are named; neither `mcp__mail__undo` nor `Bash`. */
const OWN_NAME = /^(?!mcp__)[a-z_]+$/;

/** A step of the agent in words. Undefined: it is none of the workbench's. */
export function stepWords(tool: string, input: Readonly<Record<string, unknown>>): string | undefined {
  const name = tool.startsWith(`mcp__${PAGE_NAME}__`) ? tool.slice(`mcp__${PAGE_NAME}__`.length) : tool;
  const shown = (key: string): string => (typeof input[key] === "string" ? input[key] : "");
  switch (name) {
    case "create_column":
      return `Adding column ${shown("name")}…`;
    case "apply_filter":
      // What is no text is refused: it does not take the filter away.
      if (typeof input["expression"] !== "string") return "Filtering…";
      return shown("expression").trim() === "" ? "Taking the filter away…" : `Filtering to ${shown("expression")}…`;
    case "sort_rows":
      return "Sorting the rows…";
    case "close_viewer":
      return "Closing a viewer…";
    case "select_rows":
      return shown("expression") === "" ? "Selecting rows…" : `Selecting rows with ${shown("expression")}…`;
    case "change_column":
      return `Changing column ${shown("column")}…`;
    case "edit_cells":
      return "Changing cells…";
    case "list_open_tables":
      return "Looking at the open tables…";
    case "switch_table":
      return `Showing ${shown("name")}…`;
    case "close_table":
      return `Closing ${shown("name")}…`;
    case "open_table":
      return `Opening ${shown("sample") || shown("address") || "a table"}…`;
    case "open_query":
      return `Opening the answer of a query${shown("name") === "" ? "" : ` as ${shown("name")}`}…`;
    case "run_script":
      return "Running a script…";
    case "export_csv":
      return "Exporting to CSV…";
    case "undo":
      return "Taking back…";
    default:
      // What others offer may be called alike; the panel has words of its own for it.
      return OWN_NAME.test(name) ? toolWords(name, input) : undefined;
  }
}
