import type { Tier } from "../sessions/approvals.ts";
import type { ToolItem } from "../journal/items.ts";

/** A text of a tool's input that people see as a field of its own. */
export interface ToolField {
  readonly name: string;
  readonly label: string;
  /** What the console's policy page begins with. */
  readonly example: string;
  /** Several lines. */
  readonly long?: true;
  /** A person may change it before approving the call. The last one is what the CLI opens in an editor. */
  readonly editable?: true;
}

/** What the rest of the program must know of a tool by its name. How it runs is in its own file under `tools`. */
export interface ToolFacts {
  readonly tier: Tier;
  /** What its calls are in the journal. Absent: `tool_call`. */
  readonly item?: Exclude<ToolItem["type"], "mcp_tool_call">;
  /** As editors know it: kinds of the Agent Client Protocol. */
  readonly acp: "read" | "edit" | "search" | "execute" | "fetch" | "think";
  /** The console's icon. Absent: that of any tool. */
  readonly icon?: "new_file" | "edit" | "notebook" | "terminal" | "read" | "search" | "web" | "agent" | "question";
  /** What a rule may say of its calls in brackets. Absent: nothing but the whole input as JSON. */
  readonly rule?: "command" | "read_path" | "write_path" | "domain" | "subagent";
  /** It reads all files below the folder that it is given. */
  readonly reads_below?: true;
  /** Its path is a file's: where it has done its work, there is no folder. */
  readonly of_file?: true;
  /** It shows nothing of what stood in a file that it writes. */
  readonly blind?: true;
  /** The same tool under its older name: rules for one are rules for both. */
  readonly same_as?: string;
  /** Empty or absent: its input is written as JSON. */
  readonly fields?: readonly ToolField[];
  /** Its editable fields stand in each entry of this list of its input. */
  readonly list?: string;
  /** Of a browser tool: what it does to a page. */
  readonly browser?: "looks" | "acts" | "evaluates";
  /** Only there where the settings say so. */
  readonly optional?: true;
  /** Not ours: a model or a vendor's program may have it. */
  readonly foreign?: true;
  /** In Claude Code: the name of its own tool that is used, or `ours` in its place. Absent: it has none of the two. */
  readonly claude?: { readonly own: string } | "ours";
}

const file: ToolField = { name: "file_path", label: "File", example: "src/index.ts" };
const replacement: readonly ToolField[] = [
  { name: "old_string", label: "Text to replace", example: "hello", long: true, editable: true },
  { name: "new_string", label: "New text", example: "goodbye", long: true, editable: true },
];
const reading = { tier: "read", acp: "read", rule: "read_path" } as const;
const search = { ...reading, acp: "search", icon: "search", claude: "ours" } as const;
const change = {
  tier: "write",
  item: "file_change",
  acp: "edit",
  rule: "write_path",
  icon: "edit",
  of_file: true,
} as const;
const output = { tier: "read", acp: "read", claude: "ours" } as const;
const stop = { tier: "execute", acp: "execute", claude: "ours" } as const;
const fetching = { tier: "network", acp: "fetch", icon: "web" } as const;
const looking = { ...fetching, browser: "looks", optional: true } as const;
const acting = { tier: "page", acp: "execute", icon: "web", browser: "acts", optional: true } as const;
const evaluating = { tier: "execute", acp: "execute", icon: "web", browser: "evaluates", optional: true } as const;
const element: ToolField = { name: "selector", label: "Element (CSS selector)", example: "button[type=submit]" };
const delegation = { tier: "execute", item: "subagent", acp: "think", rule: "subagent", icon: "agent" } as const;

