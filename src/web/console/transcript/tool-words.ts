import type { Item, ItemStatus, ToolItem } from "../../../protocol/index.ts";
import type { Tone } from "../ui/states.tsx";

/** What a tool call is about, on one line. */
export function aboutTool(item: ToolItem): string {
  switch (item.type) {
    case "command_execution":
      return item.command;
    case "file_change":
      return firstText(item.input, ["file_path", "notebook_path"]);
    case "web_search":
      return item.query;
    case "todo_list":
      return `${String(item.items.filter(({ status }) => status === "completed").length)} of ${String(item.items.length)} done`;
    case "subagent":
      return item.description;
    case "mcp_tool_call":
    case "tool_call":
      return firstText(item.input, [
        "file_path",
        "path",
        "pattern",
        "query",
        "url",
        "command",
        "description",
        "prompt",
      ]);
  }
}

function firstText(input: Readonly<Record<string, unknown>>, names: readonly string[]): string {
  for (const name of names) {
    const value = input[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return "";
}

/** A tool's name as people say it. */
export function toolName(item: ToolItem): string {
  return item.type === "mcp_tool_call" ? item.tool.split("__").slice(1).join(" › ") : item.tool;
}

export const STATUS_WORDS: Readonly<Record<ItemStatus, { readonly label: string; readonly tone: Tone }>> = {
  in_progress: { label: "running", tone: "info" },
  completed: { label: "done", tone: "ok" },
  failed: { label: "failed", tone: "bad" },
  declined: { label: "declined", tone: "warn" },
  interrupted: { label: "interrupted", tone: "warn" },
  superseded: { label: "superseded", tone: "plain" },
};

/** Every file that the agent changed, the last change last, with the lines that came and went. */
export function changedFiles(
  items: Iterable<{ readonly item: Item }>,
): readonly { readonly path: string; readonly added: number; readonly removed: number; readonly item: string }[] {
  const files = new Map<string, { readonly path: string; added: number; removed: number; item: string }>();
  for (const { item } of items) {
    if (item.type !== "file_change" || item.status !== "completed") continue;
    const lines = (item.diff ?? "").split("\n");
    for (const { path } of item.changes) {
      const file = files.get(path) ?? { path, added: 0, removed: 0, item: item.id };
      file.added += lines.filter((line) => line.startsWith("+") && !line.startsWith("+++")).length;
      file.removed += lines.filter((line) => line.startsWith("-") && !line.startsWith("---")).length;
      file.item = item.id;
      files.set(path, file);
    }
  }
  return [...files.values()];
}
