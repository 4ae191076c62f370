import type { Item, Todo, ToolItem } from "../../journal/items.ts";
import { outputText } from "../../text/output-text.ts";
import type { RichItem } from "./rows.ts";
import { summarize } from "./summary.ts";

export type GrowingItem = Extract<Item, { text: string }>;
type ParentItem = { readonly parent_id?: string };

/** A tool call as the row of its own kind. `live`: a command's output so far. */
export function toolRow(item: ToolItem, parent: ParentItem, live?: string): RichItem {
  const id = item.tool_use_id;
  switch (item.type) {
    case "command_execution":
      return {
        id,
        type: "command_execution",
        command: summarize(commandOf(item)),
        ...askedCommand(item),
        aggregated_output: summarize(live ?? outputText(item.output ?? [])),
        ...(item.exit_code === undefined ? {} : { exit_code: item.exit_code }),
        status: item.status === "declined" || item.status === "timed_out" ? item.status : statusOf(item),
        ...parent,
      };
    case "file_change":
      return { id, type: "file_change", changes: item.changes, status: statusOf(item), ...errorOf(item), ...parent };
    case "web_search":
      return { id, type: "web_search", query: summarize(item.query), ...errorOf(item), ...parent };
    case "mcp_tool_call":
      return callRow(item, { server: item.server, tool: item.tool.split("__").slice(2).join("__") }, parent);
    case "tool_call":
    case "subagent":
    case "todo_list":
      return callRow(item, { server: "builtin", tool: item.tool }, parent);
  }
}

/** What really ran, if a person changed it. */
function commandOf({ command, approved_input }: Extract<ToolItem, { type: "command_execution" }>): string {
  const approved = approved_input?.["command"];
  return typeof approved === "string" ? approved : command;
}

/** What was requested, if a person changed it. */
function askedCommand({ input, approved_input }: ToolItem): { readonly asked_command?: string } {
  const { command } = input;
  return approved_input === undefined || typeof command !== "string" ? {} : { asked_command: summarize(command) };
}

function callRow(
  item: ToolItem,
  name: { readonly server: string; readonly tool: string },
  parent: ParentItem,
): RichItem {
  const status = statusOf(item);
  const text = summarize(outputText(item.output ?? []));
  return {
    id: item.tool_use_id,
    type: "mcp_tool_call",
    ...name,
    arguments: bounded(item.approved_input ?? item.input),
    ...(item.approved_input === undefined ? {} : { asked_arguments: bounded(item.input) }),
    ...(status === "completed" ? { result: { content: [{ type: "text", text }] } } : {}),
    ...errorOf(item),
    status,
    ...parent,
  };
}

/** A very large input is replaced by a summary of its JSON. */
function bounded(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const json = JSON.stringify(input);
  const summary = summarize(json);
  return summary === json ? { ...input } : { summary };
}

function statusOf({ status, is_error }: ToolItem): "in_progress" | "completed" | "failed" {
  if (status === "in_progress") return status;
  return status === "completed" && is_error !== true ? "completed" : "failed";
}

function errorOf(item: ToolItem): { readonly error?: { message: string } } {
  if (statusOf(item) !== "failed") return {};
  const message = summarize(outputText(item.output ?? []));
  return { error: { message: message === "" ? item.status : message } };
}

export function spokenRow(
  item: GrowingItem,
  row: { readonly id: string; readonly text: string },
  parent: ParentItem,
): RichItem {
  const { status } = item;
  return {
    id: row.id,
    type: item.type,
    text: row.text,
    ...(status === "failed" || status === "interrupted" || status === "superseded" ? { status } : {}),
    ...parent,
  };
}

export type TodoRow = Extract<RichItem, { type: "todo_list" }>;

export function todoRow(id: string, todos: readonly Todo[], parent: ParentItem): TodoRow {
  const items = todos.map(({ content, status }) => ({ text: content, completed: status === "completed" }));
  return { id, type: "todo_list", items, ...parent };
}

/** A command's output or a model's text so far, from the snapshot of an open item. */
export function textSoFar(item: GrowingItem | Extract<ToolItem, { type: "command_execution" }>): string {
  return "text" in item ? item.text : item.aggregated_output;
}
