import type { Item } from "../../../protocol/index.ts";

/** The part of an item that grows while it is open. */
export function textOf(item: Item): string {
  switch (item.type) {
    case "agent_message":
    case "reasoning":
      return item.text;
    case "command_execution":
      return item.aggregated_output;
    case "file_change":
    case "mcp_tool_call":
    case "tool_call":
    case "web_search":
    case "todo_list":
    case "subagent":
      return item.output?.map((block) => (block.type === "text" ? block.text : "")).join("\n") ?? "";
    case "compaction":
    case "error":
      return "";
  }
}

export function withText(item: Item, text: string): Item {
  switch (item.type) {
    case "agent_message":
    case "reasoning":
      return { ...item, text };
    case "command_execution":
      return { ...item, aggregated_output: text };
    case "file_change":
    case "mcp_tool_call":
    case "tool_call":
    case "web_search":
    case "todo_list":
    case "subagent":
      return text === "" ? item : { ...item, output: [{ type: "text", text }] };
    case "compaction":
    case "error":
      return item;
  }
}