/** Every tool that is known by name, in the order in which people are offered them. */
export const TOOL_FACTS = {
  Read: { ...reading, icon: "read", of_file: true, fields: [file], claude: { own: "Read" } },
  Glob: { ...search, fields: [{ name: "pattern", label: "Pattern", example: "src/**/*.ts" }] },
  Grep: {
    ...search,
    reads_below: true,
    fields: [
      { name: "pattern", label: "Regular expression", example: "TODO" },
      { name: "path", label: "Folder", example: "src" },
    ],
  },
  LS: { ...reading, acp: "search", foreign: true },
  NotebookRead: { ...reading, foreign: true },
  Write: {
    ...change,
    icon: "new_file",
    blind: true,
    fields: [file, { name: "content", label: "Content", example: "hello", long: true, editable: true }],
    claude: "ours",
  },
  Edit: { ...change, fields: [file, ...replacement], claude: "ours" },
  MultiEdit: { ...change, list: "edits", fields: replacement },
  NotebookEdit: {
    ...change,
    icon: "notebook",
    fields: [
      { ...file, name: "notebook_path" },
      { name: "new_source", label: "New source", example: "print(1)", long: true, editable: true },
    ],
    claude: "ours",
  },
  Bash: {
    tier: "execute",
    item: "command_execution",
    acp: "execute",
    icon: "terminal",
    rule: "command",
    fields: [{ name: "command", label: "Command", example: "npm test", long: true, editable: true }],
    claude: "ours",
  },
  BashOutput: output,
  TaskOutput: { ...output, same_as: "BashOutput" },
  KillShell: stop,
  TaskStop: { ...stop, same_as: "KillShell" },
  WebFetch: {
    ...fetching,
    rule: "domain",
    fields: [
      { name: "url", label: "Address", example: "https://docs.example.org/" },
      { name: "prompt", label: "Question", example: "What does it say?" },
    ],
    claude: "ours",
  },
  WebSearch: {
    ...fetching,
    item: "web_search",
    fields: [{ name: "query", label: "Query", example: "how to bake bread" }],
    claude: "ours",
    optional: true,
  },
  SearchCode: {
    ...search,
    reads_below: true,
    optional: true,
    fields: [{ name: "query", label: "Query", example: "where requests are retried" }],
  },
  TodoWrite: { tier: "read", item: "todo_list", acp: "think", claude: { own: "TodoWrite" } },
  AskUserQuestion: { tier: "read", acp: "think", icon: "question", claude: { own: "AskUserQuestion" } },
  Task: {
    ...delegation,
    fields: [
      { name: "description", label: "Description", example: "Look for bugs" },
      { name: "prompt", label: "Prompt", example: "Read src and look for bugs.", long: true },
    ],
    claude: { own: "Agent" },
  },
  Skill: {
    ...reading,
    icon: "read",
    fields: [{ name: "skill", label: "Skill", example: "release-notes" }],
    claude: "ours",
  },
  Agent: { ...delegation, same_as: "Task", foreign: true },
  mcp__puppeteer__puppeteer_navigate: {
    ...looking,
    fields: [{ name: "url", label: "Address", example: "http://localhost:3000/" }],
  },
  mcp__puppeteer__puppeteer_screenshot: {
    ...looking,
    fields: [
      { name: "name", label: "Name", example: "start-page" },
      { name: "selector", label: "Element (CSS selector)", example: "main" },
    ],
  },
  mcp__puppeteer__puppeteer_hover: { ...looking, fields: [element] },
  mcp__puppeteer__puppeteer_click: { ...acting, fields: [element] },
  mcp__puppeteer__puppeteer_fill: {
    ...acting,
    fields: [element, { name: "value", label: "Text", example: "hello" }],
  },
  mcp__puppeteer__puppeteer_select: {
    ...acting,
    fields: [element, { name: "value", label: "Value", example: "blue" }],
  },
  mcp__puppeteer__puppeteer_evaluate: {
    ...evaluating,
    fields: [{ name: "script", label: "JavaScript", example: "return document.title", long: true, editable: true }],
  },
  mcp__puppeteer__puppeteer_connect_active_tab: { ...evaluating },
} as const satisfies Readonly<Record<string, ToolFacts>>;

const FACTS: Readonly<Record<string, ToolFacts>> = TOOL_FACTS;

/** Undefined: a tool of a page, an MCP server or a module, or none at all. */
export function toolFacts(tool: string): ToolFacts | undefined {
  return Object.hasOwn(FACTS, tool) ? FACTS[tool] : undefined;
}

/** The names of the tools that something holds for. */
export function toolsWith(holds: (facts: ToolFacts) => boolean): readonly string[] {
  return Object.entries(FACTS).flatMap(([tool, facts]) => (holds(facts) ? [tool] : []));
}

/** The tools that every server has. */
export const BUILT_IN_TOOL_NAMES = toolsWith(({ foreign, optional }) => foreign !== true && optional !== true);

/** Reads how a task is done in the workspace; only there where the workspace says so. */
export const SKILL_TOOL: keyof typeof TOOL_FACTS = "Skill";

/** A call that another machine runs, at the other end of a tunnel: people are asked about it under this name. */
export const HOME_TOOL = "mcp__home__tool";

/** Asks a person; only a person's answer counts. */
export const QUESTION_TOOL: keyof typeof TOOL_FACTS = "AskUserQuestion";
