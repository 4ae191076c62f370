import type { ContentBlock } from "../journal/content.ts";
import { Todo, type FileChange, type ItemStatus, type ToolItem } from "../journal/items.ts";
import { outputText } from "./output-text.ts";
import { toolFacts } from "../access/tool-facts.ts";

/** A tool call as an engine sees it begin. */
export interface ToolCallStart {
  readonly id: string;
  readonly tool: string;
  readonly tool_use_id: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly parent_id?: string | undefined;
  readonly message_id?: string | undefined;
}

/** The end of a tool call. The optional parts fill the fields of the item's own kind. */
export interface ToolCallEnd {
  readonly status: Exclude<ItemStatus, "in_progress">;
  readonly output: readonly ContentBlock[];
  readonly is_error: boolean;
  readonly duration_ms?: number | undefined;
  readonly exit_code?: number | undefined;
  readonly changes?: readonly FileChange[] | undefined;
  readonly diff?: string | undefined;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The item of a tool call, by the tool's name in the rich mapping. */
export function startToolItem(call: ToolCallStart): ToolItem {
  const common = {
    id: call.id,
    status: "in_progress" as const,
    tool: call.tool,
    tool_use_id: call.tool_use_id,
    input: { ...call.input },
    ...(call.parent_id === undefined ? {} : { parent_id: call.parent_id }),
    ...(call.message_id === undefined ? {} : { message_id: call.message_id }),
  };
  if (call.tool.startsWith("mcp__"))
    return { ...common, type: "mcp_tool_call", server: call.tool.split("__")[1] ?? "" };
  const type = toolFacts(call.tool)?.item ?? "tool_call";
  switch (type) {
    case "command_execution":
      return { ...common, type, command: text(call.input["command"]), aggregated_output: "" };
    case "file_change":
      return { ...common, type, changes: [] };
    case "web_search":
      return { ...common, type, query: text(call.input["query"]) };
    case "todo_list":
      return { ...common, type, items: todos(call.input["todos"]) };
    case "subagent":
      return { ...common, type, description: text(call.input["description"]) };
    case "tool_call":
      return { ...common, type };
  }
}

/** The item of a call that a person changed: its own fields say what runs, `input` what was requested. */
export function editedToolItem(item: ToolItem, approved_input: Readonly<Record<string, unknown>>): ToolItem {
  const edited = { approved_input: { ...approved_input } };
  switch (item.type) {
    case "command_execution":
      return { ...item, ...edited, command: text(approved_input["command"]) };
    case "web_search":
      return { ...item, ...edited, query: text(approved_input["query"]) };
    case "todo_list":
      return { ...item, ...edited, items: todos(approved_input["todos"]) };
    case "subagent":
      return { ...item, ...edited, description: text(approved_input["description"]) };
    case "file_change":
    case "mcp_tool_call":
    case "tool_call":
      return { ...item, ...edited };
  }
}

export function endToolItem(item: ToolItem, end: ToolCallEnd): ToolItem {
  const common = {
    status: end.status,
    output: [...end.output],
    is_error: end.is_error,
    ...(end.duration_ms === undefined ? {} : { duration_ms: end.duration_ms }),
  };
  switch (item.type) {
    case "command_execution":
      return {
        ...item,
        ...common,
        aggregated_output: outputText(end.output),
        ...(end.exit_code === undefined ? {} : { exit_code: end.exit_code }),
      };
    case "file_change":
      return {
        ...item,
        ...common,
        changes: [...(end.changes ?? [])],
        ...(end.diff === undefined ? {} : { diff: end.diff }),
      };
    case "mcp_tool_call":
    case "tool_call":
    case "web_search":
    case "todo_list":
    case "subagent":
      return { ...item, ...common };
  }
}

function todos(value: unknown): Todo[] {
  const parsed = Todo.array().safeParse(value);
  return parsed.success ? parsed.data : [];
}
